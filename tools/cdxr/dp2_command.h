/* SPDX-License-Identifier: MIT
 * `cdxr dp2 ...`: dump, run, trace and check captures of the legacy Direct3D command stream. Called by main.c with
 * argv[0] = "dp2". Returns the process's exit code. */
#ifndef CDXR_TOOLS_DP2_COMMAND_H
#define CDXR_TOOLS_DP2_COMMAND_H

int dp2_command_main(int argc, char **argv);

#endif

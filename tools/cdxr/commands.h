/* SPDX-License-Identifier: MIT
 * Sub-commands of the cdxr program. argv[0] is the sub-command's name; the result is the exit status: 0 done, 1 failed,
 * 2 wrong use. */
#ifndef CDXR_TOOLS_COMMANDS_H
#define CDXR_TOOLS_COMMANDS_H

int command_render(int argc, char **argv);
int command_info(int argc, char **argv);

#endif

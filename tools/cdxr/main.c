/* SPDX-License-Identifier: MIT
 * The cdxr program. */
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

#include "commands.h"
#ifdef CDXR_HAVE_DP2
#include "dp2_command.h"
#endif

static void print_help(FILE *to)
{
    fputs("usage: cdxr COMMAND [arguments]\n"
          "\n"
          "  render MODEL -o FILE   path trace a model file to a PNG or EXR picture\n"
          "  info                   print the device, the CPU and the feature tiers\n"
#ifdef CDXR_HAVE_DP2
          "  dp2 ...                dump, check, draw or trace captures of the legacy DrawPrimitives2 stream\n"
#endif
          "  --version, --help\n"
          "\n"
          "cdxr COMMAND --help tells more.\n",
          to);
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "render") == 0)
        return command_render(argc - 1, argv + 1);
    if (strcmp(command, "info") == 0)
        return command_info(argc - 1, argv + 1);
#ifdef CDXR_HAVE_DP2
    if (strcmp(command, "dp2") == 0)
        return dp2_command_main(argc - 1, argv + 1);
#endif
    if (strcmp(command, "--version") == 0) {
        puts("cdxr " CDXR_VERSION);
        return 0;
    }
    bool asked = strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0;
    if (!asked && *command)
        fprintf(stderr, "cdxr: '%s' is no command\n", command);
    print_help(asked ? stdout : stderr);
    return asked ? 0 : 2;
}

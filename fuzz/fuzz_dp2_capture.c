/* SPDX-License-Identifier: MIT
 * Opens any bytes as a capture, applies every chunk and executes the calls within small limits. */
#include <stdlib.h>

#include "cdxr/dp2.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

enum { MAX_EVENTS = 50 };

static void ignore_message(void *cookie, const struct cdxr_dp2_message *message)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count)
{
    struct cdxr_dp2_config overrides;
    struct cdxr_dp2_replay *replay;
    struct cdxr_dp2_event event;
    char reason[512];
    cdxr_dp2_config_init(&overrides);
    overrides.thread_count = 1;
    overrides.log = ignore_message;
    overrides.limits = (struct cdxr_dp2_limits){.command_bytes = 1 << 16, .vertices = 1024, .pixels = 1 << 14, .capture_bytes = 1 << 16, .state_sets = 16, .lights = 16, .shaders = 16,
                                                .kept_bytes = 1 << 16};
    if (cdxr_dp2_replay_open(bytes, byte_count, &overrides, &replay, reason) != CDXR_DP2_OK)
        return 0;
    for (int i = 0; i < MAX_EVENTS && cdxr_dp2_replay_next(replay, &event, reason) == CDXR_DP2_OK; i++)
        if (event.kind == CDXR_DP2_EVENT_CALL)
            cdxr_dp2_execute_call(cdxr_dp2_replay_context(replay), &event.call);
    cdxr_dp2_replay_close(replay);
    return 0;
}

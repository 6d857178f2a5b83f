/* SPDX-License-Identifier: MIT
 * One line per event to stderr, "cdxr: LEVEL: text". CDXR_LOG = none, error, warn (default), info, debug;
 * read once. For things an application developer must see without a debug layer. */
#ifndef CDXR_BASE_LOG_H
#define CDXR_BASE_LOG_H

#include <stdbool.h>

#include "base/status.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

bool log_enabled(enum log_level level);
void log_write(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif

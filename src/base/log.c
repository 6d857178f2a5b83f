/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};
static pthread_once_t level_once = PTHREAD_ONCE_INIT;
static int level_max = LOG_LEVEL_WARN;

static void level_read(void)
{
    const char *text = getenv("CDXR_LOG");
    if (!text || !*text)
        return;
    int level = strcmp(text, "none") == 0 ? -1 : 0;
    while (level >= 0 && level < (int)ARRAY_COUNT(level_names) && strcmp(text, level_names[level]) != 0)
        level++;
    if (level < (int)ARRAY_COUNT(level_names))
        level_max = level;
    else /* environment.h would call this file while it reads its own level */
        fprintf(stderr, "cdxr: warn: environment variable CDXR_LOG is '%s': must be one of none error warn info debug; the "
                        "default is used\n", text);
}

bool log_enabled(enum log_level level)
{
    pthread_once(&level_once, level_read);
    return (int)level <= level_max;
}

void log_write(enum log_level level, const char *format, ...)
{
    if (!log_enabled(level))
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "cdxr: %s: %s\n", level_names[level], text);
}

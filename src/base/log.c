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
    if (strcmp(text, "none") == 0)
        level_max = -1;
    for (int i = 0; i < (int)ARRAY_COUNT(level_names); i++)
        if (strcmp(text, level_names[i]) == 0)
            level_max = i;
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

/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum status reason_set(struct reason *reason, enum status code, const char *format, ...)
{
    if (reason && !reason->text[0]) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason->text, sizeof(reason->text), format, arguments);
        va_end(arguments);
    }
    return code;
}

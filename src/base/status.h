/* SPDX-License-Identifier: MIT
 * Result codes of everything below the API border. d3d12/ and com/ map them to HRESULTs in one place. */
#ifndef CDXR_BASE_STATUS_H
#define CDXR_BASE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_OUT_OF_MEMORY,
    STATUS_INVALID,     /* the caller's argument breaks a rule */
    STATUS_UNSUPPORTED, /* legal, but not available here */
    STATUS_CORRUPT,     /* bytes from outside do not follow their format */
    STATUS_INTERNAL,    /* our own mistake */
    STATUS_ABSENT,      /* well formed, but what was asked for is not in it */
};

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Text buffer for the reason of a failure. Every function that checks outside bytes takes one (may be NULL);
 * the first reason written wins. */
struct reason {
    char text[512];
};

/* Write the reason (if none was written yet) and return code, so that checks read
 *     if (x > limit)
 *         return reason_set(reason, STATUS_INVALID, "x is %u, at most %u", x, limit); */
enum status reason_set(struct reason *reason, enum status code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Forward a failure to the caller. */
#define RETURN_IF_FAILED(expression)                                                                         \
    do {                                                                                                     \
        enum status status_of_expression = (expression);                                                     \
        if (status_of_expression != STATUS_OK)                                                               \
            return status_of_expression;                                                                     \
    } while (0)

#endif

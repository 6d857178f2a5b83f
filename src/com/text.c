/* SPDX-License-Identifier: MIT */
#include "com/text.h"

#include <stdlib.h>
#include <wchar.h>

enum { REPLACEMENT = 0xfffd, UTF8_BYTES_MAX = 4 };

static size_t utf8_encode(uint32_t code, char *out)
{
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = REPLACEMENT;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[count] | code);
    return count;
}

/* Code point at text; *count = bytes consumed, at least 1. */
static uint32_t utf8_decode(const char *text, size_t *count)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : bytes[0] >= 0xc0 ? 2 : 0;
    static const uint32_t minimum[] = {0, 0, 0x80, 0x800, 0x10000};
    *count = 1;
    if (length == 0 || bytes[0] > 0xf4)
        return REPLACEMENT;
    if (length == 1)
        return bytes[0];
    uint32_t code = bytes[0] & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (code < minimum[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return REPLACEMENT;
    *count = length;
    return code;
}

char *com_text_from_wide_count(const WCHAR *wide, size_t count)
{
    if (!wide || count > SIZE_MAX / UTF8_BYTES_MAX - 1)
        return NULL;
    char *text = malloc(count * UTF8_BYTES_MAX + 1);
    if (!text)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += utf8_encode((uint32_t)wide[i], text + used);
    text[used] = 0;
    return text;
}

char *com_text_from_wide(const WCHAR *wide)
{
    return wide ? com_text_from_wide_count(wide, wcslen(wide)) : NULL;
}

WCHAR *com_text_to_wide(const char *text)
{
    if (!text)
        return NULL;
    WCHAR *wide = malloc((strlen(text) + 1) * sizeof(*wide));
    if (!wide)
        return NULL;
    size_t used = 0, step;
    for (; *text; text += step)
        wide[used++] = (WCHAR)utf8_decode(text, &step);
    wide[used] = 0;
    return wide;
}

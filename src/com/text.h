/* SPDX-License-Identifier: MIT
 * Wide strings of the API (WCHAR is a 4-byte wchar_t here, one Unicode code point each) to UTF-8 and back. */
#ifndef CDXR_COM_TEXT_H
#define CDXR_COM_TEXT_H

#include "com/windows.h"

/* New UTF-8 text (free()); NULL when out of memory or wide is NULL. Values that are no code points become U+FFFD. */
char *com_text_from_wide(const WCHAR *wide);
/* The same for length characters without a terminator. */
char *com_text_from_wide_count(const WCHAR *wide, size_t count);
/* New wide text (free()); NULL when out of memory or text is NULL. Ill-formed bytes become U+FFFD. */
WCHAR *com_text_to_wide(const char *text);

#endif

/* SPDX-License-Identifier: MIT
 * Stands in for WSL's libd3d12.so and libdxcore.so at link time: the same names, no content. A program linked against
 * it must find the real functions in our directory of aliases. */
#include <stdlib.h>

void STUB_FUNCTION(void);
void STUB_FUNCTION(void)
{
    abort();
}

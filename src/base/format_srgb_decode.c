/* SPDX-License-Identifier: MIT
 * sRGB decoding of values that are no 8-bit codes (base/format_srgb.h). */
#include "base/format_srgb.h"

/* y^2.4 = y^2 * u^1.6 with u = y^(1/4): two square roots make the rest smooth enough for a short polynomial (relative
 * error below 2^-33 on the interval of u that occurs). */
float format_srgb_decode(float encoded)
{
    if (!(encoded > 0.04045f))
        return encoded > 0.0f ? encoded / 12.92f : 0.0f;
    double y = ((double)encoded + 0.055) / 1.055;
    double u = __builtin_sqrt(__builtin_sqrt(y));
    static const double coefficients[9] = {-0.0064559735928213235, 0.1851932362209104,  1.2998792144991198,
                                           -0.9874343435154566,    0.9517431934699727,  -0.7064651298887771,
                                           0.3568019306198256,     -0.10798970108755569, 0.014727573320428866};
    double p = coefficients[8];
    for (int i = 7; i >= 0; i--)
        p = p * u + coefficients[i];
    return (float)(y * y * p);
}

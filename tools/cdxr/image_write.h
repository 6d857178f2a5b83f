/* SPDX-License-Identifier: MIT
 * Pictures out: PNG (tone-mapped, sRGB, 8 bit) or EXR (linear float), by the ending of the path. */
#ifndef CDXR_TOOLS_IMAGE_WRITE_H
#define CDXR_TOOLS_IMAGE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

enum image_transfer {
    IMAGE_TRANSFER_FILMIC, /* exposure, filmic curve, sRGB */
    IMAGE_TRANSFER_SRGB,   /* sRGB only: albedo */
    IMAGE_TRANSFER_SIGNED, /* (v + 1) / 2: normals */
};

/* True when path ends in .png or .exr. */
bool image_path_is_known(const char *path);
/* pixels: [height][width][4] float, row-major, linear. Prints one line and returns false on failure. */
bool image_write(const char *path, const float *pixels, uint32_t width, uint32_t height, enum image_transfer transfer,
                 float exposure);

#endif

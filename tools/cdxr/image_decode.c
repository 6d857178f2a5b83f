/* SPDX-License-Identifier: MIT
 * PNG and JPEG textures to RGBA8, by libpng and libjpeg. */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MAX_EDGE = 16384 };

static bool decode_png(const void *bytes, size_t byte_count, struct model_texture *t)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, byte_count))
        return false;
    image.format = PNG_FORMAT_RGBA;
    bool ok = image.width && image.height && image.width <= MAX_EDGE && image.height <= MAX_EDGE;
    if (ok)
        t->pixels = malloc(PNG_IMAGE_SIZE(image));
    ok = ok && t->pixels && png_image_finish_read(&image, NULL, t->pixels, 0, NULL);
    t->width = image.width;
    t->height = image.height;
    png_image_free(&image);
    if (!ok) {
        free(t->pixels);
        t->pixels = NULL;
    }
    return ok;
}

struct jpeg_failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void jpeg_fail(j_common_ptr info)
{
    longjmp(((struct jpeg_failure *)info->err)->jump, 1);
}

static void jpeg_silence(j_common_ptr info)
{
    (void)info;
}

static void read_jpeg_rows(struct jpeg_decompress_struct *info, uint8_t *pixels, uint8_t *row)
{
    while (info->output_scanline < info->output_height) {
        uint8_t *to = pixels + (size_t)info->output_scanline * info->output_width * 4;
        jpeg_read_scanlines(info, &row, 1);
        for (JDIMENSION x = 0; x < info->output_width; x++) {
            memcpy(to + x * 4, row + x * 3, 3);
            to[x * 4 + 3] = 255;
        }
    }
}

static bool decode_jpeg(const void *bytes, size_t byte_count, struct model_texture *t)
{
    struct jpeg_decompress_struct info;
    struct jpeg_failure failure;
    uint8_t *volatile pixels = NULL;
    uint8_t *volatile row = NULL;
    memset(&info, 0, sizeof(info));
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = jpeg_fail;
    failure.manager.output_message = jpeg_silence;
    bool volatile ok = false;
    if (!setjmp(failure.jump)) {
        jpeg_create_decompress(&info);
        jpeg_mem_src(&info, (unsigned char *)bytes, byte_count);
        jpeg_read_header(&info, TRUE);
        info.out_color_space = JCS_RGB;
        jpeg_start_decompress(&info);
        if (info.output_width <= MAX_EDGE && info.output_height <= MAX_EDGE) {
            pixels = malloc((size_t)info.output_width * info.output_height * 4);
            row = malloc((size_t)info.output_width * 3);
        }
        if (pixels && row) {
            read_jpeg_rows(&info, pixels, row);
            t->width = info.output_width;
            t->height = info.output_height;
            ok = true;
        }
    }
    jpeg_destroy_decompress(&info);
    free(row);
    if (ok)
        t->pixels = pixels;
    else
        free(pixels);
    return ok;
}

bool image_decode(const void *bytes, size_t byte_count, struct model_texture *texture)
{
    static const uint8_t png_magic[4] = {0x89, 'P', 'N', 'G'};
    if (byte_count > 4 && memcmp(bytes, png_magic, 4) == 0)
        return decode_png(bytes, byte_count, texture);
    return byte_count > 4 && decode_jpeg(bytes, byte_count, texture);
}

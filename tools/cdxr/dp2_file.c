/* SPDX-License-Identifier: MIT */
#include "dp2_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dp2_file_read(const char *path, struct dp2_file *file)
{
    *file = (struct dp2_file){NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        fprintf(stderr, "cdxr: %s: %s\n", path, strerror(errno));
        return false;
    }
    size_t capacity = 0;
    for (;;) {
        if (file->byte_count == capacity) {
            capacity = capacity ? capacity * 2 : 1 << 16;
            uint8_t *grown = realloc(file->bytes, capacity);
            if (!grown)
                break;
            file->bytes = grown;
        }
        size_t got = fread(file->bytes + file->byte_count, 1, capacity - file->byte_count, stream);
        file->byte_count += got;
        if (!got)
            break;
    }
    bool failed = ferror(stream) || !feof(stream);
    fclose(stream);
    if (failed) {
        fprintf(stderr, "cdxr: %s: cannot be read\n", path);
        dp2_file_free(file);
    }
    return !failed;
}

void dp2_file_free(struct dp2_file *file)
{
    free(file->bytes);
    *file = (struct dp2_file){NULL, 0};
}

struct cdxr_dp2_replay *dp2_file_replay(const struct dp2_file *file, const char *path, const struct cdxr_dp2_config *overrides)
{
    struct cdxr_dp2_replay *replay;
    char reason[512] = "no memory";
    if (cdxr_dp2_replay_open(file->bytes, file->byte_count, overrides, &replay, reason) == CDXR_DP2_OK)
        return replay;
    fprintf(stderr, "cdxr: %s: %s\n", path, reason);
    return NULL;
}

static bool write_rows(FILE *stream, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, stream);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, rgba + (size_t)y * width * 4);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool dp2_write_png(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    FILE *stream = fopen(path, "wb");
    bool done = stream && write_rows(stream, rgba, width, height);
    if (stream && fclose(stream) != 0)
        done = false;
    if (!done)
        fprintf(stderr, "cdxr: %s: %s\n", path, errno ? strerror(errno) : "cannot be written");
    return done;
}

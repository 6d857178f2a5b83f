/* SPDX-License-Identifier: MIT
 * See image_write.h. PNG by libpng, EXR by OpenEXRCore. */
#include "image_write.h"

#include <OpenEXR/openexr.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a > b && strcasecmp(path + a - b, ending) == 0;
}

bool image_path_is_known(const char *path)
{
    return ends_with(path, ".png") || ends_with(path, ".exr");
}

static float srgb(float v)
{
    v = v > 0 ? (v < 1 ? v : 1) : 0; /* NaN becomes 0 */
    return v <= 0.0031308f ? v * 12.92f : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

/* A curve with a toe and a soft shoulder: white is reached at about 8 times mid exposure. */
static float filmic(float v)
{
    v = v > 0 ? v : 0;
    return v * (2.2f * v + 0.05f) / (v * (2.1f * v + 0.62f) + 0.14f);
}

static uint8_t to_byte(float v, enum image_transfer transfer, float exposure)
{
    if (transfer == IMAGE_TRANSFER_FILMIC)
        v = srgb(filmic(v * exposure));
    else if (transfer == IMAGE_TRANSFER_SRGB)
        v = srgb(v);
    else
        v = v * 0.5f + 0.5f;
    v = v > 0 ? (v < 1 ? v : 1) : 0;
    return (uint8_t)(v * 255.0f + 0.5f);
}

static bool write_png(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    if (png_image_write_to_file(&image, path, 0, rgb, 0, NULL))
        return true;
    fprintf(stderr, "cdxr: %s: %s\n", path, image.message);
    return false;
}

static bool write_tone_mapped(const char *path, const float *pixels, uint32_t width, uint32_t height,
                              enum image_transfer transfer, float exposure)
{
    size_t count = (size_t)width * height;
    uint8_t *rgb = malloc(count * 3);
    if (!rgb) {
        fprintf(stderr, "cdxr: %s: out of memory\n", path);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            rgb[i * 3 + c] = to_byte(pixels[i * 4 + c], transfer, exposure);
    bool ok = write_png(path, rgb, width, height);
    free(rgb);
    return ok;
}

static exr_result_t write_exr_chunks(exr_context_t file, int part, const float *pixels, uint32_t width, uint32_t height)
{
    int32_t lines_per_chunk = 1;
    exr_result_t r = exr_get_scanlines_per_chunk(file, part, &lines_per_chunk);
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    bool first = true;
    for (uint32_t y = 0; r == EXR_ERR_SUCCESS && y < height; y += (uint32_t)lines_per_chunk) {
        exr_chunk_info_t chunk;
        r = exr_write_scanline_chunk_info(file, part, (int)y, &chunk);
        if (r == EXR_ERR_SUCCESS)
            r = first ? exr_encoding_initialize(file, part, &chunk, &encoder)
                      : exr_encoding_update(file, part, &chunk, &encoder);
        for (int c = 0; r == EXR_ERR_SUCCESS && c < encoder.channel_count; c++) {
            int component = encoder.channels[c].channel_name[0] == 'R' ? 0 : encoder.channels[c].channel_name[0] == 'G' ? 1 : 2;
            encoder.channels[c].encode_from_ptr = (const uint8_t *)(pixels + (size_t)y * width * 4 + component);
            encoder.channels[c].user_pixel_stride = 4 * sizeof(float);
            encoder.channels[c].user_line_stride = (int32_t)(width * 4 * sizeof(float));
        }
        if (r == EXR_ERR_SUCCESS && first)
            r = exr_encoding_choose_default_routines(file, part, &encoder);
        if (r == EXR_ERR_SUCCESS)
            r = exr_encoding_run(file, part, &encoder);
        first = false;
    }
    if (!first)
        exr_encoding_destroy(file, &encoder);
    return r;
}

static void exr_silence(exr_const_context_t file, exr_result_t code, const char *message)
{
    (void)file;
    (void)code;
    (void)message;
}

static bool write_exr(const char *path, const float *pixels, uint32_t width, uint32_t height)
{
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = exr_silence;
    exr_context_t file;
    int part = 0;
    exr_result_t r = exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &setup);
    bool opened = r == EXR_ERR_SUCCESS;
    if (r == EXR_ERR_SUCCESS)
        r = exr_add_part(file, "color", EXR_STORAGE_SCANLINE, &part);
    if (r == EXR_ERR_SUCCESS)
        r = exr_initialize_required_attr_simple(file, part, (int32_t)width, (int32_t)height, EXR_COMPRESSION_ZIP);
    static const char *const channels[] = {"B", "G", "R"};
    for (int c = 0; r == EXR_ERR_SUCCESS && c < 3; c++)
        r = exr_add_channel(file, part, channels[c], EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    if (r == EXR_ERR_SUCCESS)
        r = exr_write_header(file);
    if (r == EXR_ERR_SUCCESS)
        r = write_exr_chunks(file, part, pixels, width, height);
    if (opened) {
        exr_result_t finished = exr_finish(&file);
        r = r == EXR_ERR_SUCCESS ? finished : r;
    }
    if (r != EXR_ERR_SUCCESS)
        fprintf(stderr, "cdxr: %s: %s\n", path, exr_get_default_error_message(r));
    return r == EXR_ERR_SUCCESS;
}

bool image_write(const char *path, const float *pixels, uint32_t width, uint32_t height, enum image_transfer transfer,
                 float exposure)
{
    if (ends_with(path, ".exr"))
        return write_exr(path, pixels, width, height);
    return write_tone_mapped(path, pixels, width, height, transfer, exposure);
}

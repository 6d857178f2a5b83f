/* SPDX-License-Identifier: MIT
 * Containers: any bytes are read or refused with a reason; what is accepted lies inside the bytes. The hash is repaired,
 * so that it does not hide the rest from the fuzzer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dxil/bitstream.h"
#include "dxil/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

static void check_program(const struct dxil_container *container, bool prefer_debug)
{
    struct dxil_program program;
    struct reason reason = {{0}};
    if (dxil_container_program(container, prefer_debug, &program, &reason) != STATUS_OK) {
        if (!reason.text[0])
            abort();
        return;
    }
    struct bitstream stream;
    if (bitstream_read(program.bitcode, program.bitcode_bytes, &stream, &reason) != STATUS_OK) {
        if (!reason.text[0])
            abort();
        return;
    }
    uint8_t *written;
    size_t written_bytes;
    if (bitstream_write(&stream, &written, &written_bytes) == STATUS_OK)
        free(written);
    bitstream_finish(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_container container;
    struct reason reason = {{0}};
    uint8_t *copy = malloc(byte_count + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, byte_count);
    if (byte_count >= 32) {
        uint32_t said;
        memcpy(&said, copy + 24, 4);
        dxil_container_hash(copy, said >= 32 && said <= byte_count ? said : byte_count, copy + 4);
    }
    if (dxil_container_parse(copy, byte_count, &options, &container, &reason) == STATUS_OK) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < container.part_count; i++)
            for (uint32_t k = 0; k < container.parts[i].data_bytes; k += 4)
                sum += container.parts[i].data[k];
        if (sum == 0x12345678) /* keeps the reads */
            options.allow_unsigned = false;
        check_program(&container, false);
        check_program(&container, true);
    } else if (!reason.text[0]) {
        abort();
    }
    free(copy);
    return 0;
}

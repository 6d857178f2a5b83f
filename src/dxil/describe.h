/* SPDX-License-Identifier: MIT
 * Reading dx.* metadata: shared by describe.c and describe_resources.c. Internal to the room. */
#ifndef CDXR_DXIL_DESCRIBE_H
#define CDXR_DXIL_DESCRIBE_H

#include "dxil/reader.h"

/* The constant integer in a metadata value. */
bool metadata_integer(const struct ir_reader *r, const struct ir_metadata *metadata, uint64_t *integer);
/* Operand index of a node: an integer up to maximum, else it fails naming what. */
bool metadata_integer_at(struct ir_reader *r, const struct ir_metadata *node, uint32_t index, uint64_t maximum,
                         const char *what, uint64_t *integer);
/* The string, NULL if it is none. */
const char *metadata_text(const struct ir_metadata *metadata);

/* node: operand of dx.resources, NULL if the module has no resources. */
bool reader_resources(struct ir_reader *r, const struct ir_metadata *node);

#endif

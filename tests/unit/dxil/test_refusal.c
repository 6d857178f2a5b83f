/* SPDX-License-Identifier: MIT
 * What the module checker refuses, and how it names it: one changed record a case; and damage everywhere: truncated
 * bitcode, flipped bits, each with a right hash, so that the checker itself has to notice. */
#include "module_helpers.h"

#include "dxil/function.h"
#include "dxil/reader.h"

/* Index of the nth record with this code in a block of this kind; fails if there is none. */
static uint32_t find_record(const struct editable *e, uint32_t block, uint32_t code, uint32_t nth)
{
    uint32_t path[8], depth = 0;
    for (uint32_t i = 0; i < e->stream.item_count; i++) {
        const struct bitstream_item *item = &e->stream.items[i];
        if (item->kind == BITSTREAM_ITEM_ENTER)
            path[depth++] = item->code;
        else if (item->kind == BITSTREAM_ITEM_EXIT)
            depth--;
        else if (path[depth - 1] == block && item->code == code && nth-- == 0)
            return i;
    }
    fail_msg("no record %u in block %u", code, block);
    return 0;
}

struct change {
    const char *name;
    const char *file;
    uint32_t block, code, nth;
    enum { SET_OPERAND, SET_CODE, DROP, SHORTEN } what;
    uint32_t operand;
    uint64_t value;
    enum status status;
    const char *reason;
};

static const struct change changes[] = {
    {"unknown instruction", "01_hello_triangle.dxil", BLOCK_FUNCTION, CODE_RET, 0, SET_CODE, 0, 57, STATUS_CORRUPT,
     "unknown instruction record 57 in function ?RayGen@@YAXXZ"},
    {"indirect branch", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_BR, 0, SET_CODE, 0, 31, STATUS_CORRUPT,
     "unknown instruction record 31 in function QueryMain"},
    {"no terminator", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_RET, 0, DROP, 0, 0, STATUS_CORRUPT, "function QueryMain"},
    {"branch to nowhere", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_BR, 0, SET_OPERAND, 0, 5000, STATUS_CORRUPT,
     "branch to block 5000 of 36 in function QueryMain"},
    {"branch to the entry", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_BR, 0, SET_OPERAND, 0, 0, STATUS_CORRUPT,
     "branch to block 0"},
    {"operand from nowhere", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_CALL, 0, SET_OPERAND, 5, 0x80000000, STATUS_CORRUPT,
     "which does not exist"},
    {"unknown call flags", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_CALL, 0, SET_OPERAND, 1, 1 << 14, STATUS_CORRUPT,
     "call with the unknown flags 16384"},
    {"blocks not declared", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_DECLAREBLOCKS, 0, SET_OPERAND, 0, 35, STATUS_CORRUPT,
     "function QueryMain"},
    {"cast that is none", "08_pathtracer.dxil", BLOCK_FUNCTION, CODE_CAST, 0, SET_OPERAND, 2, 9, STATUS_CORRUPT,
     "cast 9 from"},
    {"variable of a pointer", "01_hello_triangle.dxil", BLOCK_FUNCTION, CODE_ALLOCA, 0, SET_OPERAND, 0, 14,
     STATUS_CORRUPT, "of a type that is no plain memory"},
    {"null pointer", "18_groupshared.dxil", BLOCK_CONSTANTS, 20, 0, SET_CODE, 0, 2, STATUS_CORRUPT,
     "null or undefined pointer as an operand"},
    {"integer of 24 bits", "13_rayquery.dxil", BLOCK_TYPES, 7, 0, SET_OPERAND, 0, 24, STATUS_CORRUPT, "type i24 is not known"},
    {"unknown type", "13_rayquery.dxil", BLOCK_TYPES, 2, 0, SET_CODE, 0, 13, STATUS_CORRUPT, "unknown type record 13"},
    {"type from later", "13_rayquery.dxil", BLOCK_TYPES, 8, 0, SET_OPERAND, 0, 60, STATUS_CORRUPT, "refers to type 60"},
    {"unknown constant", "13_rayquery.dxil", BLOCK_CONSTANTS, 4, 0, SET_CODE, 0, 10, STATUS_CORRUPT,
     "unknown constant record 10"},
    {"inline assembly", "13_rayquery.dxil", BLOCK_MODULE, 2, 0, SET_CODE, 0, 4, STATUS_CORRUPT, "unknown module record 4"},
    {"other target", "13_rayquery.dxil", BLOCK_MODULE, 2, 0, SET_OPERAND, 0, 'x', STATUS_CORRUPT, "another target"},
    {"other layout", "13_rayquery.dxil", BLOCK_MODULE, 3, 0, SET_OPERAND, 0, 'E', STATUS_CORRUPT, "unknown data layout"},
    {"unknown attribute", "13_rayquery.dxil", BLOCK_PARAMATTR_GROUP, 3, 0, SET_OPERAND, 3, 77, STATUS_CORRUPT,
     "unknown attribute 77"},
    {"function called by another name", "13_rayquery.dxil", BLOCK_SYMBOLS, 1, 1, SET_OPERAND, 1, 'e', STATUS_INVALID,
     "ex.op.allocateRayQuery"},
    {"unknown metadata", "08_pathtracer.sm66.dxil", BLOCK_METADATA, 1, 0, SET_CODE, 0, 40, STATUS_CORRUPT,
     "unknown metadata record 40"},
    {"metadata node of nothing", "13_rayquery.dxil", BLOCK_METADATA, 3, 1, SET_OPERAND, 0, 9999, STATUS_CORRUPT,
     "refers to metadata 9998"},
    {"linkage", "13_rayquery.dxil", BLOCK_MODULE, 8, 1, SET_OPERAND, 3, 7, STATUS_CORRUPT, "unknown linkage 7"},
    {"calling convention", "13_rayquery.dxil", BLOCK_MODULE, 8, 1, SET_OPERAND, 1, 70, STATUS_CORRUPT,
     "unknown calling convention 70"},
    {"garbage collector", "13_rayquery.dxil", BLOCK_MODULE, 8, 1, SET_OPERAND, 8, 1, STATUS_CORRUPT, "operand 8"},
    {"record cut short", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_PHI, 0, SHORTEN, 0, 2, STATUS_CORRUPT, "malformed phi"},
    {"phi without an entry", "13_rayquery.dxil", BLOCK_FUNCTION, CODE_PHI, 0, SHORTEN, 0, 3, STATUS_CORRUPT,
     "does not have an entry for every way"},
};

static void apply(struct editable *e, const struct change *change)
{
    struct bitstream_item *item = &e->stream.items[find_record(e, change->block, change->code, change->nth)];
    switch (change->what) {
    case SET_OPERAND:
        assert_true(change->operand < item->operand_count);
        e->stream.operands[item->operand_index + change->operand] = change->value;
        break;
    case SET_CODE:
        item->code = (uint32_t)change->value;
        break;
    case DROP:
        item->dropped = true;
        break;
    case SHORTEN:
        item->operand_count = (uint32_t)change->value;
        break;
    }
}

static void changed_records_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        const struct change *change = &changes[i];
        struct editable e = open_fixture(change->file, false);
        struct reason reason;
        apply(&e, change);
        enum status status = load_edited(&e, &reason);
        if (status != change->status || !strstr(reason.text, change->reason))
            fail_msg("case '%s': status %d, '%s'", change->name, status, reason.text);
        close_fixture(&e);
    }
}

/* Replace the number of an i32 constant, in the module or any function. */
static void replace_constant(struct editable *e, uint64_t from, uint64_t to)
{
    uint32_t replaced = 0, path[8], depth = 0;
    for (uint32_t i = 0; i < e->stream.item_count; i++) {
        const struct bitstream_item *item = &e->stream.items[i];
        if (item->kind == BITSTREAM_ITEM_ENTER)
            path[depth++] = item->code;
        else if (item->kind == BITSTREAM_ITEM_EXIT)
            depth--;
        else if (path[depth - 1] == BLOCK_CONSTANTS && item->code == 4 &&
                 e->stream.operands[item->operand_index] == from * 2) {
            e->stream.operands[item->operand_index] = to * 2;
            replaced++;
        }
    }
    assert_true(replaced > 0);
}

/* Make the nth call of three operands one with ray flags value (an operand, counted back) and the ray flags it had, 0, as
 * query flags. False: there is no such call. */
static bool change_query_call(struct editable *e, uint32_t nth, uint64_t value)
{
    const uint32_t call_of_three = 7; /* attributes, flags, type, callee, three operands */
    for (uint32_t i = 0; i < e->stream.item_count; i++) {
        const struct bitstream_item *item = &e->stream.items[i];
        if (item->kind != BITSTREAM_ITEM_RECORD || item->code != CODE_CALL || item->operand_count != call_of_three || nth--)
            continue;
        uint64_t *operands = &e->stream.operands[item->operand_index];
        operands[6] = operands[5];
        operands[5] = value;
        return true;
    }
    return false;
}

/* Some value of fixture 24 is the constant 0x400. */
static void forced_micromap_states_need_micromaps(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (uint32_t nth = 0; nth < 3; nth++)
        for (uint64_t value = 1; value < 120; value++) {
            struct editable e = open_fixture("24_omm.dxil", false);
            struct reason reason = {{0}};
            if (change_query_call(&e, nth, value))
                refused += load_edited(&e, &reason) == STATUS_INVALID &&
                           strstr(reason.text, "RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS");
            close_fixture(&e);
        }
    assert_int_equal(refused, 1);
}

static void opcodes_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *file;
        uint32_t from, to;
        enum status status;
        const char *reason;
    } cases[] = {
        {"unknown number", "13_rayquery.dxil", 178, 999, STATUS_UNSUPPORTED,
         "dx.op opcode 999 (called through dx.op.allocateRayQuery in function QueryMain) is not known"},
        {"reserved number", "13_rayquery.dxil", 178, 226, STATUS_UNSUPPORTED, "opcode 226"},
        {"other class", "13_rayquery.dxil", 178, 181, STATUS_CORRUPT,
         "opcode 181 RayQuery_Abort is called through dx.op.allocateRayQuery"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct editable e = open_fixture(cases[i].file, false);
        struct reason reason;
        replace_constant(&e, cases[i].from, cases[i].to);
        enum status status = load_edited(&e, &reason);
        if (status != cases[i].status || !strstr(reason.text, cases[i].reason))
            fail_msg("case '%s': status %d, '%s'", cases[i].name, status, reason.text);
        close_fixture(&e);
    }
}

/* The same module with an earlier shader model in its header and its metadata (a constant of the module). */
static void operations_need_their_shader_model(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t from, to;
        const char *reason;
    } cases[] = {
        {"29_sm68_extras.dxil", 8, 5, "needs shader model 6.6, the module has 6.5"},
        {"13_rayquery.dxil", 5, 1, "needs shader model 6.2, the module has 6.1"},
        {"28_vectors69.dxil", 9, 8, "needs shader model 6.9, the module has 6.8"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct editable e = open_fixture(cases[i].file, false);
        struct reason reason;
        e.program.minor = cases[i].to;
        replace_constant(&e, cases[i].from, cases[i].to);
        enum status status = load_edited(&e, &reason);
        if (status != STATUS_INVALID || !strstr(reason.text, cases[i].reason))
            fail_msg("%s: status %d, '%s'", cases[i].file, status, reason.text);
        close_fixture(&e);
    }
}

static void header_and_module_must_agree(void **state)
{
    (void)state;
    struct editable e = open_fixture("13_rayquery.dxil", false);
    struct reason reason;
    e.program.minor = 4;
    assert_int_equal(load_edited(&e, &reason), STATUS_CORRUPT);
    assert_non_null(strstr(reason.text, "program header says compute 6.4, the module says cs_6_5"));
    close_fixture(&e);
}

/* Field case: a query object kept in a struct makes the compiler emit an undefined handle. */
static void undefined_ray_query_is_refused(void **state)
{
    (void)state;
    struct editable e = open_fixture("13_rayquery.dxil", false);
    struct reason reason;
    /* rayQuery_Abort(181, query): let the query be an undef i32 of the function's constants, the first of them. */
    uint32_t call = IR_NONE;
    for (uint32_t i = 0, in_function = 0; i < e.stream.item_count && call == IR_NONE; i++) {
        const struct bitstream_item *item = &e.stream.items[i];
        if (item->kind == BITSTREAM_ITEM_ENTER && item->code == BLOCK_FUNCTION)
            in_function = i;
        /* i1 rayQuery_Proceed(i32 180, i32 query): type 30 of the table */
        if (in_function && item->kind == BITSTREAM_ITEM_RECORD && item->code == CODE_CALL && item->operand_count == 6 &&
            e.stream.operands[item->operand_index + 2] == 30)
            call = i;
    }
    assert_int_not_equal(call, IR_NONE);
    /* Operand 3 is the distance to the function, whose value is 12; the undef is the first constant of the function. */
    uint64_t *operands = e.stream.operands + e.stream.items[call].operand_index;
    uint64_t here = operands[3] + 12, first_constant = 38;
    operands[5] = here - first_constant;
    enum status status = load_edited(&e, &reason);
    if (status != STATUS_INVALID || !strstr(reason.text, "ray query is undefined"))
        fail_msg("status %d, '%s'", status, reason.text);
    close_fixture(&e);
}

/* No crash, always a reason: bitcode cut at every word. */
static void truncated_bitcode_is_refused(void **state)
{
    (void)state;
    struct editable e = open_fixture("01_hello_triangle.dxil", false);
    for (uint32_t length = 0; length < e.program.bitcode_bytes; length++) {
        struct reason reason = {{0}};
        struct bitstream stream = {0};
        uint8_t *copy = malloc(length + 1);
        memcpy(copy, e.program.bitcode, length);
        assert_int_not_equal(bitstream_read(copy, length & ~3u, &stream, &reason), STATUS_OK);
        assert_true(reason.text[0] != 0);
        free(copy);
    }
    close_fixture(&e);
}

/* Every fifth bit of the bitcode flipped, hash repaired: accepted or refused with a reason. */
static void flipped_bits_have_a_reason(void **state)
{
    (void)state;
    static const char *const files[] = {"01_hello_triangle.zi.dxil", "18_groupshared.dxil", "25_control_flow.dxil"};
    uint32_t refused = 0, total = 0;
    for (size_t f = 0; f < ARRAY_COUNT(files); f++) {
        size_t byte_count;
        uint8_t *bytes = load_fixture(files[f], &byte_count);
        for (size_t bit = 32 * 8; bit < byte_count * 8; bit += 41) {
            struct dxil_module *module = NULL;
            struct reason reason = {{0}};
            struct dxil_options options = {.prefer_debug = f == 0};
            uint32_t said;
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            memcpy(&said, bytes + 24, 4);
            dxil_container_hash(bytes, said <= byte_count && said >= 32 ? said : byte_count, bytes + 4);
            enum status status = dxil_module_create(bytes, byte_count, &options, &module, &reason);
            assert_int_equal(status == STATUS_OK, reason.text[0] == 0);
            assert_int_equal(status == STATUS_OK, module != NULL);
            refused += status != STATUS_OK;
            total++;
            dxil_module_destroy(module);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        free(bytes);
    }
    assert_true(refused > total / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_records_are_refused_by_name),
        cmocka_unit_test(forced_micromap_states_need_micromaps),
        cmocka_unit_test(opcodes_are_refused_by_name),
        cmocka_unit_test(operations_need_their_shader_model),
        cmocka_unit_test(header_and_module_must_agree),
        cmocka_unit_test(undefined_ray_query_is_refused),
        cmocka_unit_test(truncated_bitcode_is_refused),
        cmocka_unit_test(flipped_bits_have_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

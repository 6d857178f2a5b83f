/* SPDX-License-Identifier: MIT
 * Containers: hashes of every fixture, hash policy, part table, and what damage says. */
#include "module_helpers.h"

#include <dirent.h>

#define FIXTURE "01_hello_triangle.dxil"

static enum status parse(const uint8_t *bytes, size_t byte_count, const struct dxil_options *options, struct reason *reason)
{
    struct dxil_container container;
    memset(reason, 0, sizeof(*reason));
    return dxil_container_parse(bytes, byte_count, options, &container, reason);
}

static void hashes_of_fixtures_match(void **state)
{
    (void)state;
    DIR *folder = opendir(CDXR_FIXTURES "/dxil");
    assert_non_null(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".dxil") != 0)
            continue;
        size_t byte_count;
        uint8_t *bytes = load_fixture(entry->d_name, &byte_count), digest[16];
        bool preview = strstr(entry->d_name, "preview") != NULL;
        dxil_container_hash(bytes, byte_count, digest);
        assert_int_equal(memcmp(digest, bytes + 4, 16) == 0, !preview);
        free(bytes);
        count++;
    }
    closedir(folder);
    assert_int_equal(count, 53);
}

/* Lengths around the padding's two cases; digests by the reference routine of the DXIL validator's documentation are the
 * fixtures above, so here only: every byte counts. */
static void every_byte_counts_in_the_hash(void **state)
{
    (void)state;
    for (size_t length = 20; length < 20 + 140; length++) {
        uint8_t bytes[160] = {0}, first[16], second[16];
        dxil_container_hash(bytes, length, first);
        for (size_t i = 20; i < length; i++) {
            bytes[i] = 1;
            dxil_container_hash(bytes, length, second);
            assert_memory_not_equal(first, second, 16);
            bytes[i] = 0;
        }
    }
}

static void hash_policy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int fill; /* of the digest, -1: as it is */
        struct dxil_options options;
        enum status status;
        enum dxil_hash_kind kind;
    } cases[] = {
        {"signed", -1, {0}, STATUS_OK, DXIL_HASH_KIND_SIGNED},
        {"unsigned is refused", 0, {0}, STATUS_INVALID, 0},
        {"unsigned is allowed", 0, {.allow_unsigned = true}, STATUS_OK, DXIL_HASH_KIND_UNSIGNED},
        {"bypass", 1, {0}, STATUS_OK, DXIL_HASH_KIND_BYPASS},
        {"preview", 2, {0}, STATUS_OK, DXIL_HASH_KIND_PREVIEW},
        {"preview is refused", 2, {.refuse_preview = true}, STATUS_INVALID, 0},
        {"wrong", 3, {.allow_unsigned = true}, STATUS_CORRUPT, 0},
    };
    size_t byte_count;
    uint8_t *bytes = load_fixture(FIXTURE, &byte_count);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct dxil_container container = {0};
        struct reason reason = {{0}};
        if (cases[i].fill >= 0)
            memset(bytes + 4, cases[i].fill, 16);
        enum status status = dxil_container_parse(bytes, byte_count, &cases[i].options, &container, &reason);
        if (status != cases[i].status || (status == STATUS_OK && container.hash_kind != cases[i].kind))
            fail_msg("case '%s': status %d, %s", cases[i].name, status, reason.text);
        assert_int_equal(reason.text[0] == 0, status == STATUS_OK);
    }
    free(bytes);
}

static void environment_allows_unsigned(void **state)
{
    (void)state;
    unsetenv("CDXR_UNSIGNED_DXIL");
    assert_false(dxil_options_default().allow_unsigned);
    setenv("CDXR_UNSIGNED_DXIL", "1", 1);
    assert_true(dxil_options_default().allow_unsigned);
    unsetenv("CDXR_UNSIGNED_DXIL");
}

static void environment_prefers_debug(void **state)
{
    (void)state;
    assert_false(dxil_options_default().prefer_debug);
    setenv("CDXR_SHADER_DEBUG", "1", 1);
    assert_true(dxil_options_default().prefer_debug);
    unsetenv("CDXR_SHADER_DEBUG");
}

/* Last of all: it cannot be taken back. */
static void experimental_features_allow_unsigned(void **state)
{
    (void)state;
    assert_false(dxil_options_default().allow_unsigned);
    dxil_enable_unsigned();
    assert_true(dxil_options_default().allow_unsigned);
}

static void parts_are_found(void **state)
{
    (void)state;
    static const char *const names[] = {"SFI0", "VERS", "RDAT", "ILDB", "STAT", "ILDN", "HASH", "DXIL"};
    size_t byte_count;
    uint8_t *bytes = load_fixture("01_hello_triangle.zi.dxil", &byte_count);
    struct dxil_container container;
    assert_int_equal(dxil_container_parse(bytes, byte_count, NULL, &container, NULL), STATUS_OK);
    assert_int_equal(container.part_count, ARRAY_COUNT(names));
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        uint32_t fourcc;
        memcpy(&fourcc, names[i], 4);
        assert_ptr_equal(dxil_container_find(&container, fourcc), &container.parts[i]);
    }
    assert_null(dxil_container_find(&container, DXIL_PART_KIND_ROOT_SIGNATURE));
    free(bytes);
}

static void debug_program_is_chosen_when_asked(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = load_fixture("01_hello_triangle.zi.dxil", &byte_count);
    struct dxil_container container;
    struct dxil_program plain, debug;
    assert_int_equal(dxil_container_parse(bytes, byte_count, NULL, &container, NULL), STATUS_OK);
    assert_int_equal(dxil_container_program(&container, false, &plain, NULL), STATUS_OK);
    assert_int_equal(dxil_container_program(&container, true, &debug, NULL), STATUS_OK);
    assert_false(plain.debug);
    assert_true(debug.debug);
    assert_true(debug.bitcode_bytes > plain.bitcode_bytes);
    free(bytes);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = load_fixture(FIXTURE, &byte_count);
    for (size_t length = 0; length < byte_count; length++) {
        struct reason reason;
        uint8_t *copy = malloc(length + 1); /* exact, so that a sanitizer sees reads behind it */
        memcpy(copy, bytes, length);
        assert_int_not_equal(parse(copy, length, NULL, &reason), STATUS_OK);
        assert_true(reason.text[0] != 0);
        free(copy);
    }
    free(bytes);
}

static void every_flipped_bit_breaks_the_hash(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = load_fixture(FIXTURE, &byte_count);
    for (size_t bit = 0; bit < byte_count * 8; bit += 7) {
        struct reason reason;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(parse(bytes, byte_count, NULL, &reason), STATUS_CORRUPT);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(bytes);
}

struct damage {
    const char *name;
    uint32_t offset, value;
    const char *reason; /* piece of the message */
};

static void damage_is_named(void **state)
{
    (void)state;
    static const struct damage cases[] = {
        {"magic", 0, 0x20202020, "begin with '    '"},
        {"version", 20, 2, "version 2.0"},
        {"size beyond the bytes", 24, 0x7fffffff, "says it has 2147483647 bytes"},
        {"size below the header", 24, 31, "says it has 31 bytes"},
        {"too many parts", 28, 65, "65 parts"},
        {"offset outside", 32, 0xfffffffc, "part 0 starts at offset"},
        {"offset unaligned", 32, 57, "part 0 starts at offset"},
        {"size of a part", 60, 0xffffff00, "part 0 (SFI0)"},
    };
    size_t byte_count;
    uint8_t *original = load_fixture(FIXTURE, &byte_count);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct reason reason;
        struct dxil_options options = {.allow_unsigned = true};
        uint8_t *bytes = malloc(byte_count);
        memcpy(bytes, original, byte_count);
        memset(bytes + 4, 0, 16);
        memcpy(bytes + cases[i].offset, &cases[i].value, 4);
        enum status status = parse(bytes, byte_count, &options, &reason);
        if (status != STATUS_CORRUPT || !strstr(reason.text, cases[i].reason))
            fail_msg("case '%s': status %d, '%s'", cases[i].name, status, reason.text);
        free(bytes);
    }
    free(original);
}

static void missing_programs_are_named(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = load_fixture(FIXTURE, &byte_count);
    struct dxil_container container;
    struct dxil_program program;
    struct reason reason = {{0}};
    assert_int_equal(dxil_container_parse(bytes, byte_count, NULL, &container, NULL), STATUS_OK);
    for (uint32_t i = 0; i < container.part_count; i++)
        if (container.parts[i].fourcc == DXIL_PART_KIND_PROGRAM)
            container.parts[i].fourcc = DXIL_FOURCC('S', 'H', 'E', 'X');
    assert_int_equal(dxil_container_program(&container, false, &program, &reason), STATUS_UNSUPPORTED);
    assert_non_null(strstr(reason.text, "DXBC bytecode"));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_fixtures_match),      cmocka_unit_test(every_byte_counts_in_the_hash),
        cmocka_unit_test(hash_policy),                   cmocka_unit_test(environment_allows_unsigned),
        cmocka_unit_test(environment_prefers_debug),
        cmocka_unit_test(parts_are_found),               cmocka_unit_test(debug_program_is_chosen_when_asked),
        cmocka_unit_test(every_truncation_is_refused),   cmocka_unit_test(every_flipped_bit_breaks_the_hash),
        cmocka_unit_test(damage_is_named),               cmocka_unit_test(missing_programs_are_named),
        cmocka_unit_test(experimental_features_allow_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Runs a fuzz target over files and folders of inputs, without libFuzzer: the corpus as a regression test. With
 * `--mutate COUNT SEED` in front it then runs COUNT random mutations of them: many more executions a second than with coverage
 * instrumentation. A crashing mutation is in the file mutation-NUMBER when CDXR_KEEP_MUTATION=1 writes each before it runs. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

struct input {
    uint8_t *bytes;
    size_t byte_count;
};

static struct input *inputs; /* all that were replayed, when they are to be mutated */
static size_t input_count, input_capacity;

static void keep(uint8_t *bytes, size_t byte_count)
{
    if (input_count == input_capacity) {
        input_capacity = input_capacity ? input_capacity * 2 : 256;
        inputs = realloc(inputs, input_capacity * sizeof(*inputs));
        if (!inputs)
            abort();
    }
    inputs[input_count++] = (struct input){bytes, byte_count};
}

static int replay_file(const char *path, int keeping)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return perror(path), 1;
    long byte_count = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(byte_count > 0 ? (size_t)byte_count : 1); /* exactly as long: a sanitizer sees every overrun */
    int failed = !bytes || fread(bytes, 1, (size_t)byte_count, file) != (size_t)byte_count;
    fclose(file);
    if (!failed)
        LLVMFuzzerTestOneInput(bytes, (size_t)byte_count);
    if (keeping && !failed)
        keep(bytes, (size_t)byte_count);
    else
        free(bytes);
    return failed;
}

/* ---- mutations ---- */

static uint64_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return below ? (uint32_t)(random_state >> 33) % below : 0;
}

static size_t mutate_once(uint8_t *bytes, size_t count, size_t room)
{
    static const uint32_t words[] = {0, 1, 2, 0x7F, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x7F800000, 0x7FC00000};
    uint32_t at = next_random((uint32_t)count), length = 1 + next_random(16);
    uint32_t word = words[next_random(sizeof(words) / sizeof(words[0]))];
    const struct input *other = &inputs[next_random((uint32_t)input_count)];
    if (!count)
        return count;
    switch (next_random(7)) {
    case 0: bytes[at] ^= (uint8_t)(1u << next_random(8)); return count;
    case 1: bytes[at] = (uint8_t)next_random(256); return count;
    case 2:
        if (at + 4 <= count)
            memcpy(bytes + at, &word, 1 + next_random(4));
        return count;
    case 3: /* cut out */
        length = at + length > count ? (uint32_t)count - at : length;
        memmove(bytes + at, bytes + at + length, count - at - length);
        return count - length;
    case 4: /* repeat */
        if (at + length > count || count + length > room)
            return count;
        memmove(bytes + at + length, bytes + at, count - at);
        return count + length;
    case 5: return at + 1;
    default: /* the end of another input */
        if (!other->byte_count)
            return count;
        length = next_random((uint32_t)other->byte_count);
        length = at + length > room ? (uint32_t)(room - at) : length;
        memcpy(bytes + at, other->bytes + other->byte_count - length, length);
        return at + length;
    }
}

static void write_mutation(uint64_t number, const uint8_t *bytes, size_t count)
{
    char path[64];
    snprintf(path, sizeof(path), "mutation-%llu", (unsigned long long)number);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(bytes, 1, count, file);
        fclose(file);
    }
}

static void run_mutations(uint64_t count, uint64_t seed)
{
    enum { MAX_BYTES = 4096 };
    int keeping = getenv("CDXR_KEEP_MUTATION") != NULL;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t scratch[MAX_BYTES];
        random_state = (seed + i) * 0x9E3779B97F4A7C15u; /* each number alone gives its input again */
        next_random(1);
        const struct input *base = &inputs[next_random((uint32_t)input_count)];
        size_t length = base->byte_count > MAX_BYTES ? MAX_BYTES : base->byte_count;
        memcpy(scratch, base->bytes, length);
        for (uint32_t k = 1 + next_random(6); k; k--)
            length = mutate_once(scratch, length, MAX_BYTES);
        uint8_t *bytes = malloc(length ? length : 1);
        if (!bytes)
            abort();
        memcpy(bytes, scratch, length);
        if (keeping)
            write_mutation(seed + i, bytes, length);
        LLVMFuzzerTestOneInput(bytes, length);
        free(bytes);
        if ((i + 1) % 100000 == 0) {
            printf("%llu done\n", (unsigned long long)(i + 1));
            fflush(stdout);
        }
    }
    printf("%llu mutations of %zu inputs, seed %llu\n", (unsigned long long)count, input_count, (unsigned long long)seed);
}

static int replay_path(const char *path, int keeping)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return perror(path), 1;
    if (!S_ISDIR(status.st_mode))
        return replay_file(path, keeping);
    DIR *folder = opendir(path);
    int failed = !folder;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        failed |= replay_path(inner, keeping);
    }
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, first = 1;
    uint64_t count = 0, seed = 0;
    if (argc > 3 && strcmp(argv[1], "--mutate") == 0) {
        count = strtoull(argv[2], NULL, 0);
        seed = strtoull(argv[3], NULL, 0);
        first = 4;
    }
    for (int i = first; i < argc; i++)
        failed |= replay_path(argv[i], count != 0);
    if (input_count)
        run_mutations(count, seed);
    for (size_t i = 0; i < input_count; i++)
        free(inputs[i].bytes);
    free(inputs);
    return failed;
}

/* SPDX-License-Identifier: MIT
 * Runs a fuzz target over files and folders of inputs, without libFuzzer: the corpus as a regression test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

static int replay_file(const char *path)
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
    free(bytes);
    return failed;
}

static int replay_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return perror(path), 1;
    if (!S_ISDIR(status.st_mode))
        return replay_file(path);
    DIR *folder = opendir(path);
    int failed = !folder;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        failed |= replay_path(inner);
    }
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay_path(argv[i]);
    return failed;
}

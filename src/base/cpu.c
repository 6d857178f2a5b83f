/* SPDX-License-Identifier: MIT */
#include "base/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"

static const char *const isa_names[CPU_ISA_COUNT] = {"scalar", "sse42", "avx2", "avx512", "neon"};
static pthread_once_t cpu_once = PTHREAD_ONCE_INIT;
static enum cpu_isa best_isa, detected_isa;
static char model_name[128] = "unknown";

static enum cpu_isa detect(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return CPU_ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return CPU_ISA_AVX2;
    if (__builtin_cpu_supports("sse4.2"))
        return CPU_ISA_SSE42;
    return CPU_ISA_SCALAR;
#elif defined(__aarch64__)
    return CPU_ISA_NEON;
#else
    return CPU_ISA_SCALAR;
#endif
}

static void read_model_name(void)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof(line), file)) {
        char *colon = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(model_name, sizeof(model_name), "%s", colon + 2);
        model_name[strcspn(model_name, "\n")] = 0;
        break;
    }
    if (file)
        fclose(file);
}

static void cpu_init(void)
{
    read_model_name();
    detected_isa = best_isa = detect();
    int wanted = environment_choice("CDXR_ISA", isa_names, CPU_ISA_COUNT, best_isa);
    if (wanted == CPU_ISA_SCALAR || (wanted <= (int)best_isa && best_isa != CPU_ISA_NEON))
        best_isa = (enum cpu_isa)wanted;
    else if (wanted != (int)best_isa)
        environment_warn("CDXR_ISA", isa_names[wanted], "an instruction set of this CPU");
}

enum cpu_isa cpu_isa_best(void)
{
    pthread_once(&cpu_once, cpu_init);
    return best_isa;
}

enum cpu_isa cpu_isa_detected(void)
{
    pthread_once(&cpu_once, cpu_init);
    return detected_isa;
}

const char *cpu_isa_name(enum cpu_isa isa)
{
    return isa < CPU_ISA_COUNT ? isa_names[isa] : "unknown";
}

const char *cpu_model_name(void)
{
    pthread_once(&cpu_once, cpu_init);
    return model_name;
}

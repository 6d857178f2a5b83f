/* SPDX-License-Identifier: MIT */
#include "base/environment.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { WARNED_VARIABLES = 32 };

static pthread_mutex_t warned_mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *warned[WARNED_VARIABLES]; /* literals of the callers */

static bool first_warning(const char *name)
{
    bool is_first = true;
    int i = 0;
    pthread_mutex_lock(&warned_mutex);
    for (; i < WARNED_VARIABLES && warned[i]; i++)
        if (strcmp(warned[i], name) == 0)
            is_first = false;
    if (is_first && i < WARNED_VARIABLES)
        warned[i] = name;
    pthread_mutex_unlock(&warned_mutex);
    return is_first;
}

void environment_warn(const char *name, const char *value, const char *rule)
{
    if (first_warning(name))
        log_warn("environment variable %s is '%s': must be %s; the default is used", name, value, rule);
}

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_one_of(const char *value, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, words[i]) == 0)
            return true;
    return false;
}

bool environment_flag(const char *name)
{
    static const char *const on[] = {"1", "on", "yes", "true"}, *const off[] = {"0", "off", "no", "false"};
    const char *value = value_of(name);
    if (!value || is_one_of(value, off, ARRAY_COUNT(off)))
        return false;
    if (is_one_of(value, on, ARRAY_COUNT(on)))
        return true;
    environment_warn(name, value, "0 or 1");
    return false;
}

double environment_number(const char *name, double least, double most, double fallback)
{
    const char *value = value_of(name);
    if (!value)
        return fallback;
    char *end, rule[64];
    double number = strtod(value, &end);
    if (!*end && number >= least && number <= most)
        return number;
    snprintf(rule, sizeof(rule), "a number from %g to %.0f", least, most);
    environment_warn(name, value, rule);
    return fallback;
}

uint32_t environment_count(const char *name, uint32_t least, uint32_t most, uint32_t fallback)
{
    double number = environment_number(name, least, most, fallback);
    if (number == floor(number))
        return (uint32_t)number;
    environment_warn(name, getenv(name), "a whole number");
    return fallback;
}

int environment_choice(const char *name, const char *const *choices, int choice_count, int fallback)
{
    const char *value = value_of(name);
    if (!value)
        return fallback;
    char rule[128] = "one of";
    for (int i = 0; i < choice_count; i++) {
        if (strcmp(value, choices[i]) == 0)
            return i;
        size_t length = strlen(rule);
        snprintf(rule + length, sizeof(rule) - length, " %s", choices[i]);
    }
    environment_warn(name, value, rule);
    return fallback;
}

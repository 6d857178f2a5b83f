/* SPDX-License-Identifier: MIT
 * Settings from the environment, CDXR_*. A value that the variable does not take is named in one warning, once a
 * process and variable, and the default is used. Any thread. */
#ifndef CDXR_BASE_ENVIRONMENT_H
#define CDXR_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* 1, on, yes, true; unset, empty, 0, off, no, false. */
bool environment_flag(const char *name);
/* A decimal number from least to most; fallback where it is unset, empty or wrong. */
double environment_number(const char *name, double least, double most, double fallback);
/* The same for whole numbers. */
uint32_t environment_count(const char *name, uint32_t least, uint32_t most, uint32_t fallback);
/* The place of the value in choices[choice_count]; fallback where it is unset, empty or wrong. */
int environment_choice(const char *name, const char *const *choices, int choice_count, int fallback);
/* Warn once that name's value is not used. rule: what the value must be. */
void environment_warn(const char *name, const char *value, const char *rule);

#endif

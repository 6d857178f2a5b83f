/* SPDX-License-Identifier: MIT */
#include "validate/rules.h"

static const struct rule_info rules[RULE_COUNT] = {
#define X(name, severity, category, number)                                                                  \
    {#name, MESSAGE_SEVERITY_##severity, MESSAGE_CATEGORY_##category, number},
    VALIDATE_RULES(X)
#undef X
};

const struct rule_info *rule_info_of(enum rule rule)
{
    return &rules[rule];
}

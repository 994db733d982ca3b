// SPDX-License-Identifier: BSD-2-Clause
/* policy_name.c: the names of policies in machine files, and which policy goes with which set. */
#include "tests/silicon/policy.h"
#include <stdio.h>
#include <string.h>

enum { MAX_GROUPS = 255 };

/* Is `word` next? Then goes past it. */
static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool take_digit(const char **at, unsigned most, uint8_t *digit)
{
    if (**at < '0' || (unsigned)(**at - '0') > most)
        return false;
    *digit = (uint8_t)(*(*at)++ - '0');
    return true;
}

static bool take_number(const char **at, unsigned *number)
{
    const char *start = *at;

    for (*number = 0; **at >= '0' && **at <= '9' && *number <= MAX_POLICY_WAYS; ++*at)
        *number = *number * 10 + (unsigned)(**at - '0');
    return *at != start && *number >= 1 && *number <= MAX_POLICY_WAYS;
}

/* After "QLRU_H": xy_Mm_Rr_Uu, and _UMO perhaps. */
static bool parse_ages(struct policy *policy, const char *at)
{
    policy->kind = POLICY_QLRU;
    policy->fills_empty = true;
    if (!take_digit(&at, 2, &policy->hit3) || !take_digit(&at, 1, &policy->hit2) || policy->hit2 > policy->hit3 ||
        !take(&at, "_M"))
        return false;
    policy->random_insert = take(&at, "R");
    if (!take_digit(&at, 3, &policy->insert) ||
        (policy->random_insert && (!take_digit(&at, 2, &policy->insert_rare) || policy->insert_rare >= policy->insert)))
        return false;
    if (!take(&at, "_R") || !take_digit(&at, 2, &policy->replace) || !take(&at, "_U") ||
        !take_digit(&at, 3, &policy->update))
        return false;
    policy->miss_only = take(&at, "_UMO");
    return *at == 0;
}

/* LRUnPLRUm, NEXTnPLRUm, and the same with RANDOM for PLRU. */
static bool parse_groups(struct policy *policy, const char *at)
{
    policy->kind = POLICY_GROUPED;
    policy->fills_empty = true;
    policy->next_group = take(&at, "NEXT");
    if ((!policy->next_group && !take(&at, "LRU")) || !take_number(&at, &policy->groups))
        return false;
    policy->random_inside = take(&at, "RANDOM");
    return (policy->random_inside || take(&at, "PLRU")) && take_number(&at, &policy->group) && *at == 0;
}

bool policy_parse(struct policy *policy, const char *name)
{
    static const struct {
        const char *name;
        enum policy_kind kind;
        bool fills_empty, late;
    } simple[] = {
        {"LRU", POLICY_LRU, true, false},         {"FIFO", POLICY_FIFO, true, false},
        {"RANDOM", POLICY_RANDOM, false, false},  {"RANDOMl", POLICY_RANDOM, true, false},
        {"PLRU", POLICY_TREE_PLRU, false, false}, {"PLRUl", POLICY_TREE_PLRU, true, false},
        {"MRU", POLICY_MRU, true, false},         {"MRU_N", POLICY_MRU, true, true},
        {"NRU", POLICY_NRU, true, false},
    };

    memset(policy, 0, sizeof *policy);
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(name, simple[i].name) == 0) {
            policy->kind = simple[i].kind;
            policy->fills_empty = simple[i].fills_empty;
            policy->late = simple[i].late;
            return true;
        }
    if (take(&name, "QLRU_H"))
        return parse_ages(policy, name);
    return parse_groups(policy, name);
}

void policy_name(const struct policy *policy, char *name, size_t capacity)
{
    static const char *const plain[] = {[POLICY_LRU] = "LRU",        [POLICY_FIFO] = "FIFO", [POLICY_RANDOM] = "RANDOM",
                                        [POLICY_TREE_PLRU] = "PLRU", [POLICY_MRU] = "MRU",   [POLICY_NRU] = "NRU"};
    const char *suffix = "";
    char insert[8];

    switch (policy->kind) {
    case POLICY_RANDOM:
    case POLICY_TREE_PLRU:
        suffix = policy->fills_empty ? "l" : "";
        break;
    case POLICY_MRU:
        suffix = policy->late ? "_N" : "";
        break;
    case POLICY_QLRU:
        if (policy->random_insert)
            snprintf(insert, sizeof insert, "R%u%u", policy->insert % 10U, policy->insert_rare % 10U);
        else
            snprintf(insert, sizeof insert, "%u", policy->insert % 10U);
        snprintf(name, capacity, "QLRU_H%u%u_M%s_R%u_U%u%s", policy->hit3, policy->hit2, insert, policy->replace,
                 policy->update, policy->miss_only ? "_UMO" : "");
        return;
    case POLICY_GROUPED:
        snprintf(name, capacity, "%s%u%s%u", policy->next_group ? "NEXT" : "LRU", policy->groups,
                 policy->random_inside ? "RANDOM" : "PLRU", policy->group);
        return;
    case POLICY_LRU:
    case POLICY_FIFO:
    case POLICY_NRU:
        break;
    }
    snprintf(name, capacity, "%s%s", plain[policy->kind], suffix);
}

const char *policy_suits(const struct policy *policy, unsigned ways)
{
    if (ways < 1 || ways > MAX_POLICY_WAYS)
        return "a set has 1 to 4096 ways";
    if (policy->kind == POLICY_QLRU && policy->replace != 1 && policy->update > 1)
        return "of QLRU, R0 and R2 need U0 or U1: with U2 and U3 there may be no way of age 3";
    if (policy->kind == POLICY_QLRU && (policy->hit3 > 3 || policy->hit2 > 3 || policy->insert > 3 ||
                                        policy->insert_rare > 3 || policy->replace > 2 || policy->update > 3))
        return "ages are 0 to 3";
    if (policy->kind != POLICY_GROUPED)
        return NULL;
    if (policy->groups < 1 || policy->groups > MAX_GROUPS || policy->group < 1)
        return "a set has 1 to 255 groups of at least one way";
    return (uint64_t)policy->groups * policy->group == ways ? NULL : "the groups have more or fewer ways than the set";
}

/* Whose state means the same as whose: LRU and FIFO keep an order, MRU and NRU a bit for each way. */
static enum policy_kind state_kind(const struct policy *policy)
{
    if (policy->kind == POLICY_FIFO)
        return POLICY_LRU;
    return policy->kind == POLICY_NRU ? POLICY_MRU : policy->kind;
}

/* A way that came in under RANDOM has no place in an order, so that LRU could not name the oldest one afterwards. Trees
 * and ages go on from what they were. */
static bool bears_random(const struct policy *policy)
{
    return policy->kind == POLICY_RANDOM || policy->kind == POLICY_TREE_PLRU || policy->kind == POLICY_NRU ||
           policy->kind == POLICY_QLRU || (policy->kind == POLICY_MRU && !policy->late);
}

bool policy_compatible(const struct policy *one, const struct policy *other)
{
    if (one->kind == POLICY_RANDOM || other->kind == POLICY_RANDOM)
        return bears_random(one) && bears_random(other);
    return state_kind(one) == state_kind(other) && one->late == other->late && one->groups == other->groups &&
           one->group == other->group && one->next_group == other->next_group &&
           one->random_inside == other->random_inside;
}

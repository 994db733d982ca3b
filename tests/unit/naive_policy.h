// SPDX-License-Identifier: BSD-2-Clause
/* naive_policy.h: a second implementation of all replacement policies, for the tests of the model's: written for
 * nothing but to be obviously right, with lists of lines and one number for each age. Rules and names are those of the
 * cache simulator of uops.info. Lines are numbers from 1; 0 is none. */
#pragma once
#include "base/random.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, LEVELS = 10 };

/* A tree-PLRU of its own set of lines: bit[level][position]. */
struct tree {
    int ways, levels;
    int bit[LEVELS][MOST];
    uint64_t line[MOST];
};

struct naive {
    char name[40];
    int ways, groups, held;
    uint64_t line[MOST]; /* by way; LRU and FIFO: a list, first the one to stay longest */
    int age[MOST];
    struct tree tree[MOST];
    int order[MOST]; /* of groups, most recently used first */
    struct random random;
};

static int ends_with(const char *name, const char *end)
{
    size_t all = strlen(name), part = strlen(end);

    return all >= part && strcmp(name + all - part, end) == 0;
}

static int find(const uint64_t *line, int ways, uint64_t wanted)
{
    for (int way = 0; way < ways; way++)
        if (line[way] == wanted)
            return way;
    return -1;
}

static void tree_start(struct tree *tree, int ways)
{
    memset(tree, 0, sizeof *tree);
    tree->ways = ways;
    while (1 << tree->levels < ways)
        tree->levels++;
}

static int tree_choice(const struct tree *tree)
{
    int position = 0;

    for (int level = 0; level < tree->levels; level++)
        position = 2 * position + tree->bit[level][position];
    return position >= tree->ways ? tree->ways - 1 : position;
}

/* Returns what was pushed out. random: chooses the way of a full tree; NULL: its bits do. */
static uint64_t tree_access(struct tree *tree, uint64_t line, bool fills_empty, struct random *random)
{
    int way = find(tree->line, tree->ways, line);
    uint64_t out = 0;

    if (way < 0) {
        way = fills_empty ? find(tree->line, tree->ways, 0) : -1;
        if (way < 0)
            way = random ? (int)random_below(random, (uint64_t)tree->ways) : tree_choice(tree);
        out = tree->line[way];
        tree->line[way] = line;
    }
    for (int level = tree->levels - 1; level >= 0; level--) {
        tree->bit[level][way / 2] = way % 2 == 0;
        way /= 2;
    }
    return out;
}

static void naive_start(struct naive *naive, const char *name, int ways)
{
    const char *second;

    memset(naive, 0, offsetof(struct naive, tree));
    snprintf(naive->name, sizeof naive->name, "%s", name);
    naive->ways = ways;
    naive->groups = 1;
    second = *name == 'L' || *name == 'N' ? strpbrk(name, "0123456789") : NULL;
    if (second) { /* LRU3PLRU4 */
        naive->groups = atoi(second);
        for (int group = 0; group < naive->groups; group++)
            tree_start(&naive->tree[group], ways / naive->groups);
    } else {
        tree_start(&naive->tree[0], ways);
    }
    for (int i = 0; i < ways; i++) {
        naive->age[i] = *name == 'Q' ? 3 : 1;
        naive->order[i] = i;
    }
    naive->random.state = 77;
}

static uint64_t list_access(struct naive *naive, uint64_t line, bool moves)
{
    int at = find(naive->line, naive->held, line);
    uint64_t out = 0;

    if (at >= 0 && !moves)
        return 0;
    if (at < 0 && naive->held == naive->ways) {
        at = naive->ways - 1;
        out = naive->line[at];
    }
    if (at < 0)
        at = naive->held++;
    for (; at > 0; at--)
        naive->line[at] = naive->line[at - 1];
    naive->line[0] = line;
    return out;
}

static int count_age(const struct naive *naive, int age)
{
    int count = 0;

    for (int i = 0; i < naive->ways; i++)
        count += naive->age[i] == age;
    return count;
}

static int first_age(const struct naive *naive, int age)
{
    for (int i = 0; i < naive->ways; i++)
        if (naive->age[i] == age)
            return i;
    return 0;
}

static uint64_t bits_access(struct naive *naive, uint64_t line)
{
    bool nru = strcmp(naive->name, "NRU") == 0, late = strcmp(naive->name, "MRU_N") == 0;
    bool full = find(naive->line, naive->ways, 0) < 0;
    int way = find(naive->line, naive->ways, line);
    uint64_t out = 0;

    if (way < 0) {
        if (nru && count_age(naive, 1) == 0)
            for (int i = 0; i < naive->ways; i++)
                naive->age[i] = 1;
        way = full ? first_age(naive, 1) : find(naive->line, naive->ways, 0);
        out = naive->line[way];
        naive->line[way] = line;
    }
    if (full || !late)
        naive->age[way] = 0;
    if (!nru && count_age(naive, 1) == 0)
        for (int i = 0; i < naive->ways; i++)
            naive->age[i] = i != way;
    return out;
}

static void ages_update(struct naive *naive, char rule, int way)
{
    int most = 0;
    bool others_only = rule == '1' || rule == '3';

    for (int i = 0; i < naive->ways; i++)
        if (naive->age[i] > most && !(rule == '1' && i == way))
            most = naive->age[i];
    for (int i = 0; i < naive->ways; i++)
        if (!(others_only && i == way))
            naive->age[i] += rule <= '1' ? 3 - most : most < 3;
}

static int ages_inserted(struct naive *naive)
{
    const char *at = strstr(naive->name, "_M") + 2;

    if (*at != 'R')
        return *at - '0';
    return random_below(&naive->random, 16) == 0 ? at[2] - '0' : at[1] - '0';
}

static uint64_t ages_access(struct naive *naive, uint64_t line)
{
    char replace = strstr(naive->name, "_R")[2], update = strstr(naive->name, "_U")[2];
    bool before = ends_with(naive->name, "_UMO");
    int way = find(naive->line, naive->ways, line);
    uint64_t out = 0;

    if (way >= 0) {
        naive->age[way] = naive->age[way] == 3 ? naive->name[6] - '0' : naive->age[way] == 2 ? naive->name[7] - '0' : 0;
    } else {
        if (before)
            ages_update(naive, update, naive->ways); /* none of them was used */
        for (int i = 0; i < naive->ways; i++)
            if (naive->line[i] == 0 && (way < 0 || replace == '2'))
                way = i;
        if (way < 0)
            way = first_age(naive, 3);
        out = naive->line[way];
        naive->line[way] = line;
        naive->age[way] = ages_inserted(naive);
    }
    if (!before)
        ages_update(naive, update, way);
    return out;
}

static uint64_t groups_access(struct naive *naive, uint64_t line)
{
    int group = -1, each = naive->ways / naive->groups, at = 0;
    uint64_t out;

    for (int i = naive->groups - 1; i >= 0; i--)
        if (find(naive->tree[i].line, each, line) >= 0)
            group = i;
    for (int i = 0; i < naive->groups && group < 0; i++)
        if (find(naive->tree[i].line, each, 0) >= 0)
            group = i;
    if (group < 0)
        group = *naive->name == 'N' ? (naive->order[0] + 1) % naive->groups : naive->order[naive->groups - 1];
    out = tree_access(&naive->tree[group], line, true, strstr(naive->name, "RANDOM") ? &naive->random : NULL);
    while (naive->order[at] != group)
        at++;
    for (; at > 0; at--)
        naive->order[at] = naive->order[at - 1];
    naive->order[0] = group;
    return out;
}

static uint64_t random_access(struct naive *naive, uint64_t line)
{
    int way = find(naive->line, naive->ways, line);
    uint64_t out;

    if (way >= 0)
        return 0;
    way = ends_with(naive->name, "l") ? find(naive->line, naive->ways, 0) : -1;
    if (way < 0)
        way = (int)random_below(&naive->random, (uint64_t)naive->ways);
    out = naive->line[way];
    naive->line[way] = line;
    return out;
}

static uint64_t naive_access(struct naive *naive, uint64_t line)
{
    switch (*naive->name) {
    case 'Q':
        return ages_access(naive, line);
    case 'P':
        return tree_access(&naive->tree[0], line, ends_with(naive->name, "l"), NULL);
    case 'R':
        return random_access(naive, line);
    case 'M':
        return bits_access(naive, line);
    case 'F':
        return list_access(naive, line, false);
    default:
        if (strcmp(naive->name, "NRU") == 0)
            return bits_access(naive, line);
        return strcmp(naive->name, "LRU") == 0 ? list_access(naive, line, true) : groups_access(naive, line);
    }
}

static void naive_drop(struct naive *naive, uint64_t line)
{
    int way = find(naive->line, naive->ways, line);

    if (strcmp(naive->name, "LRU") == 0 || *naive->name == 'F') {
        for (naive->held--; way < naive->held; way++)
            naive->line[way] = naive->line[way + 1];
        naive->line[naive->held] = 0;
        return;
    }
    if (way >= 0)
        naive->line[way] = 0;
    for (int group = 0; group < naive->groups; group++)
        for (int i = 0; i < naive->tree[group].ways; i++)
            if (naive->tree[group].line[i] == line)
                naive->tree[group].line[i] = 0;
}

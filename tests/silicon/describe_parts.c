// SPDX-License-Identifier: BSD-2-Clause
/* describe_parts.c: reading and writing of what an array is made of: entries, ways, index, policy, duel, slices, folds.
 * (Lines that come more than once: describe_lists.c.) */
#include "tests/silicon/describe.h"
#include <limits.h>
#include <string.h>

static bool must(struct text *why, const char *what)
{
    text_format(why, "must be %s", what);
    return false;
}

/* Until section_finish() divides, index.sets holds the number of all entries. */
static bool entries_read(struct array_shape *shape, const char *text, struct text *why)
{
    uint64_t entries = 0;

    if (strcmp(text, "none") != 0 && (!text_read_number(text, &entries) || entries == 0 || entries > UINT_MAX))
        return must(why, "a number of entries");
    shape->index.sets = entries;
    return true;
}

/* 0 stands for "full" until section_finish(). */
static bool ways_read(struct array_shape *shape, const char *text, struct text *why)
{
    uint64_t ways = 0;

    if (strcmp(text, "full") != 0 && (!text_read_number(text, &ways) || ways == 0 || ways > UINT_MAX))
        return must(why, "a number of ways, or full");
    shape->ways = (unsigned)ways;
    return true;
}

/* One term: bits joined by "^"; "0-6" stands for seven terms of one bit each. Returns how many masks it gave, 0: none.
 */
static unsigned term_read(char *term, uint64_t *mask, unsigned most)
{
    uint64_t first, last;
    char *bit, *rest = term;
    unsigned count = 0;

    if (strchr(term, '-') != NULL) {
        bit = next_word(&rest, "-");
        if (bit == NULL || !text_read_number(bit, &first) || !text_read_number(rest, &last) || last > 63 ||
            first >= last || last - first >= most)
            return 0;
        for (; first <= last; first++)
            mask[count++] = UINT64_C(1) << first;
        return count;
    }
    for (*mask = 0; (bit = next_word(&rest, "^")) != NULL; *mask |= UINT64_C(1) << first)
        if (!text_read_number(bit, &first) || first > 63 || (*mask >> first & 1) != 0)
            return 0;
    return *mask != 0 && most > 0;
}

/* Terms to masks, at most `most`; 0: none, or not well formed. */
static unsigned terms_read(const char *text, uint64_t *mask, unsigned most)
{
    char copy[512];
    char *rest = copy, *term;
    unsigned count = 0;

    if (strlen(text) >= sizeof copy)
        return 0;
    text_copy(copy, sizeof copy, text);
    while ((term = next_word(&rest, "")) != NULL) {
        unsigned more = count < most ? term_read(term, mask + count, most - count) : 0;

        if (more == 0)
            return 0;
        count += more;
    }
    return count;
}

static void terms_write(const uint64_t *mask, unsigned count, struct text *text)
{
    for (unsigned i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : " ";

        for (unsigned bit = 0; bit < 64; bit++)
            if ((mask[i] >> bit & 1) != 0) {
                text_format(text, "%s%u", between, bit);
                between = "^";
            }
    }
}

/* "WORD N:" at the start of a text, as in "by 5: 0^7 1^8". Returns what comes after it, NULL: it is not there. */
static const char *number_after(const char *text, const char *word, const char *end, unsigned *number)
{
    char copy[16];
    uint64_t read;
    size_t length;

    text += strspn(text, " \t");
    if (strncmp(text, word, strlen(word)) != 0)
        return NULL;
    text += strlen(word);
    text += strspn(text, " \t");
    length = strcspn(text, end);
    if (length >= sizeof copy || text[length] == '\0')
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!text_read_number(copy, &read) || read > UINT_MAX)
        return NULL;
    *number = (unsigned)read;
    return text + length + 1;
}

static bool index_read(struct index *index, const char *text, struct text *why)
{
    const char *terms = NULL;

    memset(index->mask, 0, sizeof index->mask);
    index->bits = index->skew = 0;
    index->kind = INDEX_MODULO;
    if (strcmp(text, "modulo") == 0)
        return true;
    if (strncmp(text, "xor ", 4) == 0) {
        index->kind = INDEX_XOR;
        terms = text + 4;
    } else if (strncmp(text, "skewed ", 7) == 0) {
        index->kind = INDEX_SKEWED;
        terms = number_after(text + 7, "by", ":", &index->skew);
    }
    if (terms != NULL)
        index->bits = terms_read(terms, index->mask, MAX_INDEX_BITS);
    return index->bits != 0 ||
           must(why, "modulo, or xor with the bits of each set bit (xor 0^7 1^8 2-6), or skewed by N: 0^7 1^8");
}

static void index_write(const struct index *index, struct text *text)
{
    if (index->kind == INDEX_MODULO) {
        text_string(text, "modulo");
        return;
    }
    if (index->kind == INDEX_SKEWED)
        text_format(text, "skewed by %u: ", index->skew);
    else
        text_string(text, "xor ");
    terms_write(index->mask, index->bits, text);
}

static bool policy_read(struct policy *policy, const char *text, struct text *why)
{
    memset(policy, 0, sizeof *policy);
    return policy_parse(policy, text) || must(why, "a policy: LRU, FIFO, RANDOM[l], PLRU[l], MRU[_N], NRU, "
                                                   "QLRU_H11_M1_R0_U1[_UMO], LRU3PLRU4, NEXT3PLRU4");
}

static void policy_write(const struct policy *policy, struct text *text)
{
    char name[48];

    policy_name(policy, name, sizeof name);
    text_string(text, name);
}

static bool duel_policy_read(struct duel *duel, const char *text, struct text *why)
{
    if (strcmp(text, "none") != 0)
        return policy_read(&duel->second, text, why);
    memset(&duel->second, 0, sizeof duel->second);
    return true;
}

/* The first list sets how many there are; the second has to have as many. */
static bool leaders_read(struct duel *duel, bool second, const char *text, struct text *why)
{
    uint32_t *leader = second ? duel->second_leader : duel->first_leader;
    char copy[512];
    char *rest = copy, *word;
    unsigned count = 0;

    text_copy(copy, sizeof copy, strcmp(text, "none") == 0 ? "" : text);
    for (; (word = next_word(&rest, "")) != NULL; count++) {
        uint64_t set;

        if (count >= MAX_LEADERS || !text_read_number(word, &set) || set > UINT32_MAX)
            return must(why, "at most 32 set numbers");
        leader[count] = (uint32_t)set;
    }
    if (second && count != duel->leaders)
        return must(why, "as many sets as duel_first has");
    duel->leaders = count;
    return true;
}

static void leaders_write(const struct duel *duel, bool second, struct text *text)
{
    const uint32_t *leader = second ? duel->second_leader : duel->first_leader;

    if (duel->leaders == 0)
        text_string(text, "none");
    for (unsigned i = 0; i < duel->leaders; i++)
        text_format(text, "%s%u", i == 0 ? "" : " ", leader[i]);
}

static bool slices_read(struct slices *slices, const char *text, struct text *why)
{
    const char *terms;

    memset(slices, 0, sizeof *slices);
    slices->count = 1;
    if (strcmp(text, "none") == 0)
        return true;
    if (strncmp(text, "xor ", 4) == 0) {
        slices->kind = SLICE_XOR;
        slices->bits = terms_read(text + 4, slices->mask, 8);
        slices->count = 1u << slices->bits;
    } else if (strncmp(text, "sequence ", 9) == 0 &&
               (terms = number_after(text + 9, "of", ":", &slices->count)) != NULL) {
        slices->kind = SLICE_SEQUENCE;
        slices->bits = terms_read(terms, slices->mask, MAX_INDEX_BITS);
    }
    return slices->bits != 0 || must(why, "none, or xor with the address bits of each bit (xor 17^20 18^22), or "
                                          "sequence of SLICES: 14^17 15^19");
}

static void slices_write(const struct slices *slices, struct text *text)
{
    if (slices->kind == SLICE_NONE)
        text_string(text, "none");
    else if (slices->kind == SLICE_XOR)
        text_string(text, "xor ");
    else
        text_format(text, "sequence of %u: ", slices->count);
    terms_write(slices->mask, slices->kind == SLICE_NONE ? 0 : slices->bits, text);
}

static bool folds_read(struct cache_description *cache, const char *text, struct text *why)
{
    memset(cache->fold, 0, sizeof cache->fold);
    cache->folds = strcmp(text, "none") == 0 ? 0 : terms_read(text, cache->fold, MAX_FOLDS);
    return cache->folds != 0 || strcmp(text, "none") == 0 ||
           must(why, "none, or the address bits of each bit of the fold (12^27 13^26)");
}

bool part_read(const struct field *field, struct description *description, void *base, const char *text,
               struct text *why)
{
    void *at = (char *)base + field->offset;
    struct array_shape *shape = at;

    switch (field->kind) {
    case VALUE_ENTRIES:
        return entries_read(shape, text, why);
    case VALUE_WAYS:
        return ways_read(shape, text, why);
    case VALUE_INDEX:
        return index_read(&shape->index, text, why);
    case VALUE_POLICY:
        return policy_read(&shape->policy, text, why);
    case VALUE_DUEL_POLICY:
        return duel_policy_read(&shape->duel, text, why);
    case VALUE_FIRST_LEADERS:
    case VALUE_SECOND_LEADERS:
        return leaders_read(&shape->duel, field->kind == VALUE_SECOND_LEADERS, text, why);
    case VALUE_SLICES:
        return slices_read(at, text, why);
    case VALUE_FOLDS:
        return folds_read(base, text, why);
    default:
        return list_read(field, description, base, text, why);
    }
}

static void ways_write(const struct array_shape *shape, struct text *text)
{
    if (shape->index.sets <= 1)
        text_string(text, "full");
    else
        text_format(text, "%u", shape->ways);
}

static void folds_write(const struct cache_description *cache, struct text *text)
{
    if (cache->folds == 0)
        text_string(text, "none");
    terms_write(cache->fold, cache->folds, text);
}

static void duel_policy_write(const struct array_shape *shape, struct text *text)
{
    if (shape->duel.leaders == 0)
        text_string(text, "none");
    else
        policy_write(&shape->duel.second, text);
}

bool part_write(const struct field *field, const struct description *description, const void *base, unsigned item,
                struct text *text)
{
    const void *at = (const char *)base + field->offset;
    const struct array_shape *shape = at;

    if (field->kind >= VALUE_SEQUENCE)
        return list_write(field, description, base, item, text);
    if (item > 0)
        return false;
    if (field->kind == VALUE_ENTRIES && shape->index.sets == 0)
        text_string(text, "none");
    else if (field->kind == VALUE_ENTRIES)
        text_format(text, "%llu", (unsigned long long)(shape->index.sets * shape->ways));
    else if (field->kind == VALUE_WAYS)
        ways_write(shape, text);
    else if (field->kind == VALUE_INDEX)
        index_write(&shape->index, text);
    else if (field->kind == VALUE_POLICY)
        policy_write(&shape->policy, text);
    else if (field->kind == VALUE_DUEL_POLICY)
        duel_policy_write(shape, text);
    else if (field->kind == VALUE_SLICES)
        slices_write(at, text);
    else if (field->kind == VALUE_FOLDS)
        folds_write(base, text);
    else
        leaders_write(&shape->duel, field->kind == VALUE_SECOND_LEADERS, text);
    return true;
}

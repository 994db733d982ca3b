// SPDX-License-Identifier: BSD-2-Clause
/* truth_cache.c: what data caches are like besides their latency: sizes, lines and sectors of the arrays that the model
 * has built, inclusion, write policy, index. docs/silicon.md has the table.
 *
 * What a level does with lines of nearer ones is a rule of its own structure. Whether anybody could see it is another
 * matter: where nearer caches lose a line in any case before the level does, an inclusive one and one that tells nobody
 * are the same. The model is asked for that: a copy whose level tells nobody runs loads of lines of one of its sets. */
#include "base/text.h"
#include "tests/silicon/caches.h"
#include "tests/silicon/truth_inside.h"
#include <stdlib.h>
#include <string.h>

enum {
    SEED = 1,
    WORD = 8,
    LINES_A_WAY = 8,     /* of one set that are looked for; the memory may have fewer */
    ROUNDS = 8,          /* at each rate, each from empty caches */
    LOADS_LEAST = 256,   /* of a round, and */
    LOADS_A_LINE = 2,    /* more for each line */
    RAREST = 32,         /* loads, of which one is of the line in question */
    HELPED = 4,          /* of so many other loads all but one are no business of the level's */
    VIEW_PAGES = 1 << 20 /* virtual pages that a line may be seen in */
};

static struct truth equal(double value)
{
    return (struct truth){.kind = TRUTH_EQUAL, .value = value};
}

static struct truth nothing(enum truth_kind kind)
{
    return (struct truth){.kind = kind};
}

/* Lines that share a set with the first line of memory, which is the first of them; each is seen in a page of its own.
 */
struct row {
    unsigned count;
    struct {
        uint64_t va, pa;
    } line[];
};

static bool with_first_line(const struct cache_description *cache, uint64_t pa)
{
    return index_set(&cache->shape.index, pa / cache->line, 0) == index_set(&cache->shape.index, 0, 0) &&
           slice_of(&cache->slices, pa) == slice_of(&cache->slices, 0);
}

/* Those of one cache; of a nearer one than the level in question, those that this level keeps in other sets. */
static struct row *row_of(const struct description *description, const struct cache_description *cache,
                          const struct cache_description *level)
{
    const unsigned most = LINES_A_WAY * cache->shape.ways + 1;
    const uint64_t page = (uint64_t)1 << description->page_shift;
    struct row *row = calloc(1, sizeof *row + most * sizeof row->line[0]);
    struct random random = {SEED};

    for (uint64_t pa = 0; row && row->count < most && pa < description->memory.span; pa += level->line) {
        if (!with_first_line(cache, pa) || (pa != 0 && cache != level && with_first_line(level, pa)))
            continue;
        row->line[row->count].pa = pa;
        row->line[row->count++].va = pa ? random_below(&random, VIEW_PAGES) * page + pa % page : 0;
    }
    return row;
}

/* Leaves lines out that a nearer cache, too, has in the first line's set, if more than so many are left then. */
static void avoid(struct row *row, const struct cache_description *near, unsigned ways)
{
    unsigned left = 0, kept = 1;

    for (unsigned i = 1; i < row->count; i++)
        left += !with_first_line(near, row->line[i].pa);
    for (unsigned i = 1; i < row->count && left > ways; i++)
        if (!with_first_line(near, row->line[i].pa))
            row->line[kept++] = row->line[i];
    if (left > ways)
        row->count = kept;
}

static void load_from(struct caches *caches, const struct row *row, uint64_t number)
{
    caches_access(caches, 0, ACCESS_LOAD, row->line[number].va, row->line[number].pa, WORD, MEM_WB, 0);
}

static void flush(struct caches *caches, const struct row *row)
{
    for (unsigned i = 0; i < row->count; i++)
        caches_flush_line(caches, row->line[i].pa);
}

/* Loads the first line at some rate, and others of its set at the level in random order; those of a helper's row push
 * it out of that nearer cache, so that the ones between are used, too. Whether the level loses the first line at some
 * time while a nearer cache has it. */
static bool round_loses(struct caches *caches, unsigned index, unsigned level, unsigned rate, const struct row *row,
                        const struct row *helper, struct random *random)
{
    flush(caches, row);
    flush(caches, helper);
    for (unsigned i = 0; i < LOADS_LEAST + LOADS_A_LINE * row->count; i++) {
        if (i % rate == 0)
            load_from(caches, row, 0);
        else if (helper->count > 1 && random_below(random, HELPED) != 0)
            load_from(caches, helper, 1 + random_below(random, helper->count - 1));
        else
            load_from(caches, row, 1 + random_below(random, row->count - 1));
        if (caches_level(caches, 0, 0, 0) < level && !caches_holds(caches, 0, index, 0))
            return true;
    }
    return false;
}

static bool loses_alone(struct caches *caches, unsigned index, unsigned level, const struct row *row,
                        const struct row *helper)
{
    struct random random = {SEED};

    for (unsigned rate = 2; row->count > 1 && rate <= RAREST; rate *= 2)
        for (unsigned round = 0; round < ROUNDS; round++)
            if (round_loses(caches, index, level, rate, row, helper, &random))
                return true;
    return false;
}

/* Without help, then with that of each nearer data cache. */
static bool ever_loses_alone(const struct description *description, struct caches *caches, unsigned index)
{
    const struct cache_description *cache = &description->cache[index];
    struct row *row = row_of(description, cache, cache);
    const struct row none = {0};
    bool alone;

    for (unsigned i = 0; row && i < index; i++)
        if (description->cache[i].holds & HOLDS_DATA)
            avoid(row, &description->cache[i], cache->shape.ways);
    alone = row && loses_alone(caches, index, cache->level, row, &none);
    for (unsigned i = 0; row && i < index && !alone; i++) {
        struct row *helper = NULL;
        if (description->cache[i].holds & HOLDS_DATA)
            helper = row_of(description, &description->cache[i], cache);
        alone = helper && loses_alone(caches, index, cache->level, row, helper);
        free(helper);
    }
    free(row);
    return alone;
}

/* Whether loads can tell an inclusive level from one that tells nobody what it loses. Lines of a skewed one are not in
 * each other's way everywhere, so it can always lose one alone. */
static bool inclusion_shows(const struct description *description, unsigned index)
{
    struct description *alone = malloc(sizeof *alone);
    struct caches *caches = NULL;
    bool shows = description->cache[index].shape.index.kind == INDEX_SKEWED;

    if (alone && !shows) {
        *alone = *description;
        alone->cache[index].inclusion = INCLUSION_NEITHER;
        caches = caches_create(alone, SEED);
    }
    if (caches) {
        shows = ever_loses_alone(alone, caches, index);
        caches_destroy(caches);
    }
    free(alone);
    return shows;
}

/* What an exclusive level has its nearer ones have not, so it is never inclusive. */
static struct truth of_inclusive(const struct description *description, unsigned index)
{
    const enum inclusion inclusion = description->cache[index].inclusion;

    if (inclusion == INCLUSION_EXCLUSIVE || inclusion_shows(description, index))
        return equal(inclusion == INCLUSION_INCLUSIVE);
    return (struct truth){.kind = TRUTH_RANGE, .optional = true, .low = 0, .high = 1};
}

/* One that keeps what a load hits has lines that nearer ones have, too. Where it is chance whether a clean line is
 * taken in, nobody needs to see through it. */
static struct truth of_exclusive(const struct cache_description *cache)
{
    struct truth truth = equal(cache->inclusion == INCLUSION_EXCLUSIVE && !cache->keeps_hits);

    truth.optional = cache->inclusion == INCLUSION_EXCLUSIVE && cache->keeps_permille < 1000;
    return truth;
}

/* A way that is no larger than a page has nothing to be seen, unless its index goes further all the same. */
static struct truth of_virtual_index(const struct description *description, const struct met_cache *first)
{
    const struct cache_description *cache = &description->cache[first->index];
    struct truth truth = equal(cache->virtual_index);

    if (!caches_index_translated(description, cache))
        return nothing(TRUTH_ABSENT);
    truth.optional = first->size / first->ways <= (uint64_t)1 << description->page_shift;
    return truth;
}

/* What any data cache has. */
static struct truth of_array(const struct met_cache *cache, const char *what)
{
    if (strcmp(what, "size") == 0)
        return equal((double)cache->size);
    if (strcmp(what, "ways") == 0)
        return equal(cache->ways);
    if (strcmp(what, "line") == 0)
        return equal(cache->line);
    if (strcmp(what, "sector") == 0)
        return equal(cache->sector);
    return nothing(TRUTH_NONE);
}

/* What only the first one is asked. Where its hits cannot be told from what lies behind it, no answer is right, too. */
static struct truth of_first(const struct truths *truths, const char *what)
{
    const struct met *met = &truths->met;
    const struct cache_description *cache = &truths->description.cache[met->first.index];
    struct truth truth = of_array(&met->first, what);

    if (truth.kind != TRUTH_NONE)
        return truth;
    if (strcmp(what, "write_allocate") == 0)
        truth = equal(!cache->no_write_allocate);
    else if (strcmp(what, "write_back") == 0)
        truth = equal(!cache->write_through);
    else if (strcmp(what, "virtual_index") == 0)
        truth = of_virtual_index(&truths->description, &met->first);
    truth.optional = truth.optional || met->levels == 0 || met->level[0].index != met->first.index;
    return truth;
}

/* A miss brings nothing into an exclusive level, so nobody needs to tell what it takes in of a line. */
static struct truth of_sector(const struct truths *truths, const struct met_cache *level)
{
    struct truth truth = equal(level->sector);

    truth.optional = truths->description.cache[level->index].inclusion == INCLUSION_EXCLUSIVE;
    return truth;
}

static struct truth of_level(const struct truths *truths, unsigned number, const char *what)
{
    const struct met_cache *level = &truths->met.level[number - 1];

    if (strcmp(what, "inclusive") == 0)
        return of_inclusive(&truths->description, level->index);
    if (strcmp(what, "exclusive") == 0)
        return of_exclusive(&truths->description.cache[level->index]);
    if (strcmp(what, "sector") == 0)
        return of_sector(truths, level);
    return of_array(level, what);
}

/* What is asked of the first data cache, of those behind it, or of both. */
static const struct {
    const char *what;
    bool first, further;
} questions[] = {{"size", true, true},
                 {"ways", true, true},
                 {"line", true, true},
                 {"sector", true, true},
                 {"inclusive", false, true},
                 {"exclusive", false, true},
                 {"write_allocate", true, false},
                 {"write_back", true, false},
                 {"virtual_index", true, false}};

enum { QUESTIONS = sizeof questions / sizeof *questions };

/* How many walks were timed of which loads miss a level ("l1d.sizes", "l2.sizes") says nothing about it: any number,
 * where there is such a level. */
static struct truth of_curves(const struct met *met, const char *sizes)
{
    const bool first = strcmp(sizes, "l1d.sizes") == 0;
    const unsigned number = !first && sizes[0] == 'l' && sizes[1] ? (unsigned)(sizes[1] - '0') : 0;

    if (!first && (number < 2 || number > MAX_CACHES || strcmp(sizes + 2, ".sizes") != 0))
        return nothing(TRUTH_NONE);
    if (first ? met->first.size == 0 : number > met->levels)
        return nothing(TRUTH_ABSENT);
    return (struct truth){.kind = TRUTH_RANGE, .low = 1, .high = 1e18};
}

struct truth truth_of_cache(const struct truths *truths, const char *id)
{
    const struct met *met = &truths->met;
    const bool first = strncmp(id, "l1d.", 4) == 0;
    const char *what = id + (first ? 4 : 3);
    unsigned question = 0, number = (unsigned)(id[0] && id[1] ? id[1] - '0' : 0);

    if (strncmp(id, "penalty.", 8) == 0)
        return of_curves(met, id + 8);
    if (!first && (id[0] != 'l' || number < 2 || number > MAX_CACHES || id[2] != '.'))
        return nothing(TRUTH_NONE);
    while (question < QUESTIONS && strcmp(questions[question].what, what) != 0)
        question++;
    if (question == QUESTIONS || !(first ? questions[question].first : questions[question].further))
        return nothing(TRUTH_NONE);
    if (first)
        return met->first.size ? of_first(truths, what) : nothing(TRUTH_ABSENT);
    return number <= met->levels ? of_level(truths, number, what) : nothing(TRUTH_ABSENT);
}

bool truth_cache_id(const struct truths *truths, unsigned number, char id[28])
{
    static const char *const forms[] = {"latency.32", "latency.indexed", "latency.float"};
    struct text text = text_in(id, 28);

    for (unsigned i = 0; i < QUESTIONS; i++)
        if (questions[i].first && number-- == 0) {
            text_format(&text, "l1d.%s", questions[i].what);
            return true;
        }
    if (number < sizeof forms / sizeof *forms) {
        text_format(&text, "l1d.%s", forms[number]);
        return true;
    }
    number -= sizeof forms / sizeof *forms;
    for (unsigned level = 2; level <= truths->met.levels; level++)
        for (unsigned i = 0; i < QUESTIONS; i++)
            if (questions[i].further && number-- == 0) {
                text_format(&text, "l%u.%s", level, questions[i].what);
                return true;
            }
    return false;
}

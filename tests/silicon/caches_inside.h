// SPDX-License-Identifier: BSD-2-Clause
/* caches_inside.h: what the files caches*.c share, and nobody else includes.
 *
 * An instance is one cache as it stands on the chip: each entry of description.cache[] has one for each group of cores
 * that share it. A path is the row of instances that a core's accesses look through, nearest first: one for data, one
 * for code, one for the walker. Instances are numbered, so that sets of them are bits of a word. */
#pragma once
#include "tests/silicon/caches.h"

enum { MAX_INSTANCES = MAX_CACHES * MAX_MODEL_CORES };

/* The value of an entry: which sectors of its line are here, which of them are newer than what lies behind, and what
 * the way predictor has of it. */
enum { MAX_SECTORS = 16, DIRTY_SHIFT = 16, FOLD_SHIFT = 32, NAMED_SHIFT = 48 };
#define VALID_BITS ((1ULL << MAX_SECTORS) - 1)
#define FOLD_BITS  ((1ULL << (NAMED_SHIFT + 1)) - (1ULL << FOLD_SHIFT))

struct homes; /* where the lines of a virtually indexed cache lie: caches_virtual.c */
struct folds; /* a way predictor's fold, as tables */

struct instance {
    const struct cache_description *description;
    struct array **slice;  /* `slices` of them */
    struct array **filter; /* of the directory, as many; NULL: none */
    struct homes *homes;   /* NULL: indexed by physical address, or by bits below the page size */
    struct folds *folds;   /* NULL: no way predictor */
    struct instance *next; /* where its victims go; NULL: memory */
    uint64_t nearer;       /* instances between it and a core */
    bool watched;          /* there is a directory on the way to memory, or here */
    unsigned id, slices;
    unsigned cores; /* that use it, as bits */
    unsigned line_shift, sector_shift, sector_mask;
    unsigned grain_shift;                /* of what a miss fills */
    unsigned station[MAX_MODEL_CORES];   /* the slice that stands beside a core */
    uint64_t bank_time, bank_line, bank; /* of the last access, when banked */
};

struct path {
    unsigned count;
    struct instance *at[MAX_CACHES];
    uint64_t from[MAX_CACHES + 1]; /* instances at this position and behind it */
};

struct caches {
    const struct description *description;
    struct memory *memory;
    struct random random;
    uint64_t now;     /* of the last access */
    bool memory_used; /* since the mark */
    uint64_t used;    /* instances that may hold a line */
    uint64_t largest; /* line of all caches, bytes */
    unsigned instances;
    struct path data[MAX_MODEL_CORES], code[MAX_MODEL_CORES], walk[MAX_MODEL_CORES];
    struct instance *of_core[MAX_MODEL_CORES][MAX_CACHES]; /* by index in the description */
    struct instance instance[MAX_INSTANCES];
};

/* A request that went past a path's first position, or to it. */
struct request {
    const struct path *path;
    unsigned from; /* position in the path where it enters */
    unsigned core;
    enum access_kind kind;
    bool named;      /* it comes with a virtual address for the way predictor */
    uint64_t va, pa; /* va == pa for walks */
    uint64_t now;
};

/* A tag that was found. */
struct found {
    struct array *array;
    struct place place;
    uint64_t value;
    unsigned slice;
};

static inline uint64_t line_tag(const struct instance *instance, uint64_t pa)
{
    return (pa >> instance->line_shift) + 1;
}

/* That of the line's first byte: of a line that is longer than the 64 bytes that sequences count by, all of it is in
 * one slice. */
static inline unsigned line_slice(const struct instance *instance, uint64_t pa)
{
    const uint64_t first = pa >> instance->line_shift << instance->line_shift;

    return instance->slices == 1 ? 0 : slice_of(&instance->description->slices, first);
}

/* The number that the index takes. */
static inline uint64_t line_number(const struct instance *instance, uint64_t va, uint64_t pa)
{
    return (instance->homes != NULL ? va : pa) >> instance->line_shift;
}

/* Whether the line's tag is in the set that va (or pa) leads to. */
static inline bool look(const struct instance *instance, uint64_t va, uint64_t pa, struct found *found)
{
    found->slice = line_slice(instance, pa);
    found->array = instance->slice[found->slice];
    if (!array_find(found->array, line_number(instance, va, pa), line_tag(instance, pa), &found->place))
        return false;
    found->value = array_value(found->array, found->place);
    return true;
}

/* The bits of the sectors that [pa, pa + bytes) touches, clipped to pa's line. */
static inline uint64_t sector_bits(const struct instance *instance, uint64_t pa, uint64_t bytes)
{
    const unsigned first = (unsigned)(pa >> instance->sector_shift) & instance->sector_mask;
    const uint64_t count = ((pa & ((1ULL << instance->sector_shift) - 1)) + bytes - 1) >> instance->sector_shift;
    const uint64_t all = (2ULL << instance->sector_mask) - 1;

    return count >= instance->sector_mask ? all & ~((1ULL << first) - 1) : ((2ULL << count) - 1) << first & all;
}

static inline bool sector_here(const struct instance *instance, uint64_t value, uint64_t pa)
{
    return value >> ((pa >> instance->sector_shift) & instance->sector_mask) & 1;
}

static inline bool exclusive(const struct instance *instance)
{
    return instance->description->inclusion == INCLUSION_EXCLUSIVE;
}

/* The lowest instance of a set, which loses it. */
static inline struct instance *take_first(struct caches *caches, uint64_t *set)
{
    struct instance *instance = &caches->instance[__builtin_ctzll(*set)];

    *set &= *set - 1;
    return instance;
}

/* As look(), wherever the line is: for those who know no virtual address. */
bool look_anywhere(const struct instance *, uint64_t pa, struct found *);

/* caches_fill.c. A line comes into an instance; what it pushes out goes its way. dirty: it is newer than memory. */
void fill_line(struct caches *, struct instance *, const struct request *, bool dirty);

/* Nearer caches are about to hold the line: the directory of `instance` has to know. */
void directory_note(struct caches *, struct instance *, uint64_t pa);
/* A line left a cache: directories from `instance` on forget it when no cache that they watch has it any more. */
void directories_forget(struct caches *, struct instance *, uint64_t pa);

/* Takes all lines in [pa, pa + bytes) out of an instance, without further ado. */
struct dropped {
    bool held, dirty;
};
struct dropped drop_lines(struct caches *, struct instance *, uint64_t pa, uint64_t bytes);

/* caches_access.c. A read as a load, a fetch, a walk or a prefetch makes it. keep: an exclusive cache may keep what it
 * had (a store's fetch takes it). */
struct cached read_line(struct caches *, const struct request *, bool keep);

/* caches_coherence.c. Looks for the line modified in those instances and cleans it. 0: no; 1: the core's own other
 * caches had it; 2: another core's. */
unsigned clean_elsewhere(struct caches *, uint64_t set, unsigned core, uint64_t pa);
void take_from_others(struct caches *, const struct path *, uint64_t pa); /* a store is about to happen */

/* caches_virtual.c. */
struct homes *homes_create(uint64_t lines);
void homes_destroy(struct homes *);
void homes_empty(struct homes *);
void homes_put(struct homes *, uint64_t tag, uint64_t number); /* that is not there yet */
void homes_remove(struct homes *, uint64_t tag);
bool homes_find(const struct homes *, uint64_t tag, uint64_t *number);

/* A line of a virtually indexed cache that lies in another set than va's moves there. False: it was not there. */
bool move_synonym(struct caches *, struct instance *, const struct request *);

struct folds *folds_create(const struct cache_description *);
void folds_destroy(struct folds *);
/* Whether the way predictor names this line for va; from now on it does, and no other line of the set. */
bool predict_way(const struct instance *, const struct found *, uint64_t va, uint64_t pa);

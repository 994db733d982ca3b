// SPDX-License-Identifier: BSD-2-Clause
/* describe.h: inside of description_read and description_write: the table of all names that a machine's file may use,
 * and reading and writing one value. Reading and writing go by the same table, so they cannot disagree about names. */
#pragma once
#include "base/text.h"
#include "tests/silicon/description.h"

/* How a value is written in a file (docs/silicon.md). */
enum value_kind {
    VALUE_TEXT,          /* the rest of the line */
    VALUE_FLAG,          /* yes or no */
    VALUE_NUMBER,        /* decimal or 0x..., K M G */
    VALUE_HERTZ,         /* the same without K, M and G, which are powers of 1024 */
    VALUE_HEX,           /* as a number, written as 0x... */
    VALUE_SIZE,          /* as a number, written with K M G */
    VALUE_WORD,          /* one of field.words: its place in there */
    VALUE_RATIO,         /* a/b: two neighbouring unsigned */
    VALUE_PAGE,          /* a page size: its shift */
    VALUE_PAGES,         /* page sizes of the machine: class bits */
    VALUE_SECTOR,        /* bytes, or "line" */
    VALUE_ENTRIES,       /* of a shape; "none" where it may be missing */
    VALUE_WAYS,          /* of a shape: a number, or "full" */
    VALUE_INDEX,         /* of a shape: modulo, xor TERMS, skewed by N: TERMS */
    VALUE_POLICY,        /* of a shape */
    VALUE_DUEL_POLICY,   /* of a shape: the second policy, or "none" */
    VALUE_FIRST_LEADERS, /* of a shape: set numbers, or "none" */
    VALUE_SECOND_LEADERS,
    VALUE_SLICES,   /* none, xor TERMS, sequence of N: TERMS */
    VALUE_FOLDS,    /* TERMS, or "none" */
    VALUE_SEQUENCE, /* slice numbers; as many lines as it takes */
    VALUE_HOLE,     /* BASE SIZE TYPE; as many lines as there are */
    VALUE_ENCODING, /* EVENT:UMASK NAME [PER_THOUSAND] [plus-one]; as many lines as there are */
    VALUE_DECLARED, /* ID LOW[-HIGH] by TEXT; as many lines as there are */
    VALUE_HIDDEN    /* ID: REASON; as many lines as there are */
};

struct field {
    const char *section, *name;
    enum value_kind kind;
    size_t offset, size;  /* in the section's structure */
    const char *fallback; /* what it is when the file does not say; NULL: the file must */
    const char *words;    /* VALUE_WORD: separated by blanks */
};

/* The fields, in the order in which they are read (a value may rest on those before it) and written. */
extern const struct field description_fields[];
extern const unsigned description_field_count;

/* The kinds of sections. */
struct section {
    const char *kind;
    bool named, required, again; /* again: more than one of the same name */
    size_t offset, size;         /* of the (first) structure in struct description, and of one */
    size_t count;                /* offset of their number; 0: there is one */
    unsigned most;
};
extern const struct section description_sections[];
extern const unsigned description_section_count;

/* Names of the structures of table levels and of prefetchers: the place in the list is the number. */
#define PSC_NAMES        "unified - pde pdpte pml4e pml5e"
#define PREFETCHER_NAMES "next-line adjacent stream stride next-page"
#define COUNTED_NAMES                                                                                                  \
    "cycles instructions loads stores l1d_miss l2_miss l3_miss l1i_miss dtlb1_miss dtlb2_hit walk walk_cycles "        \
    "pde_miss itlb1_miss itlb_walk prefetches smi"
#define MEMTYPE_NAMES "WB WT WP WC UC"

/* Reads one value into its place. False: *why got added what would be right ("must be ..."). */
bool value_read(const struct field *, struct description *, void *base, const char *text, struct text *why);

/* Writes value number `item` (0 unless the kind has lines of its own); false: there is none. */
bool value_write(const struct field *, const struct description *, const void *base, unsigned item, struct text *);
bool value_repeats(enum value_kind);

/* The same for values of arrays (describe_parts.c) and lines that come more than once (describe_lists.c). */
bool part_read(const struct field *, struct description *, void *base, const char *text, struct text *why);
bool part_write(const struct field *, const struct description *, const void *base, unsigned item, struct text *);
bool list_read(const struct field *, struct description *, void *base, const char *text, struct text *why);
bool list_write(const struct field *, const struct description *, const void *base, unsigned item, struct text *);

/* Cuts the next word off (at a blank or a separator); NULL: none is left. The text is changed. */
char *next_word(char **text, const char *separators);

/* The place of a word in a list separated by blanks; -1: not in there. And back: "" when there is none. */
int word_place(const char *words, const char *word);
void word_write(const char *words, unsigned place, struct text *);
void size_write(uint64_t size, struct text *);

/* After all values of a section: what follows from them (numbers of sets). NULL, or what is wrong. */
const char *section_finish(const struct section *, void *base);

/* NULL, or what is wrong with one structure of a description (describe_sound.c). */
const char *section_unsound(const struct section *, const struct description *, const void *base);

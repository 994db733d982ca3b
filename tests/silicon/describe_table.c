// SPDX-License-Identifier: BSD-2-Clause
/* describe_table.c: all sections and names of a machine's file. */
#include "tests/silicon/describe.h"

#define PART(type, member) offsetof(struct type, member), sizeof(((struct type *)NULL)->member)

const struct section description_sections[] = {
    {"machine", false, true, false, 0, sizeof(struct description), 0, 1},
    {"clock", false, true, false, PART(description, clock), 0, 1},
    {"memory", false, true, false, PART(description, memory), 0, 1},
    {"cache", true, false, false, offsetof(struct description, cache), sizeof(struct cache_description),
     offsetof(struct description, caches), MAX_CACHES},
    {"tlb", true, false, false, offsetof(struct description, tlb), sizeof(struct tlb_description),
     offsetof(struct description, tlbs), MAX_TLBS},
    {"psc", true, false, false, offsetof(struct description, psc), sizeof(struct psc_description),
     offsetof(struct description, pscs), MAX_PSC},
    {"walker", false, false, false, PART(description, walker), 0, 1},
    {"prefetcher", true, false, true, offsetof(struct description, prefetcher), sizeof(struct prefetcher_description),
     offsetof(struct description, prefetchers), MAX_PREFETCHERS},
    {"fetch", false, false, false, PART(description, fetch), 0, 1},
    {"counters", false, false, false, PART(description, counters), 0, 1},
    {"noise", false, false, false, PART(description, noise), 0, 1},
};
const unsigned description_section_count = sizeof description_sections / sizeof description_sections[0];

#define MACHINE(name, kind, member, fallback, words)                                                                   \
    {                                                                                                                  \
        "machine", name, kind, PART(description, member), fallback, words                                              \
    }
#define ENTRY(section, name, kind, member, fallback)                                                                   \
    {                                                                                                                  \
#section, name, kind, PART(section##_description, member), fallback, NULL                                      \
    }
#define WORD(section, name, member, fallback, words)                                                                   \
    {                                                                                                                  \
#section, name, VALUE_WORD, PART(section##_description, member), fallback, words                               \
    }

const struct field description_fields[] = {
    MACHINE("name", VALUE_TEXT, name, NULL, NULL),
    MACHINE("vendor", VALUE_TEXT, vendor, NULL, NULL),
    MACHINE("title", VALUE_TEXT, title, NULL, NULL),
    MACHINE("x86", VALUE_FLAG, x86, "yes", NULL),
    MACHINE("misconception", VALUE_FLAG, misconception, "no", NULL),
    MACHINE("cores", VALUE_NUMBER, cores, "1", NULL),
    MACHINE("levels", VALUE_NUMBER, levels, "4", NULL),
    MACHINE("page", VALUE_PAGE, page_shift, "4K", NULL),
    MACHINE("page_bits", VALUE_NUMBER, page_bits, "9", NULL),
    MACHINE("pages", VALUE_PAGES, pages, NULL, NULL),
    MACHINE("load_32", VALUE_NUMBER, load_32, "0", NULL),
    MACHINE("load_indexed", VALUE_NUMBER, load_indexed, "0", NULL),
    MACHINE("load_float", VALUE_NUMBER, load_float, "0", NULL),
    MACHINE("invlpg", VALUE_NUMBER, invlpg, "0", NULL),
    MACHINE("set_root", VALUE_NUMBER, set_root, "0", NULL),
    MACHINE("flush_tlb", VALUE_NUMBER, flush_tlb, "0", NULL),
    MACHINE("fault", VALUE_NUMBER, fault, "0", NULL),
    MACHINE("declared", VALUE_DECLARED, declaration, "none", NULL),
    MACHINE("hidden", VALUE_HIDDEN, hiding, "none", NULL),

    ENTRY(clock, "hz", VALUE_HERTZ, hz, NULL),
    ENTRY(clock, "step", VALUE_NUMBER, step, "1"),
    ENTRY(clock, "half_step", VALUE_FLAG, half_step, "no"),
    ENTRY(clock, "ratio", VALUE_RATIO, ratio_core, "1/1"),
    ENTRY(clock, "multiply", VALUE_NUMBER, multiply, NULL),
    ENTRY(clock, "pause", VALUE_NUMBER, pause, "10"), /* USUAL_PAUSE */
    ENTRY(clock, "rdtsc", VALUE_NUMBER, rdtsc, NULL),
    ENTRY(clock, "rdtscp", VALUE_NUMBER, rdtscp, NULL),
    ENTRY(clock, "lfence", VALUE_NUMBER, lfence, NULL),
    ENTRY(clock, "lfence_passes", VALUE_FLAG, lfence_passes, "no"),
    ENTRY(clock, "ramp", VALUE_NUMBER, ramp, "0"),
    ENTRY(clock, "idle", VALUE_NUMBER, idle, "0"),

    ENTRY(memory, "span", VALUE_SIZE, span, NULL),
    ENTRY(memory, "contiguous", VALUE_SIZE, contiguous, "0"),
    ENTRY(memory, "latency", VALUE_NUMBER, latency, NULL),
    ENTRY(memory, "row_miss", VALUE_NUMBER, row_miss, "0"),
    ENTRY(memory, "banks", VALUE_NUMBER, banks, "0"),
    ENTRY(memory, "row", VALUE_SIZE, row, "0"),
    ENTRY(memory, "refresh_period", VALUE_NUMBER, refresh_period, "0"),
    ENTRY(memory, "refresh_length", VALUE_NUMBER, refresh_length, "0"),
    ENTRY(memory, "parallel", VALUE_NUMBER, parallel, "1"),
    ENTRY(memory, "transfer", VALUE_NUMBER, transfer, NULL),
    ENTRY(memory, "hole", VALUE_HOLE, hole, "none"),

    ENTRY(cache, "level", VALUE_NUMBER, level, NULL),
    WORD(cache, "holds", holds, NULL, "- data code both"),
    ENTRY(cache, "size", VALUE_SIZE, size, NULL),
    ENTRY(cache, "ways", VALUE_WAYS, shape, NULL),
    ENTRY(cache, "line", VALUE_SIZE, line, NULL),
    ENTRY(cache, "sector", VALUE_SECTOR, sector, "line"),
    ENTRY(cache, "latency", VALUE_NUMBER, latency, NULL),
    ENTRY(cache, "policy", VALUE_POLICY, shape, NULL),
    ENTRY(cache, "index", VALUE_INDEX, shape, "modulo"),
    ENTRY(cache, "virtual_index", VALUE_FLAG, virtual_index, "no"),
    ENTRY(cache, "slices", VALUE_SLICES, slices, "none"),
    ENTRY(cache, "sequence", VALUE_SEQUENCE, slices, "none"),
    ENTRY(cache, "slice_step", VALUE_NUMBER, slice_step, "0"),
    ENTRY(cache, "shared_by", VALUE_NUMBER, shared_by, "1"),
    WORD(cache, "inclusion", inclusion, "neither", "neither inclusive exclusive"),
    ENTRY(cache, "keeps_permille", VALUE_NUMBER, keeps_permille, "1000"),
    ENTRY(cache, "keeps_hits", VALUE_FLAG, keeps_hits, "no"),
    ENTRY(cache, "write_through", VALUE_FLAG, write_through, "no"),
    ENTRY(cache, "no_write_allocate", VALUE_FLAG, no_write_allocate, "no"),
    ENTRY(cache, "banks", VALUE_NUMBER, banks, "0"),
    ENTRY(cache, "folds", VALUE_FOLDS, fold, "none"),
    ENTRY(cache, "fold_latency", VALUE_NUMBER, fold_latency, "0"),
    ENTRY(cache, "duel_policy", VALUE_DUEL_POLICY, shape, "none"),
    ENTRY(cache, "duel_first", VALUE_FIRST_LEADERS, shape, "none"),
    ENTRY(cache, "duel_second", VALUE_SECOND_LEADERS, shape, "none"),
    ENTRY(cache, "duel_period", VALUE_NUMBER, shape.duel.period, "0"),
    ENTRY(cache, "duel_counter", VALUE_NUMBER, shape.duel.counter_most, "0"),
    ENTRY(cache, "directory_entries", VALUE_ENTRIES, directory_shape, "none"),
    ENTRY(cache, "directory_ways", VALUE_WAYS, directory_shape, "full"),
    ENTRY(cache, "directory_policy", VALUE_POLICY, directory_shape, "LRU"),
    ENTRY(cache, "directory_index", VALUE_INDEX, directory_shape, "modulo"),

    ENTRY(tlb, "level", VALUE_NUMBER, level, NULL),
    WORD(tlb, "holds", holds, NULL, "- data code both"),
    ENTRY(tlb, "pages", VALUE_PAGES, pages, NULL),
    ENTRY(tlb, "loads", VALUE_FLAG, loads, "yes"),
    ENTRY(tlb, "stores", VALUE_FLAG, stores, "yes"),
    ENTRY(tlb, "entries", VALUE_ENTRIES, shape, NULL),
    ENTRY(tlb, "ways", VALUE_WAYS, shape, NULL),
    ENTRY(tlb, "policy", VALUE_POLICY, shape, NULL),
    ENTRY(tlb, "index", VALUE_INDEX, shape, "modulo"),
    ENTRY(tlb, "latency", VALUE_NUMBER, latency, "0"),
    ENTRY(tlb, "sector", VALUE_NUMBER, sector, "1"),
    ENTRY(tlb, "coalesce", VALUE_NUMBER, coalesce, "1"),
    ENTRY(tlb, "victim", VALUE_FLAG, victim, "no"),
    ENTRY(tlb, "holds_pdes", VALUE_FLAG, holds_pdes, "no"),
    ENTRY(tlb, "splits", VALUE_FLAG, splits, "no"),

    WORD(psc, "tag", tag, NULL, "linear physical"),
    ENTRY(psc, "entries", VALUE_ENTRIES, shape, NULL),
    ENTRY(psc, "ways", VALUE_WAYS, shape, NULL),
    ENTRY(psc, "policy", VALUE_POLICY, shape, NULL),
    ENTRY(psc, "index", VALUE_INDEX, shape, "modulo"),

    ENTRY(walker, "count", VALUE_NUMBER, count, "1"),
    ENTRY(walker, "overhead", VALUE_NUMBER, overhead, "0"),
    ENTRY(walker, "fixed", VALUE_NUMBER, fixed, "0"),
    ENTRY(walker, "from_level", VALUE_NUMBER, from_level, "1"),
    ENTRY(walker, "ignores_uc", VALUE_FLAG, ignores_uc, "no"),
    ENTRY(walker, "psc_shadowed", VALUE_FLAG, psc_shadowed, "no"),

    ENTRY(prefetcher, "watches", VALUE_NUMBER, watches, NULL),
    ENTRY(prefetcher, "into", VALUE_NUMBER, into, NULL),
    ENTRY(prefetcher, "misses_only", VALUE_FLAG, misses_only, "no"),
    ENTRY(prefetcher, "trackers", VALUE_NUMBER, trackers, "0"),
    ENTRY(prefetcher, "train", VALUE_NUMBER, train, "0"),
    ENTRY(prefetcher, "ahead", VALUE_NUMBER, ahead, "1"),
    ENTRY(prefetcher, "reach", VALUE_SIZE, reach, "0"),
    ENTRY(prefetcher, "msr", VALUE_HEX, msr, "0"),
    ENTRY(prefetcher, "bit", VALUE_NUMBER, bit, "0"),

    ENTRY(fetch, "jump", VALUE_NUMBER, jump, "1"),
    ENTRY(fetch, "miss", VALUE_NUMBER, miss, "0"),
    ENTRY(fetch, "ends", VALUE_NUMBER, ends, "0"),
    ENTRY(fetch, "astray", VALUE_NUMBER, astray, "0"),
    ENTRY(fetch, "pairs", VALUE_NUMBER, pairs, "0"),
    ENTRY(fetch, "ahead", VALUE_NUMBER, ahead, "0"),
    ENTRY(fetch, "targets", VALUE_ENTRIES, target_shape, "none"),
    ENTRY(fetch, "target_ways", VALUE_WAYS, target_shape, "full"),
    ENTRY(fetch, "target_policy", VALUE_POLICY, target_shape, "LRU"),
    ENTRY(fetch, "target_index", VALUE_INDEX, target_shape, "modulo"),

    WORD(counters, "family", family, "none", "none intel amd"),
    ENTRY(counters, "version", VALUE_NUMBER, version, "0"),
    ENTRY(counters, "general", VALUE_NUMBER, general, "0"),
    ENTRY(counters, "fixed", VALUE_NUMBER, fixed, "0"),
    ENTRY(counters, "width", VALUE_NUMBER, width, "0"),
    ENTRY(counters, "overhead", VALUE_NUMBER, overhead, "0"),
    ENTRY(counters, "stops_in_smm", VALUE_FLAG, stops_in_smm, "no"),
    ENTRY(counters, "encoding", VALUE_ENCODING, encoding, "none"),

    ENTRY(noise, "jitter", VALUE_NUMBER, jitter, "0"),
    ENTRY(noise, "smi_period", VALUE_NUMBER, smi_period, "0"),
    ENTRY(noise, "smi_length", VALUE_NUMBER, smi_length, "0"),
    ENTRY(noise, "smi_counted", VALUE_FLAG, smi_counted, "no"),
    ENTRY(noise, "traffic_period", VALUE_NUMBER, traffic_period, "0"),
    ENTRY(noise, "neighbour_period", VALUE_NUMBER, neighbour_period, "0"),
    ENTRY(noise, "neighbour_length", VALUE_NUMBER, neighbour_length, "0"),
    ENTRY(noise, "neighbour_lines", VALUE_NUMBER, neighbour_lines, "0"),
    ENTRY(noise, "neighbour_pages", VALUE_NUMBER, neighbour_pages, "0"),
};
const unsigned description_field_count = sizeof description_fields / sizeof description_fields[0];

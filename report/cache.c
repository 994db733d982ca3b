// SPDX-License-Identifier: BSD-2-Clause
/* cache.c: the findings about one cache together. */
#include "report/cache.h"
#include "report/answer.h"

/* A measured count; 0: there is none. */
static uint64_t measured(const struct notebook *notebook, const struct cache *cache, const char *what)
{
    char id[28];
    struct text text = text_in(id, sizeof id);
    const struct finding *finding;

    text_format(&text, "%s.%s", cache->name, what);
    finding = noted(notebook, id);
    return finding && has_value(finding) && finding->value >= 1 && finding->value < 9e15 ? (uint64_t)finding->value : 0;
}

bool cache_found(const struct notebook *notebook, unsigned level, enum cache_kind kind, struct cache *cache)
{
    static const char *const kinds[KINDS] = {"", "d", "i"};
    struct text name = text_in(cache->name, sizeof cache->name);
    uint64_t way;

    text_format(&name, "l%u%s", level, kinds[kind]);
    cache->level = level;
    cache->kind = kind;
    cache->size = measured(notebook, cache, "size");
    cache->ways = measured(notebook, cache, "ways");
    cache->line = measured(notebook, cache, "line");
    way = cache->ways * cache->line;
    cache->sets = way && cache->size % way == 0 ? cache->size / way : 0;
    return cache->size > 0 && (kind != INSTRUCTION || level <= INSTRUCTION_LEVELS);
}

bool cache_owns(const struct cache *cache, const struct finding *finding, const char **what)
{
    size_t length = text_length(cache->name);

    if (!text_starts(finding->id, cache->name) || finding->id[length] != '.')
        return false;
    *what = finding->id + length + 1;
    return true;
}

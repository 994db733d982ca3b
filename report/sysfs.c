// SPDX-License-Identifier: BSD-2-Clause
/* sysfs.c: cache.txt: the measured caches as Linux tells declared ones, in the form in which grep shows them
 * (`grep -r . /sys/devices/system/cpu/cpu0/cache`): a file name, a colon, its content. Files whose content was not
 * measured are not there. */
#include "report/cache.h"
#include "report/writer.h"

/* The kernel's documentation: Documentation/ABI/testing/sysfs-devices-system-cpu, and its words for the types. */
static void write_count(struct writer *writer, const char *folder, const char *file, uint64_t count)
{
    if (count)
        write_format(writer, "%s/%s:%llu\n", folder, file, (unsigned long long)count);
}

static void write_cache(struct writer *writer, const struct cache *cache, unsigned core, unsigned index)
{
    static const char *const types[KINDS] = {"Unified", "Data", "Instruction"};
    char buffer[96];
    struct text folder = text_in(buffer, sizeof buffer);

    text_format(&folder, "/sys/devices/system/cpu/cpu%u/cache/index%u", core, index);
    write_count(writer, folder.at, "coherency_line_size", cache->line);
    write_format(writer, "%s/level:%u\n", folder.at, cache->level);
    write_count(writer, folder.at, "number_of_sets", cache->sets);
    write_format(writer, "%s/size:%lluK\n", folder.at, (unsigned long long)(cache->size / 1024));
    write_format(writer, "%s/type:%s\n", folder.at, types[cache->kind]);
    write_count(writer, folder.at, "ways_of_associativity", cache->ways);
}

bool report_sysfs(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook)
{
    static const enum cache_kind order[KINDS] = {DATA, INSTRUCTION, UNIFIED};
    unsigned index = 0;
    struct writer writer;
    struct cache cache;

    writer_start(&writer, sink);
    for (unsigned level = 1; level <= LEVELS; level++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            if (cache_found(notebook, level, order[kind], &cache))
                write_cache(&writer, &cache, run->core, index++);
        }
    }
    return writer_end(&writer);
}

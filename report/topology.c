// SPDX-License-Identifier: BSD-2-Clause
/* topology.c: topology.xml, which hwloc's tools read and draw: hwloc's XML, version 2 (hwloc2.dtd and its XML import,
 * open-mpi/hwloc). Only what is known is said: the caches that were measured stand above the processor that measured
 * them; which other processors share them was not measured, so the others stand beside them, without. */
#include "report/answer.h"
#include "report/cache.h"
#include "report/xml.h"

enum { MOST_CACHES = LEVELS * KINDS };

struct topology {
    struct writer writer;
    const struct run_summary *run;
    const struct notebook *notebook;
    unsigned depth, objects, caches;
    struct cache cache[MOST_CACHES]; /* from memory to core, the data cache of a level after its instruction cache */
};

static void indent(struct topology *topology)
{
    for (unsigned i = 0; i <= topology->depth; i++)
        write_string(&topology->writer, "  ");
}

/* A set of processors: words of 32 bits in hexadecimal, the highest first (hwloc's bitmap format). */
static void write_set(struct topology *topology, const char *name, unsigned first, unsigned count)
{
    unsigned end = first + count;

    write_format(&topology->writer, " %s=\"", name);
    for (unsigned word = (end - 1) / 32 + 1; word-- > 0;) {
        uint32_t bits = 0;
        for (unsigned bit = 0; bit < 32; bit++)
            bits |= word * 32 + bit >= first && word * 32 + bit < end ? 1u << bit : 0;
        write_format(&topology->writer, "0x%08x%s", bits, word > 0 ? "," : "\"");
    }
}

/* Begins an object over processors [first, first + count); attributes may follow. */
static void begin_object(struct topology *topology, const char *type, unsigned first, unsigned count)
{
    indent(topology);
    write_format(&topology->writer, "<object type=\"%s\"", type);
    write_set(topology, "cpuset", first, count);
    write_set(topology, "complete_cpuset", first, count);
    write_string(&topology->writer, " nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\"");
    write_format(&topology->writer, " gp_index=\"%u\"", ++topology->objects);
}

static void open_object(struct topology *topology)
{
    write_string(&topology->writer, ">\n");
    topology->depth++;
}

static void close_object(struct topology *topology)
{
    topology->depth--;
    indent(topology);
    write_string(&topology->writer, "</object>\n");
}

static void write_info(struct topology *topology, const char *prefix, const char *name, const char *value)
{
    if (!value[0])
        return;
    indent(topology);
    write_string(&topology->writer, "<info name=\"");
    write_xml(&topology->writer, prefix);
    write_xml(&topology->writer, name);
    write_string(&topology->writer, "\" value=\"");
    write_xml(&topology->writer, value);
    write_string(&topology->writer, "\"/>\n");
}

/* A finding and its confidence: "assay:latency" "4 cycles", "assay:latency.confidence" "0.999". */
static void write_finding(struct topology *topology, const struct finding *finding, const char *name)
{
    char value_buffer[64], name_buffer[48];
    struct text value = text_in(value_buffer, sizeof value_buffer), sure = text_in(name_buffer, sizeof name_buffer);

    if (!has_value(finding))
        return;
    text_number(&value, finding->value);
    text_format(&value, "%s%s", finding->unit[0] ? " " : "", finding->unit);
    write_info(topology, "assay:", name, value.at);
    value = text_in(value_buffer, sizeof value_buffer);
    text_number(&value, sure_of(finding));
    text_format(&sure, "%s.confidence", name);
    write_info(topology, "assay:", sure.at, value.at);
}

/* Whether a finding stands at one of the caches, or at the memory. */
static bool is_placed(const struct topology *topology, const struct finding *finding)
{
    const char *what;

    for (unsigned i = 0; i < topology->caches; i++) {
        if (cache_owns(&topology->cache[i], finding, &what))
            return true;
    }
    return text_starts(finding->id, "mem.");
}

static void write_core(struct topology *topology)
{
    unsigned core = topology->run->core;

    begin_object(topology, "Core", core, 1);
    open_object(topology);
    for (unsigned i = 0; i < topology->notebook->findings; i++) {
        const struct finding *finding = &topology->notebook->finding[i];
        if (!is_placed(topology, finding))
            write_finding(topology, finding, finding->id);
    }
    begin_object(topology, "PU", core, 1);
    write_format(&topology->writer, " os_index=\"%u\"/>\n", core);
    close_object(topology);
}

/* cache_type: 0 unified, 1 data, 2 instruction; associativity and line 0: not known (hwloc.h). */
static void begin_cache(struct topology *topology, const struct cache *cache)
{
    char type[12];
    struct text text = text_in(type, sizeof type);
    const char *what;

    text_format(&text, "L%u%sCache", cache->level, cache->kind == INSTRUCTION ? "i" : "");
    begin_object(topology, type, topology->run->core, 1);
    write_format(&topology->writer, " cache_size=\"%llu\" depth=\"%u\"", (unsigned long long)cache->size, cache->level);
    write_format(&topology->writer, " cache_linesize=\"%llu\"", (unsigned long long)cache->line);
    write_format(&topology->writer, " cache_associativity=\"%llu\"", (unsigned long long)cache->ways);
    write_format(&topology->writer, " cache_type=\"%u\"", (unsigned)cache->kind);
    open_object(topology);
    for (unsigned i = 0; i < topology->notebook->findings; i++) {
        if (cache_owns(cache, &topology->notebook->finding[i], &what))
            write_finding(topology, &topology->notebook->finding[i], what);
    }
}

static void write_measured_processor(struct topology *topology)
{
    for (unsigned i = 0; i < topology->caches; i++)
        begin_cache(topology, &topology->cache[i]);
    write_core(topology);
    for (unsigned i = 0; i < topology->caches; i++)
        close_object(topology);
}

/* hwloc needs a node for the memory; how much there is of it is not what assay measures. */
static void write_memory(struct topology *topology, unsigned processors)
{
    begin_object(topology, "NUMANode", 0, processors);
    write_string(&topology->writer, " os_index=\"0\"");
    open_object(topology);
    for (unsigned i = 0; i < topology->notebook->findings; i++) {
        const struct finding *finding = &topology->notebook->finding[i];
        if (text_starts(finding->id, "mem."))
            write_finding(topology, finding, finding->id + text_length("mem."));
    }
    close_object(topology);
}

static void write_package(struct topology *topology, unsigned processors)
{
    const struct run_summary *run = topology->run;

    begin_object(topology, "Package", 0, processors);
    write_string(&topology->writer, " os_index=\"0\"");
    open_object(topology);
    write_info(topology, "", "CPUVendor", run->vendor);
    write_info(topology, "", "CPUModel", run->brand);
    write_memory(topology, processors);
    for (unsigned i = 0; i < processors; i++) {
        if (i == run->core) {
            write_measured_processor(topology);
            continue;
        }
        begin_object(topology, "PU", i, 1);
        write_format(&topology->writer, " os_index=\"%u\"/>\n", i);
    }
    close_object(topology);
}

static void find_caches(struct topology *topology)
{
    static const enum cache_kind order[KINDS] = {UNIFIED, INSTRUCTION, DATA};

    for (unsigned level = LEVELS; level > 0; level--) {
        for (unsigned kind = 0; kind < KINDS; kind++)
            topology->caches += cache_found(topology->notebook, level, order[kind], &topology->cache[topology->caches]);
    }
}

bool report_topology(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook)
{
    struct topology topology = {.run = run, .notebook = notebook};
    unsigned processors = run->processors > run->core ? run->processors : run->core + 1;

    find_caches(&topology);
    writer_start(&topology.writer, sink);
    write_string(&topology.writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                   "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n");
    begin_object(&topology, "Machine", 0, processors);
    write_set(&topology, "allowed_cpuset", 0, processors);
    write_string(&topology.writer, " allowed_nodeset=\"0x00000001\" os_index=\"0\"");
    open_object(&topology);
    write_info(&topology, "", "Backend", "assay");
    write_info(&topology, "", "DMIBoardName", run->board);
    write_info(&topology, "", "DMIBIOSVersion", run->firmware);
    write_info(&topology, "assay:", "mode", run->mode);
    write_package(&topology, processors);
    close_object(&topology);
    write_string(&topology.writer, "</topology>\n");
    return writer_end(&topology.writer);
}

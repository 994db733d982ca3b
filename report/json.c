// SPDX-License-Identifier: BSD-2-Clause
/* json.c: result.json, format assay-result/1 (docs/result.schema.json). Keys always stand in the same order and each
 * finding on a line of its own, so that two results can be compared with diff. */
#include "report/answer.h"
#include "report/writer.h"

static void write_key(struct writer *writer, const char *key)
{
    write_json(writer, key);
    write_string(writer, ": ");
}

static void member_string(struct writer *writer, const char *key, const char *value)
{
    write_key(writer, key);
    write_json(writer, value);
    write_string(writer, ", ");
}

static void member_count(struct writer *writer, const char *key, uint64_t value)
{
    write_format(writer, "\"%s\": %llu, ", key, (unsigned long long)value);
}

/* A count that may be unknown: null. */
static void member_known(struct writer *writer, const char *key, uint64_t value)
{
    if (value)
        member_count(writer, key, value);
    else
        write_format(writer, "\"%s\": null, ", key);
}

static void write_declared(struct writer *writer, const struct finding *finding)
{
    if (finding->agreement == NOTHING_DECLARED) {
        write_string(writer, ", \"declared\": null, \"agreement\": null}");
        return;
    }
    write_format(writer, ", \"declared\": {\"low\": %llu, \"high\": %llu, ", (unsigned long long)finding->declared_low,
                 (unsigned long long)finding->declared_high);
    write_key(writer, "by");
    write_json(writer, finding->declared_by);
    write_string(writer, "}, \"agreement\": ");
    if (!has_value(finding))
        write_string(writer, "null}");
    else
        write_string(writer, finding->agreement == AGREES ? "\"agrees\"}" : "\"differs\"}");
}

static void write_finding(struct writer *writer, const struct finding *finding)
{
    write_string(writer, "{");
    member_string(writer, "id", finding->id);
    write_format(writer, "\"measured\": %s, ", has_value(finding) ? "true" : "false");
    if (has_value(finding)) {
        write_key(writer, "value");
        write_number(writer, finding->value);
        write_string(writer, ", ");
    }
    member_string(writer, "unit", finding->unit);
    if (has_value(finding)) {
        write_key(writer, "confidence");
        write_number(writer, sure_of(finding));
        write_string(writer, ", ");
    }
    member_count(writer, "cost", finding->cost);
    member_string(writer, has_value(finding) ? "method" : "why",
                  has_value(finding) ? finding->method : reason(finding));
    write_format(writer, "\"emulated\": %s", finding->emulated ? "true" : "false");
    write_declared(writer, finding);
}

bool report_finding(struct report_sink *sink, const struct finding *finding)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_finding(&writer, finding);
    return writer_end(&writer);
}

static void write_machine(struct writer *writer, const struct run_summary *run)
{
    write_string(writer, "  \"machine\": {");
    member_string(writer, "implementation", run->implementation);
    member_string(writer, "vendor", run->vendor);
    member_string(writer, "brand", run->brand);
    write_format(writer, "\"signature\": \"0x%08x\", ", run->signature);
    if (run->microcode)
        write_format(writer, "\"microcode\": \"0x%llx\", ", (unsigned long long)run->microcode);
    else
        write_string(writer, "\"microcode\": null, ");
    member_string(writer, "hypervisor", run->hypervisor);
    write_format(writer, "\"emulated\": %s,\n    ", run->emulated ? "true" : "false");
    member_string(writer, "board", run->board);
    member_string(writer, "serial", run->serial);
    member_string(writer, "firmware", run->firmware);
    member_count(writer, "processors", run->processors);
    member_known(writer, "tsc_hz", run->tsc_hz);
    member_known(writer, "core_hz", run->core_hz);
    write_key(writer, "note");
    write_json(writer, run->note);
    write_string(writer, "},\n");
}

static void write_run(struct writer *writer, const struct run_summary *run)
{
    write_string(writer, "  \"run\": {");
    member_count(writer, "number", run->run_number);
    write_key(writer, "date");
    if (run->date[0])
        write_json(writer, run->date);
    else
        write_string(writer, "null");
    write_string(writer, ", ");
    member_string(writer, "mode", run->mode);
    member_string(writer, "options", run->options);
    member_count(writer, "seed", run->seed);
    member_count(writer, "core", run->core);
    member_count(writer, "duration_ms", run->duration_ms);
    member_count(writer, "disturbances", run->disturbances);
    member_count(writer, "lost_ticks", run->lost_ticks);
    member_count(writer, "skipped", run->skipped);
    write_format(writer, "\"faulted\": %u},\n", run->faulted);
}

static void write_point(struct writer *writer, const struct point *point)
{
    const double number[4] = {point->x, point->low, point->middle, point->high};

    for (unsigned i = 0; i < 4; i++) {
        write_string(writer, i == 0 ? "[" : ", ");
        write_number(writer, number[i]);
    }
    write_string(writer, "]");
}

static void write_series(struct writer *writer, const struct notebook *notebook, const struct series *series)
{
    write_string(writer, "    {");
    member_string(writer, "id", series->id);
    member_string(writer, "x", series->x);
    member_string(writer, "y", series->y);
    write_string(writer, "\"points\": [");
    for (unsigned i = 0; i < series->count; i++) {
        write_string(writer, i == 0 ? "\n      " : ",\n      ");
        write_point(writer, &notebook->point[series->first + i]);
    }
    write_string(writer, series->count ? "\n    ]}" : "]}");
}

bool report_json(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "{\n  \"schema\": \"assay-result/1\",\n  \"tool\": {\"name\": \"assay\", ");
    member_string(&writer, "version", run->tool_version);
    write_key(&writer, "build");
    write_json(&writer, run->build);
    write_string(&writer, "},\n");
    write_machine(&writer, run);
    write_run(&writer, run);
    write_format(&writer, "  \"dropped\": %u,\n  \"findings\": [", notebook->dropped);
    for (unsigned i = 0; i < notebook->findings; i++) {
        write_string(&writer, i == 0 ? "\n    " : ",\n    ");
        write_finding(&writer, &notebook->finding[i]);
    }
    write_string(&writer, notebook->findings ? "\n  ],\n  \"series\": [" : "],\n  \"series\": [");
    for (unsigned i = 0; i < notebook->series_count; i++) {
        write_string(&writer, i == 0 ? "\n" : ",\n");
        write_series(&writer, notebook, &notebook->series[i]);
    }
    write_string(&writer, notebook->series_count ? "\n  ]\n}\n" : "]\n}\n");
    return writer_end(&writer);
}

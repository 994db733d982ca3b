// SPDX-License-Identifier: BSD-2-Clause
/* diff_json.c: two runs compared, as JSON: format assay-diff/1 (docs/results.md). Findings stand in it as they do in
 * result.json. */
#include "hosted/diff.h"

static void write_member(struct writer *writer, const char *key, const char *value)
{
    write_json(writer, key);
    write_string(writer, ": ");
    write_json(writer, value);
}

static void write_one_finding(struct writer *writer, const struct finding *finding)
{
    if (!finding)
        write_string(writer, "null");
    else if (writer_end(writer)) /* what stands before it goes out first */
        writer->good = report_finding(writer->sink, finding);
}

static void write_findings(struct writer *writer, const struct comparison_of_runs *runs)
{
    struct pairing pairing = {.first = side_findings(&runs->first), .second = side_findings(&runs->second)};
    bool any = false;
    struct pair pair;

    write_string(writer, "  \"findings\": [");
    while (compare_next(&pairing, &pair)) {
        if (!runs->all && pair.comparison < UNCERTAIN)
            continue;
        write_string(writer, any ? ",\n    {" : "\n    {");
        any = true;
        write_member(writer, "id", pair.first ? pair.first->id : pair.second->id);
        write_string(writer, ", ");
        write_member(writer, "comparison", comparison_name(pair.comparison));
        write_string(writer, ", ");
        write_member(writer, "aspect", aspect_name(pair.aspect));
        write_string(writer, ",\n     \"a\": ");
        write_one_finding(writer, pair.first);
        write_string(writer, ",\n     \"b\": ");
        write_one_finding(writer, pair.second);
        write_string(writer, "}");
    }
    write_string(writer, any ? "\n  ]\n" : "]\n");
}

static void write_facts(struct writer *writer, const struct comparison_of_runs *runs)
{
    bool any = false;

    write_string(writer, "  \"facts\": [");
    for (unsigned i = 0; i < runs->facts.count; i++) {
        const struct fact *fact = &runs->facts.fact[i];
        if (!fact->differs && !runs->all)
            continue;
        write_string(writer, any ? ",\n    {" : "\n    {");
        any = true;
        write_member(writer, "name", fact->name);
        write_format(writer, ", \"counts\": %s, \"differs\": %s, ", fact->counts ? "true" : "false",
                     fact->differs ? "true" : "false");
        write_member(writer, "a", fact->first);
        write_string(writer, ", ");
        write_member(writer, "b", fact->second);
        write_string(writer, "}");
    }
    write_string(writer, any ? "\n  ],\n" : "],\n");
}

bool diff_json(struct report_sink *sink, const struct comparison_of_runs *runs)
{
    const struct tally *tally = &runs->tally;
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "{\n  \"schema\": \"assay-diff/1\",\n  ");
    write_member(&writer, "a", runs->first.path);
    write_string(&writer, ",\n  ");
    write_member(&writer, "b", runs->second.path);
    write_format(&writer, ",\n  \"same\": %s,\n", runs_differ(runs) ? "false" : "true");
    write_format(&writer, "  \"different\": %u, \"uncertain\": %u, \"not_asked\": %u, \"equal\": %u, ",
                 tally->of[DIFFERENT], tally->of[UNCERTAIN], tally->of[NOT_ASKED], tally->of[EQUAL]);
    write_format(&writer, "\"of_the_run\": %u, \"facts_different\": %u,\n", tally->of[OF_THE_RUN],
                 runs->facts.different);
    write_facts(&writer, runs);
    write_findings(&writer, runs);
    write_string(&writer, "}\n");
    return writer_end(&writer);
}

// SPDX-License-Identifier: BSD-2-Clause
/* lava.c: a run as LAVA's test-case lines. */
#include "report/lava.h"
#include "report/answer.h"
#include "report/writer.h"

static const char *result_of(const struct pair *pair, bool baseline)
{
    const struct finding *finding = pair->second;

    if (baseline && pair->comparison == DIFFERENT)
        return "fail";
    if (!finding || !has_value(finding))
        return "skip";
    if (finding->emulated || (baseline && pair->comparison == UNCERTAIN))
        return "unknown";
    return finding->agreement == DIFFERS ? "fail" : "pass";
}

static void write_case(struct writer *writer, const struct pair *pair, bool baseline)
{
    const struct finding *finding = pair->second;

    write_format(writer, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s",
                 pair->second ? finding->id : pair->first->id, result_of(pair, baseline));
    if (finding && has_value(finding)) {
        write_string(writer, " MEASUREMENT=");
        write_number(writer, finding->value);
        if (finding->unit[0])
            write_format(writer, " UNITS=%s", finding->unit);
    }
    write_string(writer, ">\n");
}

bool report_lava(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook,
                 struct findings baseline)
{
    struct findings found = {notebook->finding, notebook->findings};
    struct pairing pairing = {.first = baseline, .second = found};
    bool compared = baseline.count > 0;
    struct writer writer;
    struct pair pair;

    writer_start(&writer, sink);
    write_format(&writer, "<LAVA_SIGNAL_STARTRUN assay %u>\n", run->run_number);
    while (compare_next(&pairing, &pair)) {
        /* What this run was not asked for is no test of it. */
        if (pair.second || pair.comparison != NOT_ASKED)
            write_case(&writer, &pair, compared);
    }
    if (compared)
        write_format(&writer, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=baseline RESULT=%s>\n",
                     compare_all(baseline, found).of[DIFFERENT] ? "fail" : "pass");
    write_format(&writer, "<LAVA_SIGNAL_ENDRUN assay %u>\n", run->run_number);
    return writer_end(&writer);
}

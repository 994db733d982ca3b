// SPDX-License-Identifier: BSD-2-Clause
/* suite_xray.c: the table of the suite `xray`: this machine in Tables 2 and 3, and in section 6, of Yotov, Pingali and
 * Stodghill, "Automatic Measurement of Memory Hierarchy Parameters" (SIGMETRICS 2005; paper 000), beside what the paper
 * prints for its own machines: what they are, and what three tools said. Of this machine nothing is told but findings.
 */
#include "report/answer.h"
#include "report/quantity.h"
#include "report/suite.h"
#include "report/writer.h"

enum { TOOLS = 4, MOST_MACHINES = 8, NAME_END = 18, COLUMN = 12, LINE_SIZE = 160 };

/* Entries as the paper has them: what the machine truly has, and what X-Ray, Calibrator and lmbench said. Characters
 * instead of pointers to them: the image would have to relocate each of those. */
struct entry {
    char said[TOOLS][7];
};

/* A parameter; id: the finding that this machine has of it, in units of `unit`. */
struct parameter {
    char title[36], id[20];
    unsigned unit;
    struct entry machine[MOST_MACHINES]; /* empty where the paper has none */
};

static const char tools[TOOLS][11] = {"actual", "X-Ray", "Calibrator", "lmbench"};

static const char machines[MOST_MACHINES][16] = {"Pentium 4",       "Itanium 2", "Athlon MP", "Opteron 240",
                                                 "UltraSPARC IIIi", "R12000",    "Power 3",   "Pentium III"};

/* Where two machines share an entry, it stands at both. */
static const struct parameter table2[] = {
    {"L1 data cache: capacity (KB)",
     "l1d.size",
     1024,
     {{{"8", "8", "8", "8"}},
      {{"16", "16", "16", "abort"}},
      {{"64", "64", "64", "empty"}},
      {{"64", "64", "64", "abort"}},
      {{"64", "64", "64", "64"}},
      {{"32", "32", "32", "32"}},
      {{"64", "64.5", "64", "64"}}}},
    {"L1 data cache: block (bytes)",
     "l1d.line",
     1,
     {{{"64", "64", "32", "64"}},
      {{"64", "64", "64", "abort"}},
      {{"64", "64", "64", "empty"}},
      {{"64", "64", "32", "abort"}},
      {{"32", "32", "32", "32"}},
      {{"16", "16", "64", "32"}},
      {{"128", "128", "128", "128"}}}},
    {"L1 data cache: associativity",
     "l1d.ways",
     1,
     {{{"4", "4", "n/a", "n/a"}},
      {{"4", "4", "n/a", "n/a"}},
      {{"2", "2", "n/a", "n/a"}},
      {{"2", "2", "n/a", "n/a"}},
      {{"4", "4", "n/a", "n/a"}},
      {{"2", "2", "n/a", "n/a"}},
      {{"128", "129", "n/a", "n/a"}}}},
    {"L1 data cache: hit latency (cycles)",
     "l1d.latency",
     1,
     {{{"2", "4.32", "2.02", "2.06"}},
      {{"2", "1.99", "2", "abort"}},
      {{"3", "3.02", "3.17", "empty"}},
      {{"3", "3.02", "3.02", "abort"}},
      {{"2", "2", "1.99", "2"}},
      {{"2", "2.02", "2.07", "2.01"}},
      {{"2", "2.01", "2", "2.01"}}}},
    {"L2 data cache: capacity (KB)",
     "l2.size",
     1024,
     {{{"512", "512", "384", "512"}},
      {{"256", "256", "256", "abort"}},
      {{"512", "576", "384", "512"}},
      {{"1024", "1088", "768", "abort"}},
      {{"512", "os", "1024", "1024"}},
      {{"512", "os", "2048", "2048"}},
      {{"512", "os", "6144", "6144"}}}},
    {"L2 data cache: block (bytes)",
     "l2.line",
     1,
     {{{"128", "128", "128", "128"}},
      {{"128", "128", "128", "128"}},
      {{"64", "64", "64", "64"}},
      {{"64", "64", "64", "64"}},
      {{"64", "os", "64", "64"}},
      {{"128", "os", "128", "128"}},
      {{"128", "os", "128", "128"}}}},
    {"L2 data cache: associativity",
     "l2.ways",
     1,
     {{{"8", "8", "n/a", "n/a"}},
      {{"8", "8", "n/a", "n/a"}},
      {{"16", "18", "n/a", "n/a"}},
      {{"16", "17", "n/a", "n/a"}},
      {{"?", "os", "n/a", "n/a"}},
      {{"?", "os", "n/a", "n/a"}},
      {{"?", "os", "n/a", "n/a"}}}},
    {"L2 data cache: hit latency (cycles)",
     "l2.latency",
     1,
     {{{"?", "41.52", "17.75", "20.36"}},
      {{"?", "5.98", "4.16", "abort"}},
      {{"?", "36", "18.25", "2.69"}},
      {{"?", "22.8", "13.13", "abort"}},
      {{"?", "12.89", "12.41", "15.15"}},
      {{"?", "13.69", "11.94", "13.86"}},
      {{"?", "18.13", "8.52", "17.19"}}}},
    {"Main memory: latency (cycles)",
     "mem.latency",
     1,
     {{{"?", "761.92", "372.42", "368.31"}},
      {{"?", "297.65", "281.45", "abort"}},
      {{"?", "471.35", "400.57", "197.58"}},
      {{"?", "136.21", "126.81", "abort"}},
      {{"?", "os", "164", "172.81"}},
      {{"?", "os", "110.92", "122.06"}},
      {{"?", "os", "136.22", "160.84"}}}},
};

/* The Itanium 2 alone has a third level. */
static const struct parameter table3[] = {
    {"L3 cache: capacity (KB)", "l3.size", 1024, {[1] = {{"6144", "6144", "6144", "abort"}}}},
    {"L3 cache: block (bytes)", "l3.line", 1, {[1] = {{"128", "128", "128", "abort"}}}},
    {"L3 cache: associativity", "l3.ways", 1, {[1] = {{"24", "24", "n/a", "n/a"}}}},
    {"L3 cache: hit latency (cycles)", "l3.latency", 1, {[1] = {{"?", "19", "14", "abort"}}}},
};

/* Section 6, for pages of 4 KB. Of the other tools it says that none was right on any machine. */
static const struct parameter section6[] = {
    {"TLB: entries",
     "dtlb1.4k.entries",
     1,
     {[0] = {{"64", "65", "wrong", "wrong"}}, [7] = {{"64", "64", "wrong", "wrong"}}}},
    {"TLB: associativity",
     "dtlb1.4k.ways",
     1,
     {[0] = {{"64", "65", "wrong", "wrong"}}, [7] = {{"4", "4", "wrong", "wrong"}}}},
};

/* An entry, right-aligned in the column of its tool. */
static void add_entry(struct text *line, unsigned tool, const char *said)
{
    suite_right(line, NAME_END + (tool + 1) * COLUMN, said);
}

static void write_tools(struct writer *writer)
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    for (unsigned i = 0; i < TOOLS; i++)
        add_entry(&line, i, tools[i]);
    write_format(writer, "%s\n", line.at);
}

static void write_entries(struct writer *writer, const char *name, const struct entry *entry)
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "  %s", name);
    for (unsigned i = 0; i < TOOLS; i++)
        add_entry(&line, i, entry->said[i]);
    write_format(writer, "%s\n", line.at);
}

static void declared_text(struct text *text, const struct finding *finding, unsigned unit)
{
    text_string(text, "declared ");
    quantity_text(text, (double)finding->declared_low / unit, "");
    if (finding->declared_high != finding->declared_low) {
        text_string(text, " to ");
        quantity_text(text, (double)finding->declared_high / unit, "");
    }
    text_format(text, " by %s", finding->declared_by);
}

/* What assay found here: the value and how sure it is, or why there is none; and what the machine declares. */
static void write_here(struct writer *writer, const struct notebook *notebook, const struct parameter *parameter,
                       unsigned columns)
{
    const struct finding *finding = noted(notebook, parameter->id);
    char buffer[512];
    struct text text = text_in(buffer, sizeof buffer);

    if (!finding || !has_value(finding)) {
        suite_why(&text, finding, parameter->id);
    } else {
        quantity_text(&text, finding->value / parameter->unit, "");
        text_format(&text, " by assay, %.1f %% sure%s", sure_of(finding) * 100,
                    finding->emulated ? ", on an emulator whose clock is not this machine's" : "");
    }
    if (finding && finding->agreement != NOTHING_DECLARED) {
        text_string(&text, "; ");
        declared_text(&text, finding, parameter->unit);
    }
    write_string(writer, "  this machine    ");
    write_wrapped(writer, text.at, NAME_END, columns);
}

static void write_parameters(struct writer *writer, const struct notebook *notebook, const struct parameter *parameter,
                             unsigned count, unsigned columns)
{
    for (unsigned i = 0; i < count; i++) {
        write_format(writer, "\n%s\n", parameter[i].title);
        write_here(writer, notebook, &parameter[i], columns);
        write_tools(writer);
        for (unsigned j = 0; j < MOST_MACHINES; j++)
            if (parameter[i].machine[j].said[0][0])
                write_entries(writer, machines[j], &parameter[i].machine[j]);
    }
}

bool report_suite_xray(struct report_sink *sink, const struct notebook *notebook, unsigned columns)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "\nSuite xray: Tables 2, 3 and section 6 of Yotov, Pingali, Stodghill (2005)\n");
    write_wrapped(
        &writer,
        "n/a: the tool does not claim to measure it. wrong: section 6 says no more of it. empty: it ended without a "
        "value. abort: it broke off. os: "
        "X-Ray would have needed support by the operating system. ?: not stated. X-Ray's L2 of the Athlon MP and "
        "the Opteron 240 is L1 and L2 together, which exclude each other there; assay tells a level's own size.",
        0, columns);
    write_string(&writer, "\nTable 2\n");
    write_parameters(&writer, notebook, table2, sizeof table2 / sizeof *table2, columns);
    write_string(&writer, "\nTable 3\n");
    write_parameters(&writer, notebook, table3, sizeof table3 / sizeof *table3, columns);
    write_string(&writer, "\nSection 6: the first TLB, for pages of 4 KB (whose size X-Ray found, too)\n");
    write_parameters(&writer, notebook, section6, sizeof section6 / sizeof *section6, columns);
    return writer_end(&writer);
}

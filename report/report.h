// SPDX-License-Identifier: BSD-2-Clause
/* report.h: a finished run as documents. Pure: a document goes piece by piece to report_out(), which the program
 * defines (a file on the stick, a file on the host, a buffer in a test). The same run gives the same bytes in every
 * program. */
#pragma once
#include "probes/finding.h"

/* How a run compares with its baseline (run/golden.h). */
enum verdict { NO_BASELINE, BASELINE_PASSED, BASELINE_FAILED };

/* What a report says about the run besides findings and series. Strings may be "", never NULL. */
struct run_summary {
    const char *tool_version; /* "0.1.0" */
    const char *build;        /* identifies the build, the same for the same sources */
    const char *implementation, *vendor, *brand, *board, *serial, *firmware, *hypervisor, *note;
    uint32_t signature;
    uint64_t microcode, tsc_hz, core_hz; /* 0: not known */
    bool emulated;
    const char *mode;    /* "borrowed" on bare metal, "user space", "model" */
    const char *options; /* as given, in one line */
    const char *date;    /* ISO 8601, "" when the clock is dead */
    unsigned run_number;
    uint64_t duration_ms, seed;
    unsigned processors, core; /* core: where the probes ran */
    uint64_t disturbances, lost_ticks;
    unsigned skipped, faulted; /* probes */
    enum verdict verdict;
};

/* Where a document goes; defined by the program, any number of bytes at a time. False: it could not be written, stop.
 */
struct report_sink;
bool report_out(struct report_sink *, const char *bytes, size_t length);

/* Each writes one document and returns false as soon as the sink does. */
bool report_json(struct report_sink *, const struct run_summary *,
                 const struct notebook *); /* result.json: assay-result/1, docs/result.schema.json */
bool report_findings(struct report_sink *, const struct notebook *); /* findings.csv, RFC 4180 */
bool report_series(struct report_sink *, const struct notebook *);   /* series.csv, RFC 4180 */
bool report_html(struct report_sink *, const struct run_summary *,
                 const struct notebook *); /* report.html, for people */
bool report_topology(struct report_sink *, const struct run_summary *,
                     const struct notebook *); /* topology.xml, as hwloc reads it */
bool report_sysfs(struct report_sink *, const struct run_summary *,
                  const struct notebook *); /* cache.txt, as grep shows Linux's sysfs */
bool report_table(struct report_sink *, const struct run_summary *, const struct notebook *,
                  unsigned columns); /* console table; columns at least 60 */

/* The tables of the suites (run/suites.h), from findings and series alone; columns at least 79. */
bool report_suite_xray(struct report_sink *, const struct notebook *, unsigned columns); /* paper 000, Tables 2, 3 */
bool report_suite_list(struct report_sink *, const struct notebook *, unsigned columns); /* paper 003 */
bool report_suite_babka(struct report_sink *, const struct notebook *, unsigned columns,
                        bool whole); /* paper 004, Table 2, Figures 5 to 11; whole: each point of their curves */

/* One finding as a JSON object, for the journal (no newline). */
bool report_finding(struct report_sink *, const struct finding *);

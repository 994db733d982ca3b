// SPDX-License-Identifier: BSD-2-Clause
/* csv.c: findings.csv and series.csv (RFC 4180: lines end in CR LF, one heading line; an empty field: does not apply).
 */
#include "report/answer.h"
#include "report/writer.h"

static void write_field(struct writer *writer, const char *field)
{
    write_csv(writer, field);
    write_string(writer, ",");
}

/* An empty field for what is not a number. */
static void write_value(struct writer *writer, double value)
{
    if (value - value == 0)
        write_number(writer, value);
}

static const char *agreement_word(const struct finding *finding)
{
    if (!has_value(finding) || finding->agreement == NOTHING_DECLARED)
        return "";
    return finding->agreement == AGREES ? "agrees" : "differs";
}

static void write_row(struct writer *writer, const struct finding *finding)
{
    write_field(writer, finding->id);
    write_string(writer, has_value(finding) ? "yes," : "no,");
    if (has_value(finding))
        write_value(writer, finding->value);
    write_string(writer, ",");
    write_field(writer, finding->unit);
    if (has_value(finding))
        write_number(writer, sure_of(finding));
    write_format(writer, ",%llu,", (unsigned long long)finding->cost);
    write_field(writer, has_value(finding) ? finding->method : "");
    write_field(writer, has_value(finding) ? "" : reason(finding));
    write_string(writer, finding->emulated ? "yes," : "no,");
    if (finding->agreement == NOTHING_DECLARED)
        write_string(writer, ",,,");
    else {
        write_format(writer, "%llu,%llu,", (unsigned long long)finding->declared_low,
                     (unsigned long long)finding->declared_high);
        write_field(writer, finding->declared_by);
    }
    write_string(writer, agreement_word(finding));
    write_string(writer, "\r\n");
}

bool report_findings(struct report_sink *sink, const struct notebook *notebook)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "id,measured,value,unit,confidence,cost,method,why,emulated,declared_low,declared_high,"
                          "declared_by,agreement\r\n");
    for (unsigned i = 0; i < notebook->findings; i++)
        write_row(&writer, &notebook->finding[i]);
    return writer_end(&writer);
}

bool report_series(struct report_sink *sink, const struct notebook *notebook)
{
    struct writer writer;

    writer_start(&writer, sink);
    write_string(&writer, "series,x_unit,y_unit,x,low,middle,high\r\n");
    for (unsigned i = 0; i < notebook->series_count; i++) {
        const struct series *series = &notebook->series[i];
        for (unsigned j = 0; j < series->count; j++) {
            const struct point *point = &notebook->point[series->first + j];
            write_field(&writer, series->id);
            write_field(&writer, series->x);
            write_field(&writer, series->y);
            write_value(&writer, point->x);
            write_string(&writer, ",");
            write_value(&writer, point->low);
            write_string(&writer, ",");
            write_value(&writer, point->middle);
            write_string(&writer, ",");
            write_value(&writer, point->high);
            write_string(&writer, "\r\n");
        }
    }
    return writer_end(&writer);
}

// SPDX-License-Identifier: BSD-2-Clause
/* table.c: the console's table: one line a finding, in at most so many columns of plain ASCII; what could not be
 * measured says why in its place; of those that follow each other for one reason, the first does. */
#include "report/answer.h"
#include "report/quantity.h"
#include "report/writer.h"

enum { LINE_SIZE = 512 };

/* Columns at which the parts of a line start; method 0: it is not shown. */
struct layout {
    size_t columns, value, confidence, declared, method;
};

/* With room for it, the longest id stands beside its value, and how it was found is told. */
static struct layout layout_for(size_t columns)
{
    if (columns < 100)
        return (struct layout){columns, 20, 34, 43, 0};
    return (struct layout){columns, 29, 43, 52, columns < 132 ? 0 : 84};
}

/* Makes text that came from outside fit for a console. */
static void make_printable(char *text)
{
    for (; *text; text++) {
        if (*text < 0x20 || *text > 0x7E)
            *text = '?';
    }
}

static void declared_text(struct text *line, const struct finding *finding)
{
    if (finding->agreement == NOTHING_DECLARED)
        return;
    if (has_value(finding))
        text_string(line, finding->agreement == AGREES ? "= " : "DIFFERS: ");
    quantity_text(line, (double)finding->declared_low, finding->unit);
    if (finding->declared_high != finding->declared_low) {
        text_string(line, " to ");
        quantity_text(line, (double)finding->declared_high, finding->unit);
    }
    text_format(line, " by %s", finding->declared_by);
}

/* Starts the next part at its column, or one blank on when the part before it is too long. */
static void next_part(struct text *line, size_t column)
{
    text_char(line, ' ');
    text_column(line, column);
}

/* Value, confidence, what is declared and how it was found. */
static void measured_text(struct text *head, struct text *tail, const struct finding *finding,
                          const struct layout *layout)
{
    quantity_text(head, finding->value, finding->unit);
    next_part(head, layout->confidence);
    confidence_text(head, sure_of(finding));
    next_part(head, layout->declared);
    declared_text(layout->method ? head : tail, finding);
    if (layout->method && finding->method[0]) {
        next_part(head, layout->method);
        text_string(tail, finding->method);
    }
}

/* The first of those that are missing for the same reason, without another between. */
static const struct finding *first_alike(const struct finding *all, const struct finding *finding)
{
    while (finding > all && !has_value(finding - 1) && text_equal(reason(finding - 1), reason(finding)))
        finding--;
    return finding;
}

/* One of all findings. */
static void write_finding(struct writer *writer, const struct finding *all, const struct finding *finding,
                          const struct layout *layout)
{
    char head_buffer[LINE_SIZE], tail_buffer[LINE_SIZE];
    struct text head = text_in(head_buffer, sizeof head_buffer), tail = text_in(tail_buffer, sizeof tail_buffer);

    text_string(&head, finding->id);
    next_part(&head, layout->value);
    if (has_value(finding)) {
        measured_text(&head, &tail, finding, layout);
    } else {
        const struct finding *first = first_alike(all, finding);
        text_format(&tail, "not measurable: %s%s", first < finding ? "as " : "",
                    first < finding ? first->id : reason(finding));
        if (finding->agreement != NOTHING_DECLARED) {
            text_string(&tail, " (declared: ");
            declared_text(&tail, finding);
            text_char(&tail, ')');
        }
    }
    make_printable(head.at);
    make_printable(tail.at);
    if (tail.length == 0)
        while (head.length > 0 && head.at[head.length - 1] == ' ')
            head.length--;
    write_bytes(writer, head.at, head.length);
    if (head.length + 16 > layout->columns) {
        write_string(writer, "\n");
        write_blanks(writer, layout->value);
        head.length = layout->value;
    }
    write_wrapped(writer, tail.at, head.length, layout->columns);
}

static void write_machine(struct writer *writer, const struct run_summary *run, size_t columns)
{
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    text_string(&line, run->brand[0] ? run->brand : run->vendor);
    if (run->board[0])
        text_format(&line, ", %s", run->board);
    if (run->hypervisor[0])
        text_format(&line, ", under %s", run->hypervisor);
    text_format(&line, " (%s)", run->mode);
    make_printable(line.at);
    write_wrapped(writer, line.at, 0, columns);
    if (!run->note[0])
        return;
    line = text_in(buffer, sizeof buffer);
    text_format(&line, "Note: %s", run->note);
    make_printable(line.at);
    write_wrapped(writer, line.at, 0, columns);
}

/* The last lines: how much of it succeeded. */
static void write_totals(struct writer *writer, const struct run_summary *run, const struct notebook *notebook,
                         size_t columns)
{
    unsigned measured = 0, agree = 0, differ = 0;
    bool emulated = false;
    char buffer[LINE_SIZE];
    struct text line = text_in(buffer, sizeof buffer);

    for (unsigned i = 0; i < notebook->findings; i++) {
        const struct finding *finding = &notebook->finding[i];
        measured += has_value(finding);
        agree += has_value(finding) && finding->agreement == AGREES;
        differ += has_value(finding) && finding->agreement == DIFFERS;
        emulated = emulated || (has_value(finding) && finding->emulated);
    }
    text_format(&line, "%u of %u measured", measured, notebook->findings);
    if (agree + differ > 0)
        text_format(&line, ", %u agree%s with what the machine declares, %u differ%s", agree, agree == 1 ? "s" : "",
                    differ, differ == 1 ? "s" : "");
    if (run->skipped)
        text_format(&line, ", %u probe%s skipped", run->skipped, run->skipped == 1 ? "" : "s");
    if (run->faulted)
        text_format(&line, ", %u probe%s faulted", run->faulted, run->faulted == 1 ? "" : "s");
    if (notebook->dropped)
        text_format(&line, ", %u notes did not fit", notebook->dropped);
    text_format(&line, "; %.1f s.", (double)run->duration_ms / 1000);
    write_wrapped(writer, line.at, 0, columns);
    if (emulated)
        write_wrapped(writer,
                      "Emulated: these values show the computer that emulates this one, through the emulator's clock.",
                      0, columns);
}

bool report_table(struct report_sink *sink, const struct run_summary *run, const struct notebook *notebook,
                  unsigned columns)
{
    struct writer writer;
    char buffer[LINE_SIZE];
    struct text heading = text_in(buffer, sizeof buffer);
    struct layout layout = layout_for(columns);

    writer_start(&writer, sink);
    write_machine(&writer, run, columns);
    text_string(&heading, "finding");
    text_column(&heading, layout.value);
    text_string(&heading, "value");
    text_column(&heading, layout.confidence);
    text_string(&heading, "sure");
    text_column(&heading, layout.declared);
    text_string(&heading, "declared");
    if (layout.method) {
        text_column(&heading, layout.method);
        text_string(&heading, "how it was found");
    }
    write_format(&writer, "%s\n", heading.at);
    for (unsigned i = 0; i < notebook->findings; i++)
        write_finding(&writer, notebook->finding, &notebook->finding[i], &layout);
    write_totals(&writer, run, notebook, columns);
    return writer_end(&writer);
}

// SPDX-License-Identifier: BSD-2-Clause
/* note.c: writing findings and series into a notebook. */
#include "base/text.h"
#include "probes/finding.h"

/* The entry for an id: the one that is there, a new one, or, in a full notebook, its last entry as scratch. */
static struct finding *entry(struct notebook *notebook, const char *id)
{
    for (unsigned i = 0; i < notebook->findings; i++)
        if (text_equal(notebook->finding[i].id, id))
            return &notebook->finding[i];
    if (notebook->findings == MAX_FINDINGS - 1) {
        notebook->dropped++;
        return &notebook->finding[MAX_FINDINGS - 1];
    }
    return &notebook->finding[notebook->findings++];
}

struct finding *note_value(struct notebook *notebook, const char *id, double value, const char *unit, double confidence,
                           uint64_t cost, const char *method)
{
    struct finding *finding = entry(notebook, id);
    *finding = (struct finding){.measured = true, .value = value, .confidence = confidence, .cost = cost};
    text_copy(finding->id, sizeof finding->id, id);
    text_copy(finding->unit, sizeof finding->unit, unit);
    text_copy(finding->method, sizeof finding->method, method);
    return finding;
}

struct finding *note_missing(struct notebook *notebook, const char *id, const char *unit, uint64_t cost,
                             const char *why, ...)
{
    struct finding *finding = entry(notebook, id);
    if (finding->measured && text_equal(finding->id, id))
        return finding;
    *finding = (struct finding){.cost = cost};
    text_copy(finding->id, sizeof finding->id, id);
    text_copy(finding->unit, sizeof finding->unit, unit);
    struct text text = text_in(finding->why, sizeof finding->why);
    va_list list;
    va_start(list, why);
    text_format_list(&text, why, list);
    va_end(list);
    return finding;
}

struct series *note_series(struct notebook *notebook, const char *id, const char *x, const char *y)
{
    if (notebook->series_count == MAX_SERIES) {
        notebook->dropped++;
        return NULL;
    }
    struct series *series = &notebook->series[notebook->series_count++];
    *series = (struct series){.first = notebook->points};
    text_copy(series->id, sizeof series->id, id);
    text_copy(series->x, sizeof series->x, x);
    text_copy(series->y, sizeof series->y, y);
    return series;
}

void note_point(struct notebook *notebook, struct series *series, struct point point)
{
    if (!series || notebook->points == MAX_POINTS) {
        notebook->dropped++;
        return;
    }
    notebook->point[notebook->points++] = point;
    series->count++;
}

const struct finding *noted(const struct notebook *notebook, const char *id)
{
    for (unsigned i = 0; i < notebook->findings; i++)
        if (text_equal(notebook->finding[i].id, id))
            return &notebook->finding[i];
    return NULL;
}

double noted_value(const struct notebook *notebook, const char *id, double *error)
{
    const struct finding *finding = noted(notebook, id);
    bool measured = finding && finding->measured;
    double wrong = measured ? 1 - finding->confidence : 1;

    if (error && wrong > *error)
        *error = wrong;
    return measured ? finding->value : 0;
}

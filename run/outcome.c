// SPDX-License-Identifier: BSD-2-Clause
/* outcome.c: how a probe ended, as findings. */
#include "run/outcome.h"

enum { PAGE_FAULT = 14 };

static const char *vector_name(unsigned vector)
{
    /* The vectors of exceptions, as the manuals of both vendors abbreviate them. */
    static const char *const names[32] = {
        [0] = "#DE",  [1] = "#DB",  [2] = "NMI",  [3] = "#BP",  [4] = "#OF",  [5] = "#BR",  [6] = "#UD",
        [7] = "#NM",  [8] = "#DF",  [10] = "#TS", [11] = "#NP", [12] = "#SS", [13] = "#GP", [14] = "#PF",
        [16] = "#MF", [17] = "#AC", [18] = "#MC", [19] = "#XM", [20] = "#VE", [21] = "#CP"};

    return vector < 32 && names[vector] ? names[vector] : "interrupt";
}

void fault_text(struct text *text, const struct fault *fault)
{
    text_format(text, "fault %s at 0x%llx (error 0x%llx", vector_name(fault->vector), (unsigned long long)fault->rip,
                (unsigned long long)fault->error);
    if (fault->vector == PAGE_FAULT)
        text_format(text, ", address 0x%llx", (unsigned long long)fault->cr2);
    text_char(text, ')');
    if (fault->during[0])
        text_format(text, " while %s", fault->during);
}

void note_rest_missing(struct notebook *notebook, const struct probe *probe, uint64_t cost, const char *why)
{
    const char *at = probe->ids;

    while (*at) {
        char id[sizeof notebook->finding[0].id];
        struct text text = text_in(id, sizeof id);
        while (*at == ' ')
            at++;
        while (*at && *at != ' ')
            text_char(&text, *at++);
        if (text.length > 0 && !noted(notebook, id))
            note_missing(notebook, id, "", cost, "%s", why);
    }
}

static bool agrees(const struct finding *finding)
{
    double slack = text_equal(finding->unit, "Hz") ? 0.01 : 0;

    return finding->value >= (double)finding->declared_low * (1 - slack) &&
           finding->value <= (double)finding->declared_high * (1 + slack);
}

static void compare_one(struct finding *finding, const struct facts *facts)
{
    for (unsigned i = 0; i < facts->declared_count; i++) {
        const struct declared *declared = &facts->declared[i];
        if (!text_equal(declared->id, finding->id))
            continue;
        finding->declared_low = declared->low;
        finding->declared_high = declared->high;
        text_copy(finding->declared_by, sizeof finding->declared_by, declared->by);
        finding->agreement = finding->measured && agrees(finding) ? AGREES : DIFFERS;
    }
}

void compare_declared(struct notebook *notebook, const struct facts *facts)
{
    for (unsigned i = 0; i < notebook->findings; i++) {
        notebook->finding[i].emulated = facts->emulated;
        compare_one(&notebook->finding[i], facts);
    }
}

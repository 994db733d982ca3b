// SPDX-License-Identifier: BSD-2-Clause
/* likely.c: sums of differences, and multiples of their divisor. */
#include "probes/likely.h"
#include "base/arithmetic.h"

enum {
    LEAST = 2,     /* lines that foretell others */
    MOST_FALSE = 3 /* of those that are foretold: the rule is another one */
};

bool likely_kin(const struct push *push, const struct scene *scene, const struct kin *kin, enum likely rule,
                struct kin *likely)
{
    struct gf2 space = {.dimension = 0};
    uint64_t divisor = 0;
    for (unsigned i = 0; i < scene->lines; i++) {
        gf2_add(&space, scene->line[i] ^ scene->target);
        divisor = common_divisor(divisor, difference(scene->line[i], scene->target));
    }
    /* Multiples are kin where these are multiples of something, too. */
    if (scene->lines < LEAST || !divisor || (rule == LIKELY_MODULO && !kin->stride))
        return false;
    *likely = rule == LIKELY_MODULO ? kin_modulo(&push->region, divisor) : kin_by(&push->region, &space, kin->odd);
    return kin_count(likely, &push->region) > scene->lines + 1;
}

void likely_grow(struct push *push, struct scene *scene, const struct scene *alike, const struct kin *kin,
                 unsigned wanted)
{
    for (unsigned rule = 0; rule < LIKELY_RULES && push_ok(push); rule++) {
        struct kin likely;
        if (!likely_kin(push, alike, kin, rule, &likely))
            continue;
        uint64_t seed = bench_seed(push->bench);
        unsigned false_ones = 0;
        for (uint64_t i = 0;
             scene->lines < wanted && false_ones < MOST_FALSE && i < kin_count(&likely, &push->region) && push_ok(push);
             i++) {
            uint64_t line = kin_draw(&likely, &push->region, scene->target, seed, i);
            if (line == scene->target || push_among(scene->line, scene->lines, line) ||
                push_among(scene->helper, scene->helpers, line) || !kin_are(kin, line, scene->target))
                continue;
            if (evict_takes(push, scene, line, VOTES_CHECK))
                scene->line[scene->lines++] = line;
            else
                false_ones++;
        }
    }
}

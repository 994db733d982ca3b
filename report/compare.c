// SPDX-License-Identifier: BSD-2-Clause
/* compare.c: what differs between the findings of two runs. */
#include "report/compare.h"
#include "report/answer.h"
#include "report/quantity.h"

static const double sure_enough = 0.9, of_six_digits = 1e-5;

static double larger(double one, double other)
{
    return one > other ? one : other;
}

static double size_of(double value)
{
    return value < 0 ? -value : value;
}

static bool is_integer(double value)
{
    return size_of(value) < 9e15 && value == (double)(int64_t)value;
}

/* How far apart two values of a unit may be and still be the same. half_cycle: in ns. */
static double tolerance(double one, double other, const char *unit, double half_cycle)
{
    double size = larger(size_of(one), size_of(other));

    if (text_equal(unit, "cycles") || text_equal(unit, "ticks"))
        return larger(0.02 * size, 0.5);
    if (text_equal(unit, "ns"))
        return larger(0.02 * size, half_cycle);
    if (text_equal(unit, "Hz"))
        return 0.01 * size;
    return is_integer(one) && is_integer(other) ? 0 : of_six_digits * size;
}

static bool apart(double one, double other, const char *unit, double half_cycle)
{
    return size_of(one - other) > tolerance(one, other, unit, half_cycle);
}

/* NULL: there are not so many. */
static const struct finding *finding_at(struct findings in, unsigned at)
{
    return in.at && at < in.count ? &in.at[at] : NULL;
}

static const struct finding *find(struct findings in, const char *id)
{
    const struct finding *finding;

    for (unsigned i = 0; (finding = finding_at(in, i)) != NULL; i++) {
        if (text_equal(finding->id, id))
            break;
    }
    return finding;
}

/* Whether a run has any finding of the same family. */
static bool has_family(struct findings in, const char *id)
{
    const struct finding *finding;

    for (unsigned i = 0; (finding = finding_at(in, i)) != NULL; i++) {
        const char *other = finding->id, *at = id;
        while (*at && *at != '.' && *at == *other) {
            at++;
            other++;
        }
        if ((*at == '.' || *at == '\0') && (*other == '.' || *other == '\0'))
            return true;
    }
    return false;
}

/* Half a cycle of the slower core, in ns; 0: no run knows its frequency. */
static double half_cycle_of(const struct pairing *pairing)
{
    const struct finding *both[2] = {find(pairing->first, "cpu.frequency"), find(pairing->second, "cpu.frequency")};
    double longest = 0;

    for (unsigned i = 0; i < 2; i++) {
        if (both[i] && has_value(both[i]) && both[i]->value > 0)
            longest = larger(longest, 0.5e9 / both[i]->value);
    }
    return longest;
}

/* The environment's noise and the extent of a measurement tell nothing about the machine. */
static bool is_of_the_run(const struct finding *finding)
{
    return text_starts(finding->id, "noise.") || text_equal(finding->unit, "sizes");
}

/* The probability that all is right that was measured of a pair. */
static double sure_of_pair(const struct pair *pair)
{
    double sure = 1;

    if (pair->first && has_value(pair->first))
        sure *= sure_of(pair->first);
    if (pair->second && has_value(pair->second))
        sure *= sure_of(pair->second);
    return sure;
}

static bool declares_other(const struct finding *one, const struct finding *other, double half_cycle)
{
    if (one->agreement == NOTHING_DECLARED || other->agreement == NOTHING_DECLARED)
        return one->agreement != other->agreement;
    return apart((double)one->declared_low, (double)other->declared_low, one->unit, half_cycle) ||
           apart((double)one->declared_high, (double)other->declared_high, one->unit, half_cycle);
}

/* What differs most in what was measured. */
static enum aspect measured_aspect(const struct finding *one, const struct finding *other, double half_cycle)
{
    if (has_value(one) != has_value(other))
        return IN_BEING_MEASURED;
    if (!has_value(one))
        return NO_ASPECT;
    if (!text_equal(one->unit, other->unit))
        return IN_UNIT;
    if (apart(one->value, other->value, one->unit, half_cycle))
        return IN_VALUE;
    /* That only one declares anything is a difference of what is declared. */
    if (one->agreement != other->agreement && one->agreement != NOTHING_DECLARED &&
        other->agreement != NOTHING_DECLARED)
        return IN_AGREEMENT;
    return NO_ASPECT;
}

static void compare_two(struct pair *pair, double half_cycle)
{
    const struct finding *one = pair->first, *other = pair->second;

    pair->aspect = measured_aspect(one, other, half_cycle);
    pair->comparison = EQUAL;
    if (pair->aspect != NO_ASPECT && is_of_the_run(one))
        pair->comparison = OF_THE_RUN;
    else if (pair->aspect != NO_ASPECT)
        pair->comparison =
            sure_of_pair(pair) >= sure_enough && one->emulated == other->emulated ? DIFFERENT : UNCERTAIN;
    /* What a machine declares is read, not measured: no noise excuses it. */
    if (pair->comparison < DIFFERENT && declares_other(one, other, half_cycle)) {
        pair->comparison = DIFFERENT;
        pair->aspect = IN_DECLARED;
    }
}

/* A finding that one run does not even name. */
static void compare_alone(struct pair *pair, const struct finding *there, struct findings other_run)
{
    pair->aspect = IN_BEING_MEASURED;
    if (!has_family(other_run, there->id))
        pair->comparison = NOT_ASKED;
    else if (is_of_the_run(there))
        pair->comparison = OF_THE_RUN;
    else if (!has_value(there))
        pair->comparison = EQUAL;
    else
        pair->comparison = sure_of_pair(pair) >= sure_enough ? DIFFERENT : UNCERTAIN;
}

bool compare_next(struct pairing *pairing, struct pair *pair)
{
    for (;;) {
        unsigned at = pairing->at++;
        const struct finding *first = finding_at(pairing->first, at), *second;

        if (first) {
            second = find(pairing->second, first->id);
            *pair = (struct pair){.first = first, .second = second};
            if (second)
                compare_two(pair, half_cycle_of(pairing));
            else
                compare_alone(pair, first, pairing->second);
            return true;
        }
        second = finding_at(pairing->second, at - pairing->first.count);
        if (!second)
            return false;
        if (find(pairing->first, second->id))
            continue;
        *pair = (struct pair){.second = second};
        compare_alone(pair, second, pairing->first);
        return true;
    }
}

struct tally compare_all(struct findings first, struct findings second)
{
    struct pairing pairing = {.first = first, .second = second};
    struct tally tally = {0};
    struct pair pair;

    while (compare_next(&pairing, &pair))
        tally.of[pair.comparison]++;
    return tally;
}

const char *comparison_name(enum comparison comparison)
{
    static const char *const names[] = {"equal", "of the run", "not asked", "uncertain", "different"};

    return names[comparison];
}

const char *aspect_name(enum aspect aspect)
{
    static const char *const names[] = {"", "measured", "unit", "value", "agreement", "declared"};

    return names[aspect];
}

static void add_declared(struct text *text, const struct finding *finding)
{
    if (finding->agreement == NOTHING_DECLARED) {
        text_string(text, "nothing declared");
        return;
    }
    text_string(text, "declared ");
    quantity_text(text, (double)finding->declared_low, finding->unit);
    if (finding->declared_high != finding->declared_low) {
        text_string(text, " to ");
        quantity_text(text, (double)finding->declared_high, finding->unit);
    }
}

void compared_text(struct text *text, const struct finding *finding, enum aspect aspect)
{
    if (!finding)
        text_string(text, "not there");
    else if (aspect == IN_DECLARED)
        add_declared(text, finding);
    else if (!has_value(finding))
        text_string(text, "not measured");
    else
        quantity_text(text, finding->value, finding->unit);
    if (finding && aspect == IN_AGREEMENT)
        text_string(text, finding->agreement == AGREES ? " as declared" : " not as declared");
}

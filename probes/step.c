// SPDX-License-Identifier: BSD-2-Clause
/* step.c: optimal partitioning of a series into level pieces. */
#include "probes/step.h"
#include "probes/sample.h"

struct piece {
    unsigned first, last;
    double level; /* logarithm of the middle value */
};

/* A series and what is known about it while it is being cut. */
struct cutting {
    unsigned count, pieces;
    double noise; /* of one logarithm, standard deviation */
    double logarithm[MAX_SERIES_LENGTH];
    double sum[MAX_SERIES_LENGTH + 1], squares[MAX_SERIES_LENGTH + 1]; /* of the first i logarithms */
    struct piece piece[MAX_SERIES_LENGTH];
};

double step_logarithm(double value)
{
    int exponent = 0;
    while (value > 1.5) {
        value /= 2;
        exponent++;
    }
    while (value < 0.75) {
        value *= 2;
        exponent--;
    }
    /* ln v = 2 artanh((v - 1) / (v + 1)); the quotient is at most 1/5 here. */
    double quotient = (value - 1) / (value + 1), power = quotient, sum = 0;
    for (unsigned odd = 1; odd < 21; odd += 2) {
        sum += power / odd;
        power *= quotient * quotient;
    }
    return 2 * sum + exponent * 0.693147180559945309;
}

static double middle_of(const double *values, unsigned first, unsigned last)
{
    double copy[MAX_SERIES_LENGTH];
    for (unsigned i = first; i <= last; i++)
        copy[i - first] = values[i];
    return quantile(copy, last - first + 1, 0.5);
}

/* Standard deviation of a logarithm, from how far points lie from the middle between their neighbours: on a level and
 * on a climb alike that is noise alone. 1.4826 makes the middle absolute value that of a normal distribution; the noise
 * of three points with weights 1, 2, 1 is the square root of 6 times that of one. */
static double noise_of(const struct cutting *cutting)
{
    double bend[MAX_SERIES_LENGTH];
    if (cutting->count < 3)
        return 0;
    for (unsigned i = 1; i + 1 < cutting->count; i++) {
        double here = cutting->logarithm[i - 1] - 2 * cutting->logarithm[i] + cutting->logarithm[i + 1];
        bend[i - 1] = here < 0 ? -here : here;
    }
    return 1.4826 / 2.44948974 * quantile(bend, cutting->count - 2, 0.5);
}

/* Sum of the squared distances from the mean, points first to end - 1. */
static double misfit(const struct cutting *cutting, unsigned first, unsigned end)
{
    double sum = cutting->sum[end] - cutting->sum[first], squares = cutting->squares[end] - cutting->squares[first];
    double rest = squares - sum * sum / (end - first);
    return rest > 0 ? rest : 0;
}

static void cut(struct cutting *cutting)
{
    double best[MAX_SERIES_LENGTH + 1] = {0};
    unsigned from[MAX_SERIES_LENGTH + 1] = {0}, ends[MAX_SERIES_LENGTH];
    double price = 4 * cutting->noise * cutting->noise * step_logarithm(cutting->count + 1);
    for (unsigned end = 1; end <= cutting->count; end++) {
        best[end] = misfit(cutting, 0, end);
        for (unsigned first = 1; first < end; first++) {
            double total = best[first] + misfit(cutting, first, end) + price;
            if (total < best[end]) {
                best[end] = total;
                from[end] = first;
            }
        }
    }
    unsigned count = 0;
    for (unsigned end = cutting->count; end; end = from[end])
        ends[count++] = end;
    for (unsigned first = 0; count--; first = ends[count]) {
        struct piece piece = {first, ends[count] - 1, middle_of(cutting->logarithm, first, ends[count] - 1)};
        cutting->piece[cutting->pieces++] = piece;
    }
}

static double apart(const struct piece *a, const struct piece *b)
{
    return a->level < b->level ? b->level - a->level : a->level - b->level;
}

/* The least distance of two plateaus, as a difference of logarithms, at a level. */
static double least_distance(const struct cutting *cutting, const struct step_rules *rules, double level)
{
    double value = 1, power = level;
    /* exp(level), by halving the exponent until the series is short. */
    int halvings = 0;
    for (; power > 0.01 || power < -0.01; halvings++)
        power /= 2;
    value = 1 + power + power * power / 2 + power * power * power / 6;
    for (; halvings; halvings--)
        value *= value;
    double by_step = step_logarithm(1 + rules->least_step / value), by_noise = 4 * cutting->noise;
    return by_step > by_noise ? by_step : by_noise;
}

/* Joins the nearest neighbours for as long as two are too near to each other. */
static void join(struct cutting *cutting, const struct step_rules *rules)
{
    for (;;) {
        unsigned nearest = cutting->pieces;
        double distance = 0;
        for (unsigned i = 1; i < cutting->pieces; i++) {
            double here = apart(&cutting->piece[i - 1], &cutting->piece[i]);
            if (here < least_distance(cutting, rules, cutting->piece[i - 1].level) &&
                (nearest == cutting->pieces || here < distance)) {
                nearest = i;
                distance = here;
            }
        }
        if (nearest == cutting->pieces)
            return;
        struct piece *left = &cutting->piece[nearest - 1];
        left->last = cutting->piece[nearest].last;
        left->level = middle_of(cutting->logarithm, left->first, left->last);
        for (unsigned i = nearest; i + 1 < cutting->pieces; i++)
            cutting->piece[i] = cutting->piece[i + 1];
        cutting->pieces--;
    }
}

/* How far a piece climbs from its first third to its last third. */
static double climb(const struct cutting *cutting, const struct piece *piece)
{
    unsigned length = piece->last - piece->first + 1, third = length < 3 ? 1 : length / 3;
    return middle_of(cutting->logarithm, piece->last + 1 - third, piece->last) -
           middle_of(cutting->logarithm, piece->first, piece->first + third - 1);
}

/* The least distance of two levels, as a difference of logarithms, above a level. */
static double least_rise(const struct cutting *cutting, const struct step_rules *rules, double level)
{
    double least = least_distance(cutting, rules, level);
    double ratio = rules->least_ratio > 1 ? step_logarithm(rules->least_ratio) : 0;
    return ratio > least ? ratio : least;
}

/* Whether a piece is level: its own climb is small beside the nearer of the steps to the next other level on either
 * side. */
static bool level(const struct cutting *cutting, const struct step_rules *rules, unsigned index)
{
    const struct piece *piece = &cutting->piece[index];
    double nearer = -1, least = least_rise(cutting, rules, piece->level), climbs = climb(cutting, piece);
    for (unsigned i = 0; i < cutting->pieces; i++) {
        double here = apart(piece, &cutting->piece[i]);
        if (here >= least && (nearer < 0 || here < nearer))
            nearer = here;
    }
    return nearer < 0 || climbs <= 4 * cutting->noise || climbs <= nearer / 3;
}

/* A piece beside the plateau before it: the same one, the next one, or none: the far side of a peak, or the part of a
 * climb, when it follows without a step that is steep beside the distance. Of two pieces of one plateau the one with
 * more points says its level. */
static void add_plateau(const struct cutting *cutting, const struct step_rules *rules, const struct piece *piece,
                        const struct plateau *next, struct plateau *plateau, unsigned *found)
{
    struct plateau *last = *found ? &plateau[*found - 1] : NULL;
    double before = last ? step_logarithm(last->level) : 0, least = least_rise(cutting, rules, before);
    if (!last) {
        plateau[(*found)++] = *next;
    } else if (piece->level >= before + least) {
        double jump = cutting->logarithm[next->first] - cutting->logarithm[last->last];
        if (next->first > last->last + 1 || jump > (piece->level - before) / 3)
            plateau[(*found)++] = *next;
    } else if (piece->level >= before - least) {
        if (next->last - next->first > last->last - last->first)
            last->level = next->level;
        last->last = next->last;
    }
}

unsigned step_plateaus(const double *value, unsigned count, const struct step_rules *rules,
                       struct plateau plateau[MAX_PLATEAUS])
{
    struct cutting cutting = {.count = count};
    unsigned found = 0;
    if (!count)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        double logarithm = step_logarithm(value[i]);
        cutting.logarithm[i] = logarithm;
        cutting.sum[i + 1] = cutting.sum[i] + logarithm;
        cutting.squares[i + 1] = cutting.squares[i] + logarithm * logarithm;
    }
    cutting.noise = noise_of(&cutting);
    if (cutting.noise < rules->least_noise)
        cutting.noise = rules->least_noise;
    cut(&cutting);
    join(&cutting, rules);
    for (unsigned i = 0; i < cutting.pieces && found < MAX_PLATEAUS; i++) {
        const struct piece *piece = &cutting.piece[i];
        struct plateau next = {piece->first, piece->last, middle_of(value, piece->first, piece->last)};
        /* Where the series breaks off, a plateau may have begun just before. */
        unsigned least = rules->least_points - (i + 1 == cutting.pieces);
        if (piece->last - piece->first + 1 >= least && level(&cutting, rules, i))
            add_plateau(&cutting, rules, piece, &next, plateau, &found);
    }
    return found;
}

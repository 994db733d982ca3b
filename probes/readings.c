// SPDX-License-Identifier: BSD-2-Clause
/* readings.c: noise that is known, and means of what agrees beyond it. */
#include "probes/readings.h"
#include "base/arithmetic.h"
#include "probes/cluster.h"
#include "probes/sample.h"

/* Part of the distance between quartiles, beyond them, that is still noise; and so for standard deviations. */
static const double INTERRUPTED = 3, FARTHEST = 4;

/* The clock's noise: targets' means lie within so many of its standard deviations altogether (two and a half on each
 * side, as 99 of 100 do), and single loads within so many of a hit's: two on each side, of a difference of two
 * readings. */
static const double WIDTH = 5, SINGLE = 4 * 1.41;

/* Core cycles: no clock that moves in longer steps shows single loads, and no noise that is wider. */
static const double LONGEST_STEP = 4, WIDEST = 12;

/* Noise narrower than that many core cycles, or than that part of a latency, has no two levels in it: a first and a
 * second one lie further apart, and so do those behind them. */
static const double CLOSE = 6, CLOSE_PART = 0.25;

/* Standard deviation of what the slices of a level take, as part of that: no level has more. */
static const double SLICES = 0.1;

/* Of the clock's step, squared: a clock that only steps makes readings vary by a quarter at most, or hardly more where
 * steps differ by a tick. */
static const double STEPPED = 0.3;

/* Steps from the middle one up to which the clock shows one of its neighbours: steps may be a tick longer. */
static const double NEXT = 1.5;

/* Standard deviations of a variance beyond which it is another one. */
static const double UNUSUAL = 2.5;

static const double NOTHING_KNOWN = 1e12; /* cycles squared */

double readings_tolerance(double cycles)
{
    return cycles * TOLERANCE > LEAST_TOLERANCE ? cycles * TOLERANCE : LEAST_TOLERANCE;
}

struct overhead overhead_of(double *values, unsigned count, double step)
{
    struct overhead overhead = {.most = FARTHEST * step};
    if (!count)
        return overhead;
    double first = quantile(values, count, 0.25), third = quantile(values, count, 0.75), square = 0;
    double room = INTERRUPTED * (third - first + step);
    for (unsigned i = 0; i < count; i++)
        if (values[i] >= first - room && values[i] <= third + room) {
            overhead.mean += values[i];
            square += values[i] * values[i];
            overhead.readings++;
        }
    overhead.mean /= overhead.readings;
    overhead.variance = square / overhead.readings - overhead.mean * overhead.mean;
    if (overhead.variance < 0)
        overhead.variance = 0;
    if (overhead.most < FARTHEST * square_root(overhead.variance))
        overhead.most = FARTHEST * square_root(overhead.variance);
    return overhead;
}

bool overhead_learn(struct overhead *overhead, double ticks)
{
    double away = ticks - overhead->mean;
    if (overhead->readings && (away > overhead->most || away < -overhead->most))
        return false;
    overhead->readings++;
    overhead->mean += away / overhead->readings;
    overhead->variance += (away * (ticks - overhead->mean) - overhead->variance) / overhead->readings;
    return true;
}

/* How far apart two single loads of the same may be shown. A clock that only steps shows each of two readings, the
 * load's and the hit's that it is compared with, within a step. */
static double single_noise(const struct overhead *overhead, double step)
{
    double varies = SINGLE * square_root(overhead->variance);
    if (overhead->variance > STEPPED * step * step)
        return varies;
    return varies < step ? step + varies : 2 * step;
}

bool readings_single(const struct overhead *overhead, double step, double cycles)
{
    return overhead->readings && step * cycles <= LONGEST_STEP && single_noise(overhead, step) * cycles <= WIDEST;
}

/* Whether a group took so much longer than most, and than each of its targets did before, that something came in
 * between: a host, a neighbour on the same core, a refresh. A target that is always so far away does not belong here.
 */
static bool was_interrupted(const struct readings *readings, const uint16_t *targets, double value)
{
    if (readings->limit <= 0 || value <= readings->limit)
        return false;
    for (unsigned i = 0; i < readings->group; i++)
        if (readings->times[targets[i]] <= 0 || readings_of(readings, targets[i]) > readings->limit)
            return false;
    return true;
}

void readings_add(struct readings *readings, const uint16_t *targets, double value, double shown)
{
    if (readings->count < MOST_READINGS)
        readings->value[readings->count++] = value;
    if (readings->group > 1 && was_interrupted(readings, targets, value))
        return;
    if (readings->shows < MOST_READINGS)
        readings->shown[readings->shows++] = (float)shown;
    for (unsigned i = 0; i < readings->group; i++) {
        readings->sum[targets[i]] += (float)value;
        readings->squares[targets[i]] += (float)(value * value);
        readings->times[targets[i]]++;
    }
}

double readings_of(const struct readings *readings, unsigned target)
{
    return readings->times[target] > 0 ? (double)readings->sum[target] / (double)readings->times[target] : 0;
}

void readings_alike(struct readings *readings)
{
    readings->shows = 0;
}

void readings_forget(struct readings *readings)
{
    for (unsigned i = 0; i < MOST_TARGETS; i++) {
        readings->sum[i] /= 2;
        readings->squares[i] /= 2;
        readings->times[i] /= 2;
    }
}

void readings_pool(struct readings *readings, unsigned from, unsigned together)
{
    unsigned pools = (readings->count - from) / together;
    double *value = readings->value + from;
    for (unsigned i = 0; i < pools; i++) {
        double sum = 0;
        for (unsigned j = 0; j < together; j++)
            sum += value[i * together + j];
        value[i] = sum / together;
    }
    readings->count = from + pools;
}

void readings_all(struct readings *readings, double step, double cycles, struct latency_of *latency)
{
    double *value = readings->value, sum = 0, square = 0;
    *latency = (struct latency_of){.variance = NOTHING_KNOWN};
    if (!readings->count)
        return;
    step /= readings->group;
    double first = quantile(value, readings->count, 0.25), third = quantile(value, readings->count, 0.75);
    double middle = quantile(value, readings->count, 0.5), limit = third + INTERRUPTED * (third - first + step);
    readings->limit = limit;
    unsigned count = 0;
    for (; count < readings->count && value[count] <= limit; count++) /* sorted by quantile() */
        sum += value[count];
    double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        square += (value[i] - mean) * (value[i] - mean);
    /* A group is shown in steps of the clock: where all show the same, half a step may be hidden all the same. */
    double variance = count > 1 ? square / (count - 1) : 0, hidden = step * step / 6;
    double away = apart(mean, middle);
    latency->cycles = mean * cycles;
    latency->low = first * cycles;
    latency->middle = middle * cycles;
    latency->high = third * cycles;
    latency->bias = away > step ? (away - step) / 2 * cycles : 0;
    latency->variance = (variance > hidden ? variance : hidden) * cycles * cycles / count;
}

/* What the targets took, sorted. Returns how many; *times: of how many readings each is the mean; *within: variance of
 * one of these. */
static unsigned by_target(const struct readings *readings, double values[MOST_TARGETS], double *times, double *within)
{
    unsigned count = 0;
    *times = *within = 0;
    for (unsigned i = 0; i < MOST_TARGETS; i++)
        if (readings->times[i] > 0) {
            values[count] = readings_of(readings, i);
            *within += (double)readings->squares[i] - values[count++] * (double)readings->sum[i];
            *times += (double)readings->times[i];
        }
    quantile(values, count, 0); /* sorts */
    *within = *times > count ? *within / (*times - count) : 0;
    *times = count ? *times / count : 1;
    return count;
}

/* Whether readings that lie as close as the clock shows them vary more than two readings of it do, and than slices do:
 * then they are of two levels. A reading that falls into one of two neighbouring steps varies by half a step at most.
 */
static bool is_mixed(const struct cluster *cluster, unsigned count, const struct overhead *overhead, double step)
{
    double quantised = step * step / 4, one = overhead->variance > quantised ? overhead->variance : quantised;
    double size = cluster->share * count, slices = SLICES * cluster->mean;
    double most = (2 * one + slices * slices) * (1 + UNUSUAL * square_root(2 / size));
    return cluster->variance * size > most;
}

/* The least that readings of single loads vary by, squared. A few of them may happen to lie closer together than the
 * clock lets them, which many hits have told better: taken at their word they would end a look too soon, and count for
 * more than others. A load's reading varies as much as that of the hit that it is compared with; but a clock that only
 * steps may show all loads of one latency alike. */
static double least_variance(const struct overhead *overhead, double step)
{
    double hidden = step * step / 6, known = overhead->variance;
    if (known > STEPPED * step * step)
        known *= 2;
    return known > hidden ? known : hidden;
}

/* Of single loads. */
static void single_loads(struct readings *readings, const struct overhead *overhead, double step, double cycles,
                         struct latency_of *latency)
{
    double took[MOST_TARGETS], times, within, noise = single_noise(overhead, step);
    struct cluster cluster = cluster_of(readings->value, readings->count, noise, TOLERANCE, LEAST_TOLERANCE / cycles);
    if (cluster.share <= 0 || (cluster.tight && is_mixed(&cluster, readings->count, overhead, step)))
        return;
    double agreed = cluster.share * readings->count, variance = cluster.variance;
    double least = least_variance(overhead, step) / agreed;
    if (!cluster.tight) {
        /* Slices lie where they lie: a target is always in the same one. */
        unsigned count = by_target(readings, took, &times, &within);
        variance = cluster_of(took, count, noise, TOLERANCE, LEAST_TOLERANCE / cycles).variance;
        variance = variance > cluster.variance ? variance : cluster.variance;
    }
    latency->cycles = cluster.mean * cycles;
    latency->variance = (variance > least ? variance : least) * cycles * cycles;
    latency->share = cluster.share;
    latency->seen = cluster.tight && (noise * cycles <= CLOSE || noise <= CLOSE_PART * cluster.mean);
    latency->other = latency->seen ? cluster.other * cycles : 0;
    latency->bias = 0;
}

/* What the clock showed that is nearest to what it showed on average: one of its steps. */
static double middle_shown(const struct readings *readings)
{
    double mean = 0, nearest = (double)readings->shown[0];
    for (unsigned i = 0; i < readings->shows; i++)
        mean += (double)readings->shown[i] / readings->shows;
    for (unsigned i = 0; i < readings->shows; i++)
        if (apart((double)readings->shown[i], mean) < apart(nearest, mean))
            nearest = (double)readings->shown[i];
    return nearest;
}

/* Whether groups vary more than the clock's steps make them, and slices do: then some of their targets were here, and
 * some there. What always takes the same is shown as one of two neighbouring steps, by turns; how often as the later
 * one follows from the mean, and so does the variance. So few groups may be a step off, or fewer by more steps, that
 * the mean is not by more than half of what makes two latencies. tolerance: that, in ticks a load. */
static bool groups_vary(const struct readings *readings, double mean, const struct overhead *overhead, double step,
                        double tolerance)
{
    if (!readings->shows || overhead->variance > STEPPED * step * step)
        return false; /* or it is not the steps that make readings vary */
    double slices = SLICES * mean, middle = middle_shown(readings), sum = 0, squares = 0;
    double few = tolerance / 2 * readings->group / step; /* part of all groups that may be a step off */
    double far = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < readings->shows; i++) {
        double away = ((double)readings->shown[i] - middle) / step;
        if (away < -NEXT || away >= NEXT) {
            far += apart(away, 0);
            continue;
        }
        double whole = (int)(away + NEXT); /* 0, 1 or 2 */
        sum += whole;
        squares += whole * whole;
        count++;
    }
    if (far > few * readings->shows)
        return true;
    sum /= count;
    double later = sum - (int)sum, variance = (squares / count - sum * sum) * step * step;
    double most = (later * (1 - later) + few) * step * step + slices * slices * readings->group;
    return variance > most * (1 + UNUSUAL * square_root(2.0 / count));
}

/* Of groups. */
static void targets_of_groups(struct readings *readings, const struct overhead *overhead, double step, double cycles,
                              struct latency_of *latency)
{
    double took[MOST_TARGETS], times, within, group = readings->group;
    unsigned count = by_target(readings, took, &times, &within);
    double hidden = step * step / (6 * group * group), clock = (overhead->variance + step * step / 4) / (group * group);
    struct cluster cluster =
        cluster_of(took, count, WIDTH * square_root(clock / times), TOLERANCE, LEAST_TOLERANCE / cycles);
    /* Targets that are always timed together agree, and know no more than one of them. */
    if (cluster.share <= 0 || (cluster.share < WHOLE && cluster.share * count < 2 * group))
        return;
    /* Two readings of the clock, slices that differ, and no more: else targets were sometimes here, sometimes there. */
    double slices = SLICES * cluster.mean;
    if (within > 2 * clock + slices * slices / group ||
        (cluster.share >= WHOLE &&
         groups_vary(readings, cluster.mean, overhead, step, readings_tolerance(cluster.mean * cycles) / cycles)))
        return;
    double variance = cluster.variance * group;
    double least = (within > hidden ? within : hidden) * group / (cluster.share * count * times);
    latency->cycles = cluster.mean * cycles;
    latency->variance = (variance > least ? variance : least) * cycles * cycles;
    latency->share = cluster.share;
    if (cluster.share < WHOLE)
        latency->bias = 0; /* which was of all of them */
}

void readings_agreeing(struct readings *readings, const struct overhead *overhead, double step, double cycles,
                       struct latency_of *latency)
{
    readings_all(readings, step, cycles, latency);
    if (!readings->count)
        return;
    if (readings->group == 1)
        single_loads(readings, overhead, step, cycles, latency);
    else
        targets_of_groups(readings, overhead, step, cycles, latency);
}

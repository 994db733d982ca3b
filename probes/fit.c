// SPDX-License-Identifier: BSD-2-Clause
/* fit.c: decisions about lines that share the first level. */
#include "probes/fit.h"
#include "base/random.h"

enum {
    SMALL_PAGE = 4096,  /* what prefetchers do not leave */
    LEAST_BATCH = 1024, /* steps */
    MOST_BATCH = 1 << 15,
    BATCH_LAPS = 32,
    ORDERS = 3,
    SETTLING_LAPS = 12,     /* in each of them, at least: together more than most sets have ways ... */
    SETTLING_PART = 2,      /* ... and of many stops a part of their number, as they may be in one set ... */
    SETTLING_MOST = 1 << 13 /* ... while that is no more than so many visits */
};

const double FIT_SEARCH = 1e-2, FIT_CHECK = 1e-4;

bool fit_usable(const struct fit *fit)
{
    return bench_ok(&fit->bench) && !fit->undecided && !fit->wrong;
}

static bool is_prime(uint64_t number)
{
    for (uint64_t divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return true;
}

bool fit_is_large(const struct fit *fit)
{
    /* Where all pages are small, a page for every stop would ask for more translations than there are; also where the
     * machine does not vouch for more than small pages, because a hypervisor may have broken up the large ones. */
    return fit->stretch.page > SMALL_PAGE && fit->stretch.contiguous > SMALL_PAGE;
}

/* Odd, so that a stride that is no multiple of the distance of two lines of a set does not become one. */
uint64_t fit_apart(const struct fit *fit, uint64_t stride)
{
    uint64_t least = fit_is_large(fit) ? SMALL_PAGE : 1, factor = 1;
    for (unsigned left = fit->pattern; left || factor * stride < least || !is_prime(factor); factor += 2)
        left -= left && factor * stride >= least && is_prime(factor);
    return factor * stride;
}

uint64_t fit_some_base(struct fit *fit, uint64_t extent)
{
    enum { UNIT = 256 };
    struct random random = {bench_seed(&fit->bench)};
    uint64_t pages = fit->stretch.size / SMALL_PAGE, needed = extent / SMALL_PAGE + 2;
    uint64_t page = pages > needed ? random_below(&random, pages - needed) : 0;
    return fit->stretch.base + page * SMALL_PAGE + KEPT + random_below(&random, (SMALL_PAGE - KEPT) / UNIT) * UNIT;
}

/* Lines that the calls between batches left in a full set cost misses before they are gone. Under FIFO there is one a
 * lap or two, and the one that goes may be the last of all ways; a policy that draws lots finds the last free way of w
 * after w laps on average. So a batch is preceded by more laps than most sets have ways, and is so long that what is
 * left of them then is little beside a miss in every lap. */
static void set_lengths(const struct fit *fit, uint64_t count, struct question *question)
{
    uint64_t steps = BATCH_LAPS * count, laps = count / SETTLING_PART;
    if (laps > SETTLING_MOST / count)
        laps = SETTLING_MOST / count;
    question->steps = steps < LEAST_BATCH ? LEAST_BATCH : steps > MOST_BATCH ? MOST_BATCH : steps;
    question->orders = ORDERS;
    question->emptied = fit->emptied;
    question->warm_laps = laps < SETTLING_LAPS ? SETTLING_LAPS : laps;
    question->effect = fit->miss / (double)count;
}

bool fit_compare(struct fit *fit, const struct stops *stops, const struct stops *control,
                 const struct question *question, struct answer *answer)
{
    struct stops beside = *control;
    /* A control that lies in the signal's own lines would change its links, but never shares a link of another stop:
     * link it first, the signal last, and give it a word of its own. */
    beside.base += 8;
    struct walk quiet = walk_over(&beside, OP_LOAD, bench_seed(&fit->bench));
    struct walk signal = walk_over(stops, OP_LOAD, bench_seed(&fit->bench));
    struct question asked = *question;
    asked.signal = &signal;
    asked.control = &quiet;
    return bench_link(&fit->bench, &quiet) && bench_link(&fit->bench, &signal) &&
           sample_compare(&fit->bench, &asked, answer);
}

bool fit_overflows(struct fit *fit, const struct stops *stops, double error, struct answer *answer)
{
    struct stops control = stops_control(stops, fit->stretch.page);
    struct question question = {.error = error};
    *answer = (struct answer){.verdict = UNDECIDED, .error = 1};
    if (!fit_usable(fit))
        return false;
    if (stops->base + stops_extent(stops) > fit->stretch.base + fit->stretch.size) {
        fit->wrong = "a walk needs more memory than there is";
        return false;
    }
    set_lengths(fit, stops_count(stops), &question);
    if (!fit_compare(fit, stops, &control, &question, answer))
        return false;
    fit->undecided |= answer->verdict == UNDECIDED;
    return answer->verdict == SLOWER;
}

static bool sequence_overflows(struct fit *fit, uint64_t stride, uint64_t count, struct answer *answer)
{
    struct stops stops = stops_sequence(fit->base, fit_apart(fit, stride), count);
    return fit_overflows(fit, &stops, FIT_SEARCH, answer);
}

bool fit_search(struct fit *fit, uint64_t stride, uint64_t count)
{
    struct answer answer;
    return sequence_overflows(fit, stride, count, &answer);
}

/* What is kept of a stride; of one that is new, in the place of the eldest, the last. */
static struct proven *proven_of(struct fit *fit, uint64_t stride)
{
    unsigned place = 0;
    while (place < FIT_PROVEN - 1 && fit->proven[place].stride != stride)
        place++;
    struct proven found = fit->proven[place].stride == stride ? fit->proven[place] : (struct proven){.stride = stride};
    for (; place; place--)
        fit->proven[place] = fit->proven[place - 1];
    fit->proven[0] = found;
    return &fit->proven[0];
}

void fit_forget(struct fit *fit)
{
    for (unsigned i = 0; i < FIT_PROVEN; i++)
        fit->proven[i] = (struct proven){.count = 0};
}

void fit_prove(struct fit *fit, uint64_t stride, uint64_t count, bool fits)
{
    enum { DOUBTS = 8 }; /* a neighbour makes many, an error of a proof is rare: FIT_CHECK */
    struct proven *proven = proven_of(fit, stride);
    if (fits && count > proven->count)
        *proven = (struct proven){stride, count, 0};
    else if (!fits && count <= proven->count && ++proven->doubts >= DOUBTS)
        *proven = (struct proven){.stride = stride};
}

uint64_t fit_most(struct fit *fit, uint64_t stride, uint64_t limit)
{
    uint64_t first = proven_of(fit, stride)->count, fits = first, over = first + 1;
    while (over <= limit && fit_usable(fit) && !fit_search(fit, stride, over)) {
        fits = over;
        over = fits + (fits - first);
    }
    if (fit_usable(fit) && over > limit)
        fit->wrong = "more stops fit in a set than can be tried";
    while (fit_usable(fit) && over - fits > 1) {
        uint64_t middle = fits + (over - fits) / 2;
        if (fit_search(fit, stride, middle))
            over = middle;
        else
            fits = middle;
    }
    return fit_usable(fit) ? fits : 0;
}

bool fit_learn(struct fit *fit, uint64_t stride, uint64_t count)
{
    struct answer answer;
    if (!sequence_overflows(fit, stride, count, &answer))
        return false;
    if (answer.signal - answer.control > fit->miss)
        fit->miss = answer.signal - answer.control;
    return true;
}

void fit_check(struct fit *fit, uint64_t stride, uint64_t count, bool overflow, const char *wrong)
{
    struct stops stops = stops_sequence(fit->base, fit_apart(fit, stride), count);
    struct answer answer;
    if (!fit_usable(fit))
        return;
    if (fit_overflows(fit, &stops, FIT_CHECK, &answer) != overflow && !fit->wrong)
        fit->wrong = wrong;
    fit->error += answer.error;
}

void fit_check_control(struct fit *fit, uint64_t stride, uint64_t count)
{
    struct stops stops = stops_sequence(fit->base, fit_apart(fit, stride), count),
                 control = stops_control(&stops, fit->stretch.page);
    struct stops neighbours = stops_sequence(fit->base & ~(uint64_t)63, 16, NEIGHBOURS);
    struct question question = {.error = FIT_CHECK};
    struct answer answer;
    if (!fit_usable(fit))
        return;
    set_lengths(fit, stops_count(&control), &question);
    if (!fit_compare(fit, &control, &neighbours, &question, &answer))
        return;
    fit->undecided |= answer.verdict == UNDECIDED;
    fit->error += answer.error;
    if (answer.verdict == SLOWER)
        fit->wrong = "stops spread over the sets are slower than neighbours";
}

// SPDX-License-Identifier: BSD-2-Clause
/* inclusion.c: direct experiments on exclusion and inclusion.
 *
 * Where helpers push the target down and nothing pushes the lines that come then, an exclusive level has to hold the
 * target and all lines but those that the level before still has; another one has to hold them all. (Paper 000 saw the
 * sum of both levels on an Opteron: 576 KB.)
 *
 * All other experiments keep the target hot: after each line it is visited in a level before, which this level does not
 * see. So this level forgets it, and then
 *
 * - an inclusive level takes it away from the levels before: probes/alone.h has the experiment for levels with helpers;
 *   where there are none, it shows in the visit that comes just then. As many lines that this level does not give it up
 *   for must not do that. (Jaleel et al., "Achieving non-inclusive cache performance with inclusive caches", MICRO
 *   2010, call it an inclusion victim.)
 * - when it is pushed down at last, only an exclusive level takes it in. This is how exclusion is told where there are
 *   no helpers, because whatever shares a set at the nearer levels shares one here. And where the level before draws
 *   lots and this one gives lines up in order all the same, it is no exclusive one, which gets them in no order. */
#include "probes/inclusion.h"
#include "base/arithmetic.h"
#include "probes/alone.h"

enum { PER_WAY = 3, MANY_LAPS = 12, ORDERS = 4 };

/* Standard error of a mean of votes, in halves; the means of votes of which nearly all say "gone", and of which a tenth
 * do. */
static const double PRECISE = 0.1, GONE = 0.8, SOMETIMES = -0.8;

/* Losses that are added up over rows: standard error of the sum, in halves; how often a row loses a target that this
 * level gives up, and one that it does not. */
static const double SUM = 0.16, ONCE = 0.5, NEVER = 0.25;

/* What lots vary by, at least, where nearly all votes say the same. */
static const double HARDLY_ANY = 0.05;

/* A hot target must survive in the level before in so many rounds; a level that loses it with a probability between
 * those draws lots. */
static const double OFTEN = 0.3, SELDOM = 0.2, MOSTLY = 0.8;

/* What the experiments need. */
struct trial {
    struct push here, before; /* before: whether a target has left the level before this one */
    const struct scene *scene;
    const struct nearer *nearer;
    const uint64_t *all;                              /* lines of the target's set, */
    uint64_t drawn[MOST_HELPERS];                     /* and others that are its kin before; */
    uint64_t line[MOST_LINES], control[MOST_HELPERS]; /* those of both that may be looked at in the level before */
    unsigned count, draws, lines, controls;
    uint64_t hot_helper[MOST_HELPERS];
};

/* Probability that a level is exclusive that seems not to be, and loses the target in time; and that one is not which
 * takes in what was hot, and loses lines of as many as fit: in an exclusive one, too, what comes back need not take the
 * way that was left. */
static const double IN_TIME = 0.45, OR_KEEPS = 0.55;

static struct scene with_lines(const struct scene *scene, const uint64_t *lines, unsigned count)
{
    struct scene other = *scene;
    other.pool.count = 0;
    other.lines = count;
    for (unsigned i = 0; i < count; i++)
        other.line[i] = lines[i];
    return other;
}

/* The same without helpers: nothing but the lines pushes the target. */
static struct scene row(const struct trial *trial, const uint64_t *lines, unsigned count)
{
    struct scene scene = with_lines(trial->scene, lines, count);
    scene.helpers = 0;
    return scene;
}

static bool goes(struct push *push, const struct scene *scene, const uint64_t *lines, unsigned count, bool *clear)
{
    struct scene other = with_lines(scene, lines, count);
    return push_out(push, &other, VOTES_CHECK, clear);
}

/* In which share of rounds the target has left a level after so many lines, the first `hot` of which it is visited
 * after. */
static bool share_gone(struct push *push, const struct trial *trial, unsigned lines, unsigned hot, double *share)
{
    struct scene scene = row(trial, trial->line, lines);
    double mean;
    push->hot_to = hot;
    if (!push_mean(push, &scene, PRECISE, &mean))
        return false;
    *share = (mean + 1) / 2;
    return true;
}

/* Whether the level before loses a hot target after so many of the lines, from..to, at any of them. */
static bool loses_hot(struct trial *trial, const uint64_t *lines, unsigned from, unsigned to)
{
    for (unsigned i = from; i <= to && push_ok(&trial->before); i++) {
        struct scene other = row(trial, lines, i);
        trial->before.hot_to = i - 1;
        if (push_out(&trial->before, &other, VOTES_SEARCH, NULL) && push_out(&trial->before, &other, VOTES_CHECK, NULL))
            return true;
    }
    return false;
}

/* The fewest lines of a scene, no fewer than push the target out in several laps, that do so in one; 0: not so many are
 * known. */
static unsigned enough_in_one_lap(const struct trial *trial, const struct scene *scene)
{
    struct push once = trial->here;
    once.laps = 1;
    once.hot_to = 0;
    for (unsigned few = scene->needed; few <= trial->count && push_ok(&once); few++) {
        bool clear;
        if (goes(&once, scene, trial->all, few, &clear) && clear)
            return few;
    }
    return 0;
}

/* The share of a target that surely is in the level before: what it shows is no vote of -1 exactly. */
static bool share_of_hits(const struct trial *trial, double error, double *share)
{
    struct push still = trial->before;
    struct scene nothing_else = row(trial, still.hot_helper, still.hot_helpers);
    double mean;
    still.hot_helpers = still.hot_to = 0;
    if (!push_mean(&still, &nothing_else, error, &mean))
        return false;
    *share = (mean + 1) / 2;
    return true;
}

/* How the level before keeps a hot target. */
struct survival {
    double share; /* of rounds in which it has it all the time; less than OFTEN: or more seldom than that */
    bool by_lot;
    unsigned from, to; /* after so many lines, and until so many are there */
};

/* After how many lines, at least so many, this level has forgotten a target that was hot after the first of them. */
static bool forgotten(struct trial *trial, unsigned from, unsigned least, unsigned *lines)
{
    double gone = 0;
    for (*lines = from + least - 1; gone < (1 + GONE) / 2;)
        if (++*lines > trial->lines || !share_gone(&trial->here, trial, *lines, from, &gone))
            return false;
    return true;
}

/* Whether a target stays in the level before, while this one forgets it; few: lines that this takes in the beginning. A
 * level before that draws no lots may lose it there, and then keep it in another place. False: skipped or refused, or
 * too few lines are known. */
static bool survives(struct trial *trial, unsigned few, struct survival *survival)
{
    double here;
    *survival = (struct survival){.share = 1, .to = few};
    if (!share_of_hits(trial, PRECISE, &here))
        return false;
    for (unsigned i = 1; i <= survival->to; i++) {
        double gone;
        if (!share_gone(&trial->before, trial, i, i - 1, &gone))
            return false;
        gone -= here;
        survival->by_lot = survival->by_lot || (gone > SELDOM && gone < MOSTLY);
        if (gone > 0)
            survival->share *= gone < 1 ? 1 - gone : 0;
        if (survival->share >= OFTEN)
            continue;
        if (survival->by_lot || !forgotten(trial, i, few, &survival->to))
            return push_ok(&trial->before);
        survival->share = 1;
        survival->from = i;
    }
    return true;
}

/* The experiment on a target that this level has forgotten, as it does after `few` lines in the beginning. */
static enum told takes_in_what_was_hot(struct trial *trial, unsigned few, const struct survival *survival)
{
    double gone = 0;
    unsigned more = 0, earliest = 0, hot = survival->to;
    if (survival->share < OFTEN)
        return survival->by_lot && trial->scene->sharp ? NO : NOT_TOLD;
    /* So many more lines as push it out of the level before. Not one more than it takes: an exclusive level that has
     * taken it in might lose it again. */
    while (gone < (1 + GONE) / 2) {
        more++;
        if (hot + more > trial->lines || !share_gone(&trial->before, trial, hot + more, hot - 1, &gone))
            return NOT_TOLD;
        if (!earliest && gone > (1 + SOMETIMES) / 2)
            earliest = more;
    }
    if (!share_gone(&trial->here, trial, hot + more, hot - 1, &gone))
        return NOT_TOLD;
    if (gone < survival->share / 3)
        return YES;
    bool may_be_lost_again = more - earliest >= few - trial->nearer->holds;
    return trial->scene->sharp && few > trial->nearer->holds && !may_be_lost_again && gone > survival->share * 2 / 3
               ? NO
               : NOT_TOLD;
}

/* Whether a load that finds the target in this level leaves it what it was, as under FIFO: it is given up after so many
 * lines as without that load. From an exclusive level the load takes it away, and the level gets it anew. There it
 * could be lost as soon as that only if it was after any such load. This is how exclusion is told behind a first level
 * of one way, which keeps no line hot. */
static enum told gets_it_once(struct trial *trial, unsigned few)
{
    unsigned near = trial->nearer->holds + 1, reloaded = few + 1;
    bool clear, stays_clear;
    if (!trial->scene->sharp || few <= near || reloaded + near > trial->count)
        return NOT_TOLD;
    struct scene whole = row(trial, trial->all, few), next = row(trial, trial->all, reloaded + near);
    trial->here.hot_to = few - near;
    bool lost = push_out(&trial->here, &whole, VOTES_CHECK, &clear);
    trial->here.hot_to = reloaded;
    bool lost_again = push_out(&trial->here, &next, VOTES_CHECK, &stays_clear);
    trial->here.hot_to = 0;
    return lost && clear && !lost_again && stays_clear ? NO : NOT_TOLD;
}

/* Whether a level that the lines fit into, with the target, loses it when they are loaded and pushed down in turn, in
 * any of several orders. */
static bool loses_what_fits(struct push *push, const struct trial *trial)
{
    unsigned fit = trial->scene->needed - 1;
    for (unsigned first = 0; first < ORDERS && first + fit <= trial->count; first++) {
        bool clear;
        if (goes(push, trial->scene, trial->all + first, fit, &clear) && clear)
            return true;
    }
    return false;
}

/* Whether the level before mostly still has a line when the next one was loaded, and helpers before. Some policies let
 * what came last go first, but for one in many (Qureshi et al., ISCA 2007: BIP); where there is one way, nothing else
 * can go. */
static bool stays_near(const struct trial *trial, const struct push *before)
{
    if (trial->nearer->ways == 1)
        return true;
    struct push once = *before;
    struct scene other = row(trial, trial->scene->helper, trial->scene->helpers);
    other.target = trial->all[0];
    other.line[other.lines++] = trial->all[0];
    other.line[other.lines++] = trial->all[1];
    once.laps = 1;
    once.lines_stay_near = true;
    return !push_out(&once, &other, VOTES_CHECK, NULL);
}

static enum told exclusive_by_helpers(const struct trial *trial, const struct push *before, double *error)
{
    const struct scene *scene = trial->scene;
    struct push push = trial->here, special = push;
    bool clear;
    /* So many of the lines are still in the level before; but not all of them in a nearer one that has more ways than
     * this, if so many are known: no load would find them here. All together have room for them and the target. */
    unsigned holds = trial->nearer->holds, but_last = trial->nearer->ways_but_last, near_ones = (holds - 1) / 2;
    unsigned widest = (unsigned)greater(but_last, trial->nearer->ways - but_last);
    unsigned more = scene->needed + (near_ones < MOST_NEAR ? near_ones : MOST_NEAR);
    if (more <= widest && widest + 1 < scene->needed + holds && widest < trial->count)
        more = widest + 1;
    /* As many lines push the target out when they are pushed down themselves: otherwise it tells nothing. */
    if (!scene->sharp || more > trial->count || !goes(&push, scene, trial->all, more, &clear) || !clear)
        return NOT_TOLD;
    special.lines_stay_near = true;
    if (goes(&special, scene, trial->all, more, &clear) || !clear)
        return clear && (!before || stays_near(trial, before)) ? NO : NOT_TOLD;
    if (more <= widest)
        return NOT_TOLD;
    push.laps = special.laps = MANY_LAPS;
    if (!goes(&special, scene, trial->all, more, &clear) && clear)
        return YES;
    /* A level that keeps what a load finds in it (as K10's third one does) gets too many lines in time; what fits, it
     * keeps. An exclusive one may lose either: what comes back to it need not take the way that was left. */
    if (loses_what_fits(&push, trial))
        return YES;
    *error = IN_TIME;
    return NO;
}

/* How often the level before loses a hot target in one row of lines, by rows of each length: what each of them loses at
 * its end, added up. A policy that is not the same each time may lose it anywhere. */
static bool losses(struct trial *trial, const uint64_t *lines, unsigned from, unsigned to, double *sum)
{
    /* Nearly all votes say "there", so that they vary by the clock alone. */
    double variance = trial->before.variance, here;
    double rows = to - from + 1, error = SUM / square_root(2 * rows);
    error *= square_root((1 + variance) / (variance > HARDLY_ANY ? variance : HARDLY_ANY));
    *sum = 0;
    /* This one counts once for each row. */
    if (!share_of_hits(trial, error / square_root(rows), &here))
        return false;
    for (unsigned i = from; i <= to; i++) {
        struct scene other = row(trial, lines, i);
        double mean;
        trial->before.hot_to = i - 1;
        if (!push_mean(&trial->before, &other, error, &mean))
            return false;
        *sum += (mean + 1) / 2 - here;
    }
    return true;
}

/* Whether the level before loses a hot target at a number of lines after which this level gives one up. Where it does
 * so only later, the next level may have given it up. controls: lines of other sets are to be compared, too. */
static enum told loses_in_time(struct trial *trial, unsigned from, unsigned few, unsigned most, bool controls)
{
    double sum, others = 0;
    if (loses_hot(trial, trial->line, from, few + 1))
        return push_ok(&trial->before) ? YES : NOT_TOLD;
    if (loses_hot(trial, trial->line, few + 2, most) || !losses(trial, trial->line, from, most, &sum))
        return NOT_TOLD;
    if (sum < NEVER)
        return NO;
    if (!controls || !losses(trial, trial->control, from, most, &others))
        return NOT_TOLD;
    return sum > ONCE && others < NEVER ? YES : NOT_TOLD;
}

/* What the level before shows of itself. */
static enum told inclusive_by_losses(struct trial *trial, unsigned few)
{
    const struct scene *scene = trial->scene;
    unsigned count = trial->lines < trial->controls ? trial->lines : trial->controls;
    if (!few || few + 1 > count || loses_hot(trial, trial->control, 1, few + 1))
        return NOT_TOLD;
    return loses_in_time(trial, scene->needed > 1 ? scene->needed - 1 : 1, few, count, true);
}

/* before: the clock shows the level before. */
static enum told inclusive_by_helpers(struct trial *trial, bool before)
{
    const struct scene *scene = trial->scene;
    struct alone alone = {.push = trial->here,
                          .scene = scene,
                          .line = trial->all,
                          .lines = trial->count,
                          .control = trial->drawn,
                          .controls = trial->draws,
                          .few = enough_in_one_lap(trial, scene)};
    enum told told;
    /* In the first level, and in the last of those before. */
    alone.push.hot_helpers = 0;
    told = alone_tell(&alone, false);
    alone.push.hot_helpers = trial->here.hot_helpers;
    if (told == NOT_TOLD && alone.push.hot_helpers)
        told = alone_tell(&alone, false);
    if (told == NOT_TOLD && before)
        told = inclusive_by_losses(trial, alone.few);
    alone.push.hot_helpers = 0; /* loads of them for each line would take too long here */
    if (told == NOT_TOLD)
        told = alone_tell(&alone, true);
    return told;
}

/* Without helpers: rows too short for this level to forget the target are what the others are compared to. */
static enum told inclusive_by_length(struct trial *trial, unsigned few, const struct survival *survival)
{
    unsigned needed = trial->scene->needed, most = 2 * few < trial->lines ? 2 * few : trial->lines;
    double sum;
    if (!trial->scene->sharp)
        return NOT_TOLD;
    /* An inclusive one takes it away once in the rows after which this level has forgotten it, if nobody did before. */
    if (survival->share >= OFTEN && losses(trial, trial->line, survival->from + 1, survival->to, &sum) && sum < ONCE)
        return NO;
    if (needed < 3 || survival->by_lot || few + 1 > trial->lines || loses_hot(trial, trial->line, 1, needed - 1))
        return NOT_TOLD;
    return loses_in_time(trial, needed, few, most, false);
}

/* Those lines that do not make the target seem lost alone: where a way predictor goes by a part of the address, two of
 * them cannot both be found at once (docs/silicon.md), and that may take as long as the next level. */
static unsigned without_conflicts(struct trial *trial, const uint64_t *from, unsigned count, unsigned most,
                                  uint64_t *to)
{
    unsigned kept = 0;
    trial->before.hot_to = 0;
    for (unsigned i = 0; i < count && kept < most && push_ok(&trial->before); i++) {
        struct scene one = row(trial, &from[i], 1);
        if (!push_out(&trial->before, &one, VOTES_SEARCH, NULL))
            to[kept++] = from[i];
    }
    return kept;
}

/* Lines that share the target's set at the levels before, and not at this one: the scene's helpers, and as many as
 * there are of the set. */
static void draw_controls(struct trial *trial)
{
    const struct kin *kin = &trial->nearer->kin;
    const struct region *region = &trial->here.region;
    const struct scene *scene = trial->scene;
    unsigned wanted = 2 * trial->count < MOST_HELPERS ? 2 * trial->count : MOST_HELPERS;
    uint64_t seed = bench_seed(trial->here.bench);
    for (unsigned i = 0; i < scene->helpers && trial->draws < wanted; i++)
        trial->drawn[trial->draws++] = scene->helper[i];
    for (uint64_t i = 0; trial->draws < wanted && i < kin_count(kin, region) && push_ok(&trial->here); i++) {
        uint64_t line = kin_draw(kin, region, scene->target, seed, i);
        if (!push_among(trial->drawn, trial->draws, line) && !push_among(trial->all, trial->count, line) &&
            !evict_takes(&trial->here, scene, line, VOTES_SEARCH))
            trial->drawn[trial->draws++] = line;
    }
}

/* Lines that push the target out of all levels but the last of those before this one; none of them of its set. */
static unsigned draw_hot_helpers(struct trial *trial)
{
    const struct nearer *nearer = trial->nearer;
    const struct region *region = &trial->here.region;
    unsigned count = 0, wanted = PER_WAY * nearer->ways_but_last;
    uint64_t seed = bench_seed(trial->here.bench);
    for (uint64_t i = 0; count < wanted && count < MOST_HELPERS && i < kin_count(&nearer->kin_but_last, region); i++) {
        uint64_t line = kin_draw(&nearer->kin_but_last, region, trial->scene->target, seed, i);
        if (!kin_are(&nearer->kin, line, trial->scene->target) &&
            !evict_takes(&trial->here, trial->scene, line, VOTES_SEARCH))
            trial->hot_helper[count++] = line;
    }
    return count;
}

/* Makes the level before ready for experiments that look at it. */
static void look_before(struct trial *trial, const struct push *before)
{
    trial->before = *before;
    trial->before.hot_helpers = trial->here.hot_helpers;
    trial->before.hot_helper = trial->here.hot_helper;
    trial->before.laps = 1;
    trial->before.lines_stay_near = true;
    trial->lines = without_conflicts(trial, trial->all, trial->count, MOST_LINES, trial->line);
    trial->controls = without_conflicts(trial, trial->drawn, trial->draws, MOST_HELPERS, trial->control);
}

/* Whether as many lines as fit stay, lap after lap. A level that takes in what the one before loses, and keeps what
 * loads find, as K10's third one does, has some of them twice in time. */
static bool keeps_what_fits(const struct trial *trial, unsigned few)
{
    struct push push = trial->here;
    struct scene fit = row(trial, trial->all, few - 1);
    bool clear;
    push.laps = MANY_LAPS;
    push.hot_to = 0;
    return !push_out(&push, &fit, VOTES_CHECK, &clear) && clear;
}

static void tell_without_helpers(struct trial *trial, bool before, struct inclusion *told)
{
    struct scene alone = row(trial, NULL, 0);
    struct survival survival;
    trial->here.laps = 1;
    trial->here.lines_stay_near = true;
    unsigned few = enough_in_one_lap(trial, &alone);
    if (few && before && survives(trial, few, &survival)) {
        told->inclusive = inclusive_by_length(trial, few, &survival);
        told->exclusive = told->inclusive == YES ? NO : takes_in_what_was_hot(trial, few, &survival);
    }
    if (told->exclusive == YES && !keeps_what_fits(trial, few))
        told->error = OR_KEEPS;
    if (few && told->exclusive == NOT_TOLD)
        told->exclusive = gets_it_once(trial, few);
}

/* Whether all visits were made, so that the last experiment ended before it could tell. */
static bool is_cut_short(const struct push *push)
{
    return machine_steps(push->bench->machine) > push->most;
}

struct inclusion inclusion_tell(const struct push *push, const struct push *before, const struct scene *scene,
                                const struct nearer *nearer, const uint64_t *lines, unsigned count)
{
    struct trial trial = {.here = *push, .scene = scene, .nearer = nearer, .all = lines, .count = count};
    struct inclusion told = {NOT_TOLD, NOT_TOLD, 0};
    bool has_helpers = scene->helpers && !scene->shallow;
    if (has_helpers)
        told.exclusive = exclusive_by_helpers(&trial, before, &told.error);
    if (is_cut_short(push))
        return (struct inclusion){NOT_TOLD, NOT_TOLD, 0};
    if (told.exclusive == YES)
        told.inclusive = NO;
    /* Behind helpers, all else rests on how many lines it takes. */
    if (told.exclusive == YES || (has_helpers && !scene->sharp))
        return told;
    trial.here.hot_helpers = has_helpers ? draw_hot_helpers(&trial) : scene->helpers;
    trial.here.hot_helper = has_helpers ? trial.hot_helper : scene->helper;
    if (has_helpers)
        draw_controls(&trial);
    if (before)
        look_before(&trial, before);
    if (has_helpers)
        told.inclusive = inclusive_by_helpers(&trial, before != NULL);
    else
        tell_without_helpers(&trial, before != NULL, &told);
    if (is_cut_short(push))
        told = (struct inclusion){has_helpers ? told.exclusive : NOT_TOLD, NOT_TOLD, has_helpers ? told.error : 0};
    if (told.exclusive == YES)
        told.inclusive = NO;
    return told;
}

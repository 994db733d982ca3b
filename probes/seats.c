// SPDX-License-Identifier: BSD-2-Clause
/* seats.c: mapping pages to seats, and walks through them. */
#include "base/arithmetic.h"
#include "base/random.h"
#include "probes/foretold.h"
#include "probes/seats_inside.h"

enum {
    MOST_BITS = 21,
    LEAST_BITS = 11,
    MOST_SIZES = 4, /* of pages */
    /* the control's links lie beside the signal's, in the same lines: a word, or the code of a jump */
    WORD = 8,
    CODE = 16,
    SOME_JUMPS = 64,
    OTHER_HALF = 2048, /* of a page: code, or stores, that share lines leave no room there */
    WIDEST = 4 * SEAT  /* bytes: two lines of the longest that a first level has, of which one may be fetched ahead */
};

/* Bytes: the pages of a list, and those of a row, lie so near to each other that near jumps reach them. */
static const uint64_t NEAR = (uint64_t)1 << 30;

/* Bytes of the addresses of all pages. */
static uint64_t reach(const struct seats *pages)
{
    return pages->page << (pages->bits + 1);
}

/* Core cycles: a control that takes so much longer is none. */
static const double MISSES = 0.4;

bool seats_ok(const struct seats *pages)
{
    return bench_ok(pages->bench) && !pages->spent && !pages->undecided;
}

static bool has_pages(struct machine *machine, uint64_t page)
{
    for (unsigned i = 0; machine_page(machine, i); i++)
        if (machine_page(machine, i) == page)
            return true;
    return false;
}

/* Ticks a step of a few seats in one page. */
static bool time_few(const struct seats *pages, double *ticks)
{
    enum { LOOKS = 9, STEPS = 4096 };
    struct bench *bench = pages->bench;
    struct stops stops = stops_sequence(pages->dense.base, SEAT, NEIGHBOURS);
    struct walk walk = walk_over(&stops, pages->op, bench_seed(bench));
    double looks[LOOKS];
    if (!bench_link(bench, &walk))
        return false;
    for (unsigned i = 0; i < LOOKS; i++)
        if (!bench_warm(bench, &walk, 0, STEPS) || !bench_batch(bench, &walk, 0, STEPS, &looks[i]) ||
            !bench_rest(bench, false))
            return false;
    *ticks = quantile(looks, LOOKS, 0.25) / STEPS;
    return true;
}

/* Maps all seats in pages of one size, and as many as are further apart, if there is the memory. */
static bool map_seats(struct seats *pages, uint64_t page, uint64_t seats)
{
    struct machine *machine = pages->bench->machine;
    if (!stretch_map(machine, page, stops_seat(MOST_IN_A_ROW, WIDEST), &pages->dense))
        return false;
    if (pages->dense.size >= seats)
        return true;
    stretch_unmap(machine, &pages->dense);
    return false;
}

/* The largest pages, of the size under test or larger. Where no first level has such large ones (Bonnell), a control in
 * them would pay what is to be measured: it lies in smaller ones then. There are few of them, too. */
static bool choose_seats(struct seats *pages, uint64_t seats)
{
    struct machine *machine = pages->bench->machine;
    double ticks[MOST_SIZES], least = 0;
    unsigned sizes = 0, own = 0, chosen;
    while (sizes < MOST_SIZES && machine_page(machine, sizes))
        sizes++;
    while (own < sizes && machine_page(machine, own) != pages->page)
        own++;
    for (unsigned i = own; i < sizes; i++) {
        ticks[i] = 0; /* cannot be had */
        if (!map_seats(pages, machine_page(machine, i), seats))
            continue;
        bool timed = time_few(pages, &ticks[i]);
        stretch_unmap(machine, &pages->dense);
        if (!timed)
            return false;
        if (least <= 0 || ticks[i] < least)
            least = ticks[i];
    }
    for (chosen = sizes; chosen-- > own;)
        if (ticks[chosen] > 0 && (ticks[chosen] - least) * pages->bench->cycles_per_tick <= MISSES)
            return map_seats(pages, machine_page(machine, chosen), seats);
    return false;
}

bool seats_open(struct seats *pages, struct bench *bench, enum op op, uint64_t page, uint64_t visits, const char **why)
{
    struct machine *machine = bench->machine;
    struct view view = machine_view(machine);
    uint64_t seats = stops_seat(MOST_IN_A_ROW, SEAT);
    *pages = (struct seats){.bench = bench, .op = op, .page = page, .visits = visits};
    pages->witness.patience = WITNESS_PATIENCE;
    *why = "the machine has no pages of that size";
    if (!has_pages(machine, page))
        return false;
    *why = machine_page(machine, 0) == page ? "no memory for the lines of its pages"
                                            : "no whole page of that size lies in the memory";
    if (!choose_seats(pages, seats))
        return false;
    *why = "not enough addresses for its pages";
    /* The row lies above what may be listed, and the numbers of pages are bits of their addresses. */
    for (pages->bits = MOST_BITS; pages->bits >= LEAST_BITS; pages->bits--) {
        pages->base = (view.base + pages->dense.size + reach(pages) - 1) / reach(pages) * reach(pages);
        if (pages->base + reach(pages) <= view.base + view.size && (op != OP_JUMP || reach(pages) / 2 <= NEAR))
            return true;
    }
    seats_close(pages);
    return false;
}

void seats_close(struct seats *pages)
{
    struct machine *machine = pages->bench->machine;
    if (pages->any)
        machine_map(machine, pages->base, 0, reach(pages), 0, MEM_WB);
    stretch_unmap(machine, &pages->dense);
}

uint64_t seats_row_base(const struct seats *pages)
{
    return pages->base + (pages->page << pages->bits);
}

/* Maps a page of so many bytes to where its seat is. */
static bool map_sized(struct seats *pages, uint64_t page, uint64_t va, uint64_t seat)
{
    pages->any = true;
    uint64_t frame = stops_seat(seat, pages->pitch) / page * page;
    if (machine_map(pages->bench->machine, va, pages->dense.physical + frame, page, page, MEM_WB))
        return true;
    pages->bench->refused = true;
    return false;
}

static bool map_page(struct seats *pages, uint64_t va, uint64_t seat)
{
    return map_sized(pages, pages->page, va, seat);
}

struct stops seats_dense(const struct seats *pages, uint64_t count)
{
    struct stops stops = stops_sequence(pages->dense.base, 0, count);
    stops.seats = UINT64_MAX;
    stops.pitch = pages->pitch;
    return stops;
}

static struct stops through_pages(const struct seats *pages, uint64_t base, uint64_t count)
{
    struct stops stops = stops_sequence(base, pages->page, count);
    stops.seats = pages->page;
    stops.pitch = pages->pitch;
    return stops;
}

/* Pages of the row whose numbers differ in these bits alone, and have `fixed` of the others: those that are mapped stay
 * so while the same bits are asked for. */
static struct stops row_of(struct seats *pages, uint64_t count, uint64_t bits, uint64_t fixed)
{
    struct stops stops = through_pages(pages, seats_row_base(pages) + fixed * pages->page, count);
    stops.spread = bits;
    if (pages->spread != bits || pages->fixed != fixed)
        pages->mapped = 0; /* they lie elsewhere */
    pages->spread = bits;
    pages->fixed = fixed;
    for (; pages->mapped < count && bench_ok(pages->bench); pages->mapped++) {
        if (!map_page(pages, stops.base + stops_number(&stops, pages->mapped) * pages->page, pages->mapped))
            return stops_sequence(stops.base, 0, 0);
        bench_rest(pages->bench, false);
    }
    return stops;
}

struct stops seats_row(struct seats *pages, uint64_t count)
{
    return row_of(pages, count, 0, 0);
}

struct stops seats_row_alike(struct seats *pages, uint64_t count, uint64_t alike, uint64_t number)
{
    uint64_t all = ((uint64_t)1 << pages->bits) - 1;
    return alike ? row_of(pages, count, all & ~alike, number & alike) : seats_row(pages, count);
}

struct stops seats_spread(struct seats *pages, uint64_t bits)
{
    return row_of(pages, (uint64_t)1 << bits_set(bits), bits, 0);
}

/* The seats of a page that several share lie in one frame. They are as far above the row's beginning as a block is
 * above the list's (probes/crowd.h). */
struct stops seats_shared(struct seats *pages, uint64_t count)
{
    enum { SHARING = 4 };
    uint64_t base = seats_row_base(pages) + (pages->page << (pages->bits - 1));
    for (; pages->quarters * SHARING < count && bench_ok(pages->bench); pages->quarters++) {
        if (!map_page(pages, base + pages->quarters * pages->page, pages->quarters * SHARING))
            return stops_sequence(base, 0, 0);
        bench_rest(pages->bench, false);
    }
    struct stops stops = through_pages(pages, base, count);
    stops.sharing = SHARING;
    return stops;
}

struct stops seats_control(struct seats *pages, uint64_t count)
{
    return count <= pages->shared ? seats_shared(pages, count) : seats_dense(pages, count);
}

struct stops seats_smaller(struct seats *pages, uint64_t page, uint64_t number, uint64_t seat, uint64_t count)
{
    /* No list has numbers with both of the highest bits. */
    uint64_t base = pages->base + (pages->page << (pages->bits - 1)) + (pages->page << (pages->bits - 2));
    struct stops stops = stops_sequence(base + number * page, page, count);
    stops.seats = page;
    stops.pitch = pages->pitch;
    for (uint64_t i = 0; i < count && bench_ok(pages->bench); i++) {
        if (!map_sized(pages, page, stops.base + i * page, seat + i))
            break;
        bench_rest(pages->bench, false);
    }
    return stops;
}

struct stops seats_listed(struct seats *pages, const uint32_t *number, unsigned count)
{
    struct stops stops = through_pages(pages, pages->base, count);
    stops.number = number;
    for (unsigned i = 0; i < count && bench_ok(pages->bench); i++) {
        if (i < pages->lasts && pages->last[i] == number[i])
            continue;
        if (!map_page(pages, pages->base + number[i] * pages->page, i))
            break;
        pages->last[i] = number[i];
        bench_rest(pages->bench, false);
    }
    pages->lasts = count;
    return stops;
}

uint64_t seats_beside(const struct seats *pages)
{
    return pages->op == OP_LOAD ? WORD : pages->pitch == TIGHT ? OTHER_HALF : CODE;
}

/* Links two walks that use other words of the same lines: of a control that is listed, those that are listed. */
static bool link_both(struct seats *pages, const struct stops *stops, const struct stops *control, struct walk *signal,
                      struct walk *quiet)
{
    struct stops other = *control;
    if (!other.listed)
        other.base += seats_beside(pages);
    *quiet = walk_over(&other, pages->op, bench_seed(pages->bench));
    *signal = walk_over(stops, pages->op, bench_seed(pages->bench));
    if (machine_steps(pages->bench->machine) > pages->visits)
        pages->spent = true;
    return seats_ok(pages) && bench_link(pages->bench, quiet) && bench_link(pages->bench, signal);
}

unsigned seats_share(const struct seats *pages)
{
    uint64_t share = stops_seats_a_page(pages->pitch);
    return share < SHARE_FRAME ? (unsigned)share : SHARE_FRAME;
}

static uint64_t batch_steps(uint64_t count)
{
    enum { LAPS = 8, LEAST = 1024, MOST = 1 << 12 };
    uint64_t steps = LAPS * count;
    return steps < LEAST ? LEAST : steps > MOST ? MOST : steps;
}

/* The half of an octave that so many pages are of. */
static unsigned place_of(uint64_t count)
{
    unsigned place = 0;
    for (; count > 3 && place + 3 < PLACES; count /= 2)
        place += 2;
    return place + (count > 2);
}

bool seats_time_both(struct seats *pages, const struct stops *stops, const struct stops *control, double *few,
                     double *ticks)
{
    enum { ROUNDS = 5, FEWER = 3, SOME = 256, MANY = 1024, MOST_AGAIN = 32 };
    double signals[ROUNDS], controls[ROUNDS];
    uint64_t count = stops_count(stops), steps = batch_steps(count);
    unsigned rounds = pages->op != OP_LOAD && count >= SOME ? FEWER : ROUNDS;
    struct walk walk[2];
    if (!link_both(pages, stops, control, &walk[0], &walk[1]))
        return false;
    while ((double)steps < 32 * (double)pages->bench->clock.step)
        steps *= 2;
    for (unsigned round = 0, again = 0; round < rounds;) {
        bool calm;
        if (!witness_wait(pages->bench, &pages->witness) ||
            !bench_warm(pages->bench, &walk[0], 0, count > MANY ? 0 : count) ||
            !bench_timed(pages->bench, &walk[0], count, steps, &signals[round]) ||
            !bench_timed(pages->bench, &walk[1], count, steps, &controls[round]) || !bench_rest(pages->bench, false) ||
            !witness_ask(pages->bench, &pages->witness, &calm))
            return false;
        round += calm || again++ >= MOST_AGAIN;
    }
    /* What jumps take is a difference of two runs, and may be too little as well as too much. */
    double part = pages->op == OP_LOAD ? 0.25 : 0.5;
    *few = quantile(controls, rounds, part) / (double)steps;
    *ticks = quantile(signals, rounds, part) / (double)steps - *few;
    return true;
}

bool seats_excess(struct seats *pages, const struct stops *stops, double *ticks)
{
    uint64_t count = stops_count(stops);
    struct stops seats = seats_control(pages, count);
    if (!seats_time_both(pages, stops, &seats, &pages->few, ticks))
        return false;
    pages->control[place_of(count)] = pages->few;
    return true;
}

/* Of n lines, each of which is missed with a chance of p, a lap misses np, give or take the root of np(1 - p), and each
 * of the two walks has its own lot. Of twice as many lines as good as all are missed; where so many were not timed,
 * they take as much more, at most, as these do than half of them. */
double seats_by_lot(const struct seats *pages, uint64_t count, double few)
{
    enum { SIGMAS = 3, WALKS = 2, OCTAVE = 2 };
    double least = few, most = few;
    for (unsigned i = 0; i < PLACES; i++) {
        double control = pages->control[i];
        least = control > 0 && control < least ? control : least;
        if (i <= place_of(count) + OCTAVE && control > most)
            most = control;
    }
    unsigned place = place_of(count), twice = place + OCTAVE;
    double half = place >= OCTAVE ? pages->control[place - OCTAVE] : 0;
    if (half > 0 && most < 2 * few - half && (twice >= PLACES || pages->control[twice] <= 0))
        most = 2 * few - half;
    double missed = few - least, found = most - few;
    if (pages->op != OP_LOAD || missed * pages->bench->cycles_per_tick <= MISSES)
        return 0;
    double lines = (double)count * (pages->pitch == TIGHT ? (double)TIGHT / SEAT : 1);
    return SIGMAS * square_root(WALKS * missed * found / lines);
}

/* Seats of the witness: behind those of all rows, or, where loads have a line each, in the same lines. */
static uint64_t first_watched(const struct seats *pages)
{
    if (pages->pitch == TIGHT)
        return MOST_IN_A_ROW;
    return pages->op == OP_LOAD ? 0 : MOST_IN_A_ROW / 2;
}

bool seats_watch(struct seats *pages, uint64_t count)
{
    enum { LEAST = 16, MOST = 128, WORDS = 2 };
    struct witness *witness = &pages->witness;
    uint64_t first = first_watched(pages), seat = stops_seat(first, pages->pitch) + (first ? 0 : WORDS * WORD);
    /* No list has numbers with both of the highest bits, and no smaller pages are as far above them as these. */
    uint64_t base = pages->base + (pages->page << (pages->bits - 1)) + (pages->page << (pages->bits - 2)) +
                    (pages->page << (pages->bits - 3));
    count = count < MOST ? count : MOST;
    if (count < LEAST || (witness->called && witness->pages.length == count))
        return seats_ok(pages);
    for (uint64_t i = 0; i < count; i++)
        if (!map_page(pages, base + i * pages->page, first + i))
            return false;
    struct stops row = through_pages(pages, base + seat % pages->page, count), lines = seats_dense(pages, count);
    lines.base += seat + seats_beside(pages);
    *witness = (struct witness){.pages = walk_over(&row, pages->op, bench_seed(pages->bench)),
                                .lines = walk_over(&lines, pages->op, bench_seed(pages->bench)),
                                .warm = pages->foretelling,
                                .called = true,
                                .patience = witness->patience};
    return bench_link(pages->bench, &witness->pages) && bench_link(pages->bench, &witness->lines) && seats_ok(pages);
}

/* What is mapped lies elsewhere from now on. */
static void set_pitch(struct seats *pages, uint64_t pitch)
{
    pages->pitch = pitch;
    pages->witness.called = false;
    pages->mapped = pages->quarters = pages->shared = 0;
    for (unsigned i = 0; i < PLACES; i++)
        pages->control[i] = 0;
    pages->lasts = 0;
}

bool seats_settle(struct seats *pages, uint64_t pitch, uint64_t few, double least)
{
    static const uint64_t pitches[] = {TIGHT, SEAT, 2 * SEAT, WIDEST};
    struct stops jumps = seats_dense(pages, SOME_JUMPS);
    if (op_jumps(pages->op) && !pages->foretelling &&
        !foretold_after(pages->bench, &jumps, pages->op, &pages->foretelling))
        return false;
    for (unsigned i = 0; i < sizeof pitches / sizeof *pitches; i++) {
        double ticks;
        if (pitches[i] < pitch)
            continue;
        if (stops_seat(MOST_IN_A_ROW, pitches[i]) > pages->dense.size)
            break;
        set_pitch(pages, pitches[i]);
        struct stops row = seats_row(pages, few);
        if (!seats_ok(pages) || !seats_excess(pages, &row, &ticks))
            return false;
        if (ticks < least)
            return true;
    }
    set_pitch(pages, SEAT);
    return true;
}

/* Whether a lap over so many pages is no short one: fewer of them do. Of jumps each new order has to be learnt by who
 * foretells them, and what they take is a difference. */
static bool are_many(const struct seats *pages, uint64_t count)
{
    enum { LOADS = 64, JUMPS = 128 };
    return count > (pages->op == OP_LOAD ? LOADS : JUMPS);
}

/* Visits of a batch: of few pages, many laps, of many, some. It is made longer where the clock or noise asks for that
 * (probes/sample.c). */
static uint64_t crowd_steps(const struct seats *pages, uint64_t count)
{
    enum { LAPS = 8, FEWER = 4, LEAST = 512, LEAST_JUMPS = 1024 };
    uint64_t steps = are_many(pages, count) ? FEWER * count : LAPS * count;
    uint64_t least = pages->op == OP_LOAD ? LEAST : LEAST_JUMPS;
    return steps < least ? least : steps;
}

enum verdict seats_crowd(struct seats *pages, const struct stops *stops, const struct stops *control, double effect,
                         double error, uint32_t *number, unsigned mixed)
{
    enum { ORDERS = 2, SETTLING = 8, LEARNING = 16, SILENT = 6, EVERY = 3, TWO_LAPS = 2 };
    uint64_t count = stops_count(stops);
    bool many = are_many(pages, count);
    struct walk signal, quiet;
    struct answer answer;
    if (!link_both(pages, stops, control, &signal, &quiet))
        return UNDECIDED;
    struct question question = {
        .signal = &signal, .control = &quiet, .steps = crowd_steps(pages, count), .error = error};
    question.effect = effect / (double)count;
    question.orders = many ? 1 : ORDERS; /* a new one in each round, besides */
    question.silent = SILENT;            /* what lies between is something else, and is another time elsewhere */
    question.warm_laps = many ? SETTLING / 2 : SETTLING;
    if (pages->op == OP_LOAD && many)
        question.every = EVERY;
    question.near_laps = op_jumps(pages->op) ? pages->foretelling : TWO_LAPS;
    /* Where jumps through a register lead is foretold by where those before led. */
    if (pages->op == OP_JUMP_FAR && many)
        question.warm_laps = LEARNING;
    if (pages->settling > question.near_laps)
        question.near_laps = pages->settling;
    question.brief = true;
    question.witness = &pages->witness;
    question.together = pages->op != OP_LOAD;
    if (pages->op != OP_LOAD && pages->pitch == TIGHT) /* its stops lie in lines of their own */
        question.control_laps = SETTLING;
    question.mixed = number;
    question.mixed_count = mixed;
    bool told = sample_compare(pages->bench, &question, &answer);
    pages->beside = told ? answer.control : 0;
    pages->longer = told ? (answer.signal - answer.control) * (double)count : 0;
    pages->blur = told ? answer.blur * (double)count : 0;
    for (unsigned i = 0; i < mixed; i++)
        pages->last[i] = number[i];
    return told ? answer.verdict : UNDECIDED;
}

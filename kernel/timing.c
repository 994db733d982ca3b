// SPDX-License-Identifier: BSD-2-Clause
/* timing.c: the loops of loops.h as runs of tasks, and the clock's own properties measured with them. */
#include "kernel/timing.h"
#include "kernel/loops.h"

enum {
    EMPTY_RUNS = 2000,
    STEP_RUNS = 4096,           /* differences that the clock's step is sought in */
    STEP_LENGTHS = 97,          /* of so many different lengths */
    LEAST_RUNS = STEP_RUNS / 5, /* within STEP_DIFFERENCES: some of a round of adds, not single ones only */
    LEAST_DIFFERENCES = 64,     /* other than 0 */
    LARGEST_STEP = 512,
    SCALED_STEP = 8, /* from here on a step may be no whole number of ticks */
    FINE = 64,       /* parts of a tick that such a step is sought in */
    LINE = 64        /* bytes between the visits of a stream */
};

uint64_t timing_net(uint64_t ticks, uint64_t overhead)
{
    return ticks > overhead ? ticks - overhead : 0;
}

uint64_t timing_overhead(uint64_t rdtscp)
{
    uint64_t lowest = UINT64_MAX;

    for (unsigned i = 0; i < EMPTY_RUNS; i++) {
        uint64_t ticks = loop_nothing(rdtscp);
        if (ticks < lowest)
            lowest = ticks;
    }
    return lowest;
}

/* How far a difference is from the nearest multiple of `step`, both in 1/FINE ticks. */
static uint64_t away_from_multiple(uint64_t difference, uint64_t step)
{
    uint64_t rest = difference % step;
    return rest < step - rest ? rest : step - rest;
}

/* The differences that there were: ticks, and how often. Few of all that could be, and tens of thousands of steps are
 * held against them. */
struct differences {
    uint16_t ticks[STEP_DIFFERENCES], times[STEP_DIFFERENCES];
    unsigned kinds, count;
};

/* How far differences are from multiples of `step` (1/FINE ticks), all together; UINT64_MAX: more than one of a hundred
 * is further off than `slack` and what one FINE-th of a step makes of several. from: what counts as no difference. */
static uint64_t misfit(const struct differences *seen, uint64_t step, uint64_t from, uint64_t slack)
{
    uint64_t sum = 0, strangers = 0;
    for (unsigned i = 0; i < seen->kinds && strangers <= seen->count / 100; i++) {
        uint64_t ticks = seen->ticks[i] * (uint64_t)FINE, times = seen->times[i];
        uint64_t difference = ticks > from ? ticks - from : from - ticks;
        uint64_t away = away_from_multiple(difference, step);
        if (away > (slack ? slack + difference / step : 0))
            strangers += times;
        else
            sum += away * times;
    }
    return strangers > seen->count / 100 ? UINT64_MAX : sum;
}

uint64_t timing_step_of(const uint16_t times[STEP_DIFFERENCES])
{
    struct differences seen = {.kinds = 0};
    uint64_t least = UINT64_MAX, found = FINE;
    for (unsigned i = 0; i < STEP_DIFFERENCES; i++) {
        if (!times[i])
            continue;
        seen.ticks[seen.kinds] = (uint16_t)i;
        seen.times[seen.kinds++] = times[i];
        seen.count += times[i];
    }
    if (seen.count < LEAST_RUNS || seen.count - times[0] < LEAST_DIFFERENCES)
        return 1;
    /* Steps that differ by a tick make the shortest run differ by one, too. */
    uint64_t between = times[1] > seen.count / 100 ? FINE / 2 : 0;
    /* Downward, to the best of the first that fit. 99 of 100 are multiples by accident only if the slack covers nearly
     * every rest, which it does not. */
    for (uint64_t step = LARGEST_STEP * FINE; step > FINE; step--) {
        bool scaled = step >= SCALED_STEP * FINE;
        uint64_t now = UINT64_MAX;
        if (scaled || step % FINE == 0)
            now = misfit(&seen, step, scaled ? between : 0, scaled ? FINE * 3 / 2 : 0);
        if (now < least) {
            least = now;
            found = step;
        } else if (now == UINT64_MAX && least < UINT64_MAX)
            break;
    }
    return found / FINE;
}

/* A run's length is no multiple of the clock's step, but what the clock shows is: so runs are counted from the
 * shortest, however long reading the clock takes. */
uint64_t timing_step(uint64_t rdtscp)
{
    uint16_t times[STEP_DIFFERENCES] = {0};
    uint64_t shortest = UINT64_MAX;

    for (unsigned i = 0; i < STEP_LENGTHS; i++) {
        uint64_t ticks = loop_add(1, 1, rdtscp);
        shortest = ticks < shortest ? ticks : shortest;
    }
    for (unsigned i = 0; i < STEP_RUNS; i++) {
        uint64_t ticks = loop_add(1 + i % STEP_LENGTHS, 1, rdtscp);
        if (ticks >= shortest && ticks - shortest < STEP_DIFFERENCES)
            times[ticks - shortest]++;
    }
    return timing_step_of(times);
}

bool timing_fence_serialises(void)
{
    enum { SHORT = 96, LONG = 9600, TRIES = 64 };
    uint64_t empty = 0, few = 0, many = 0;

    for (unsigned i = 0; i < TRIES; i++) {
        empty += loop_multiply(1, 1, 0);
        few += loop_multiply(SHORT, 1, 0);
        many += loop_multiply(LONG, 1, 0);
    }
    /* A chain that the fence waits for costs its length; one that is still running when the clock is read costs only
     * the time to issue it, a third at most. The long chain, too long for any reorder buffer, gives the scale. */
    return timing_net(few, empty) >= timing_net(many, empty) * (SHORT - 1) / (LONG - 1) / 2;
}

struct leaf {
    uint32_t eax, ebx, ecx, edx;
};

static struct leaf read_leaf(uint32_t number)
{
    struct leaf leaf;

    __asm__ volatile("cpuid" : "=a"(leaf.eax), "=b"(leaf.ebx), "=c"(leaf.ecx), "=d"(leaf.edx) : "0"(number), "2"(0));
    return leaf;
}

/* Where leaf 15h leaves out the crystal's frequency, the one of those in use that is within 1 % of what leaf 16h, the
 * base frequency rounded to megahertz, makes of it (Intel SDM volume 3, "Determining the Processor Base Frequency"); 0:
 * none. */
static uint64_t find_crystal(struct leaf ratio, uint32_t megahertz)
{
    static const uint32_t crystal[] = {24000000, 25000000, 19200000};
    uint64_t rough = (uint64_t)megahertz * 1000000 * ratio.eax / ratio.ebx;

    for (unsigned i = 0; i < sizeof crystal / sizeof *crystal; i++) {
        uint64_t difference = rough > crystal[i] ? rough - crystal[i] : crystal[i] - rough;

        if (difference <= crystal[i] / 100)
            return crystal[i];
    }
    return 0;
}

uint64_t timing_declared_hz(const char **source)
{
    const uint32_t hypervisor = 0x40000000;
    uint32_t basic = read_leaf(0).eax;
    uint64_t crystal;
    struct leaf ratio = basic >= 0x15 ? read_leaf(0x15) : (struct leaf){0};

    if (ratio.eax && ratio.ebx && ratio.ecx) {
        *source = "CPUID 15h";
        return (uint64_t)ratio.ecx * ratio.ebx / ratio.eax;
    }
    crystal = ratio.eax && ratio.ebx && basic >= 0x16 ? find_crystal(ratio, read_leaf(0x16).eax & 0xffff) : 0;
    if (crystal) {
        *source = "CPUID 15h, crystal by 16h";
        return crystal * ratio.ebx / ratio.eax;
    }
    if ((read_leaf(1).ecx >> 31) && read_leaf(hypervisor).eax >= hypervisor + 0x10 &&
        read_leaf(hypervisor).eax < hypervisor + 0x10000 && read_leaf(hypervisor + 0x10).eax) {
        *source = "CPUID 40000010h";
        return (uint64_t)read_leaf(hypervisor + 0x10).eax * 1000;
    }
    *source = "";
    return 0;
}

uint64_t timing_hz(uint64_t ticks, uint64_t microseconds)
{
    return timing_scale(1000000, ticks, microseconds);
}

uint64_t timing_middle(const uint64_t three[3])
{
    uint64_t a = three[0], b = three[1], c = three[2];

    if ((a <= b && b <= c) || (c <= b && b <= a))
        return b;
    return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

uint64_t timing_scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    while ((numerator | denominator) >> 32) {
        numerator >>= 1;
        denominator >>= 1;
    }
    if (denominator == 0)
        return 0;
    return value / denominator * numerator + value % denominator * numerator / denominator;
}

static bool is_stream(enum op op)
{
    return op == OP_READ || op == OP_WRITE || op == OP_WRITE_NT || op == OP_COPY;
}

const char *timing_refusal(const struct task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].core != 0)
            return "only the core that the probe runs on can be reached";
        if (tasks[i].op == OP_HANDOFF)
            return "a line is handed over between two cores, and only one can be reached";
        if (is_stream(tasks[i].op) && tasks[i].start % LINE)
            return "a stream starts at a multiple of 64 bytes";
        if (tasks[i].op == OP_JUMP_FAR && (tasks[i].steps > UINT32_MAX || tasks[i].warm > UINT32_MAX))
            return "a run of far jumps is at most 4294967295 steps long";
        if (count > 1 && (tasks[i].op != OP_LOAD || tasks[i].steps != tasks[0].steps))
            return "tasks of one core interleave only if all are loads of 8 bytes with equally many steps";
    }
    return NULL;
}

static uint64_t run_interleaved(const struct task *tasks, size_t count, uint64_t rdtscp)
{
    uint64_t start[MAX_TASKS];

    for (size_t i = 0; i < count; i++)
        start[i] = tasks[i].start;
    if (count == 2)
        return loop_load2(start, tasks[0].steps, rdtscp);
    if (count == 3)
        return loop_load3(start, tasks[0].steps, rdtscp);
    return loop_load4(start, tasks[0].steps, rdtscp);
}

static uint64_t run_jumps(const struct task *task, uint64_t rdtscp, uint64_t *made)
{
    uint64_t left = 0, ticks;

    if (task->lap == 0) {
        ticks = loop_jump(task->start, task->steps, rdtscp, &left, task->warm);
        *made = task->steps - left;
        return ticks;
    }
    /* A lap is over where its first stop is met again, which counts, too. */
    ticks =
        loop_jump(task->start, task->steps / task->lap + 1, rdtscp, &left, task->warm ? task->warm / task->lap + 1 : 0);
    *made = task->steps - (left ? left - 1 : 0) * task->lap;
    return ticks;
}

uint64_t timing_run(const struct task *tasks, size_t count, uint64_t base, uint64_t rdtscp, uint64_t made[MAX_TASKS])
{
    uint64_t start = tasks[0].start, steps = tasks[0].steps, warm = tasks[0].warm;

    for (size_t i = 0; i < count; i++)
        made[i] = tasks[i].steps;
    if (count > 1)
        return run_interleaved(tasks, count, rdtscp);
    switch (tasks[0].op) {
    case OP_LOAD_32:
        return loop_load_32(start, steps, rdtscp, base, warm);
    case OP_LOAD_INDEXED:
        return loop_load_indexed(start, steps, rdtscp, warm);
    case OP_LOAD_FLOAT:
        return loop_load_float(start, steps, rdtscp, warm);
    case OP_STORE:
        return loop_store(start, steps, rdtscp, warm);
    case OP_EXCHANGE:
        return loop_exchange(start, steps, rdtscp, warm);
    case OP_JUMP:
    case OP_JUMP_FAR:
        return run_jumps(&tasks[0], rdtscp, &made[0]);
    case OP_READ:
        return loop_read(start, steps, rdtscp);
    case OP_WRITE:
        return loop_write(start, steps, rdtscp);
    case OP_WRITE_NT:
        return loop_write_nt(start, steps, rdtscp);
    case OP_COPY:
        return loop_copy(start, steps, rdtscp);
    default:
        return loop_load(start, steps, rdtscp, NULL, warm);
    }
}

uint64_t timing_block(const struct block *block, uint64_t steps, uint64_t rdtscp)
{
    switch (block->kind) {
    case BLOCK_MULTIPLY:
        return loop_multiply(steps, block->variables, rdtscp);
    case BLOCK_PAUSE:
        return loop_pause(steps);
    default:
        return loop_add(steps, block->variables, rdtscp);
    }
}

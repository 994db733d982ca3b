// SPDX-License-Identifier: BSD-2-Clause
/* run.c: a run, from an opened machine to its documents. Everything that a result depends on is either measured, and so
 * recorded, or noted in the recording here: a replay takes the same way through this file and delivers the same bytes.
 */
#include "run/run.h"
#include "run/deliver.h"
#include "run/golden.h"
#include "run/journal.h"
#include "run/outcome.h"
#include "run/progress.h"

/* How a probe ended. */
enum ending { DONE, SKIPPED, FAULTED, REFUSED, LEFT_OUT };

static const char *const ending_names[] = {"done", "skipped", "fault", "refused", "left out"};

/* What goes into protection with a probe. */
struct errand {
    const struct probe *probe;
    const struct request *request;
    struct notebook *notebook;
    bool completed;
};

/* The state of a run that is of no interest afterwards. */
struct course {
    struct run *run;
    struct machine *machine;
    struct stage *stage;
    struct run_summary summary;
    char unfinished[96];
    uint64_t started; /* ticks */
    unsigned ended_well, index, wanted;
    bool aborted;
};

static void add_name(struct text *name, const char *part)
{
    char last = '_'; /* none at the start of a part */

    if (name->length > 0 && part[0])
        text_char(name, '-');
    for (; *part && name->length < 40; part++) {
        bool plain = (*part >= '0' && *part <= '9') || (*part >= 'A' && *part <= 'Z') || (*part >= 'a' && *part <= 'z');
        char next = plain ? *part : '_';
        if (next != '_' || last != '_')
            text_char(name, next);
        last = next;
    }
    while (name->length > 0 && name->at[name->length - 1] == '_')
        name->at[--name->length] = '\0';
}

static void make_machine_name(struct run *run, const struct facts *facts)
{
    struct text name;

    if (run->machine_name[0])
        return;
    name = text_in(run->machine_name, sizeof run->machine_name);
    add_name(&name, facts->board);
    add_name(&name, facts->serial);
    if (name.length == 0)
        add_name(&name, facts->implementation);
}

/* The options as far as they bear on the result: not where files go, what progress looks like,
 * and what the result is compared with. */
static void write_options(struct course *course)
{
    struct options shown = course->run->options;
    struct text text = text_in(course->run->options_text, sizeof course->run->options_text);

    shown.out[0] = shown.from[0] = shown.baseline[0] = '\0';
    shown.plain = shown.no_pictures = shown.lava = false;
    options_write(&shown, &text);
    machine_note(course->machine, "options", text.at);
}

static void journal(struct course *course, struct text *line)
{
    struct run *run = course->run;

    if (!run->journal)
        return;
    journal_seal(line);
    if (line->cut || !stage_journal(course->stage, line->at)) {
        run->journal = false;
        say(course->stage, "The journal ends here: %s", line->cut ? "a line is too long" : stage_why(course->stage));
    }
}

static struct text journal_line(struct course *course, const char *event)
{
    struct text line = text_in(course->run->journal_line, sizeof course->run->journal_line);

    text_format(&line, "{\"seq\":%u,\"event\":\"%s\"", ++course->run->journal_lines, event);
    return line;
}

static void journal_run(struct course *course)
{
    struct text line = journal_line(course, "run");
    bool first = true;

    text_format(&line, ",\"tool\":\"%s\",\"probes\":\"", assay_version);
    for (unsigned i = 0; i < probe_count; i++) {
        if (!options_wants(&course->run->options, probe_list[i].name))
            continue;
        text_format(&line, first ? "%s" : ",%s", probe_list[i].name);
        first = false;
    }
    text_format(&line, "\",\"unfinished\":\"%s\"", course->unfinished);
    journal(course, &line);
}

static void journal_end(struct course *course, const struct probe *probe, enum ending ending, uint64_t visits,
                        unsigned first)
{
    const struct notebook *notebook = &course->run->notebook;
    struct text line = journal_line(course, "end");
    struct report_sink sink = {.text = &line};

    text_format(&line, ",\"probe\":\"%s\",\"outcome\":\"%s\",\"visits\":%lu,\"findings\":[", probe->name,
                ending_names[ending], visits);
    for (unsigned i = first; i < notebook->findings; i++) {
        size_t before = line.length;
        text_string(&line, i > first ? "," : "");
        if (!report_finding(&sink, &notebook->finding[i]) || line.length + 64 > line.capacity) {
            /* The journal tells how far a run came; result.json has all findings. */
            line.length = before;
            line.at[before] = '\0';
            line.cut = false;
            break;
        }
    }
    text_char(&line, ']');
    journal(course, &line);
}

static void find_unfinished(struct course *course)
{
    struct run *run = course->run;
    size_t length = 0;

    if (run->replayed)
        text_copy(course->unfinished, sizeof course->unfinished, run->replayed->unfinished);
    else if (run->folder && stage_last_journal(course->stage, run->last_journal, sizeof run->last_journal, &length) &&
             !journal_unfinished(run->last_journal, length, course->unfinished, sizeof course->unfinished))
        course->unfinished[0] = '\0';
    machine_note(course->machine, "unfinished", course->unfinished);
    if (course->unfinished[0])
        say(course->stage, "An earlier run ended during probe %s; %s", course->unfinished,
            run->options.retry ? "it runs again (--retry)" : "it is left out now (--retry runs it)");
}

/* Folder, journal, date, number: all that is settled before the first probe. */
static void begin(struct course *course)
{
    struct run *run = course->run;
    char number[16];
    struct text text = text_in(number, sizeof number);

    machine_record_ground(course->machine);
    write_options(course);
    make_machine_name(run, machine_facts(course->machine));
    if (!run->options.no_files) {
        run->folder = stage_folder(course->stage, run->machine_name, &run->number);
        if (!run->folder) {
            run->number = 0;
            say(course->stage, "No files can be written: %s", stage_why(course->stage));
        }
    }
    run->journal = run->folder;
    if (run->replayed) {
        run->number = run->replayed->number;
        text_copy(run->date, sizeof run->date, run->replayed->date);
    } else if (!stage_date(course->stage, run->date)) {
        run->date[0] = '\0';
    }
    text_format(&text, "%u", run->number);
    machine_note(course->machine, "number", number);
    machine_note(course->machine, "date", run->date);
    find_unfinished(course);
    journal_run(course);
    course->started = machine_now(course->machine);
}

static void measure(struct machine *machine, void *argument)
{
    struct errand *errand = argument;

    errand->completed = errand->probe->measure(machine, errand->request, errand->notebook);
}

/* Runs a probe under protection; `why` gets what to note for the ids that it leaves open. */
static enum ending run_protected(struct course *course, const struct probe *probe, struct text *why)
{
    struct run *run = course->run;
    struct errand errand = {.probe = probe, .request = &run->options.request, .notebook = &run->notebook};
    struct fault fault;

    if (!machine_protect(course->machine, run->options.core, measure, &errand, &fault)) {
        text_string(why, machine_why(course->machine));
        return REFUSED;
    }
    if (fault.happened) {
        fault_text(why, &fault);
        return FAULTED;
    }
    if (!errand.completed) {
        text_string(why, "skipped by the user");
        return SKIPPED;
    }
    text_string(why, "the probe said nothing about it");
    return DONE;
}

static void say_ending(struct course *course, const struct probe *probe, enum ending ending, uint64_t milliseconds,
                       const char *why)
{
    char buffer[256];
    struct text line = text_in(buffer, sizeof buffer);

    text_format(&line, "[%u/%u] %s  %s, %.1f s", course->index, course->wanted, probe->name, ending_names[ending],
                (double)milliseconds / 1000);
    if (ending == FAULTED || ending == REFUSED)
        text_format(&line, ": %s", why);
    stage_line(course->stage, line.at);
}

static void run_probe(struct course *course, const struct probe *probe)
{
    struct notebook *notebook = &course->run->notebook;
    unsigned first = notebook->findings;
    uint64_t steps = machine_steps(course->machine), visits, started = stage_milliseconds(course->stage);
    char buffer[sizeof notebook->finding[0].why];
    struct text why = text_in(buffer, sizeof buffer), line = journal_line(course, "begin");
    enum ending ending;

    text_format(&line, ",\"probe\":\"%s\"", probe->name);
    journal(course, &line);
    course->run->skip_asked = false;
    progress_start(stage_running(course->stage), course->stage, probe->name, course->index, course->wanted,
                   probe->usual_ms);
    ending = run_protected(course, probe, &why);
    progress_end(stage_running(course->stage), course->stage, ending == DONE);
    visits = machine_steps(course->machine) - steps;
    notebook->translation += probe->translation ? visits : 0;
    note_rest_missing(notebook, probe, visits, why.at);
    compare_declared(notebook, machine_facts(course->machine));
    journal_end(course, probe, ending, visits, first);
    say_ending(course, probe, ending, stage_milliseconds(course->stage) - started, why.at);
    course->ended_well += ending == DONE;
    course->summary.skipped += ending == SKIPPED;
    course->summary.faulted += ending == FAULTED;
}

static void leave_out(struct course *course, const struct probe *probe, const char *why)
{
    unsigned first = course->run->notebook.findings;

    progress_pass(stage_running(course->stage), probe->usual_ms);
    note_rest_missing(&course->run->notebook, probe, 0, why);
    compare_declared(&course->run->notebook, machine_facts(course->machine));
    journal_end(course, probe, LEFT_OUT, 0, first);
    course->summary.skipped++;
}

/* Whether the user has ended the run; noted under the probe that it then stops before. */
static bool is_aborted(struct course *course, const struct probe *next)
{
    const struct replayed *replayed = course->run->replayed;

    if (course->aborted)
        return true;
    course->aborted = replayed ? text_equal(replayed->aborted, next->name) : stage_aborted(course->stage);
    if (course->aborted)
        machine_note(course->machine, "aborted", next->name);
    return course->aborted;
}

static void run_probes(struct course *course)
{
    const struct options *options = &course->run->options;
    uint64_t usual = 0;

    for (unsigned i = 0; i < probe_count; i++) {
        bool wanted = options_wants(options, probe_list[i].name);
        course->wanted += wanted;
        usual += wanted ? probe_list[i].usual_ms : 0;
    }
    progress_plan(stage_running(course->stage), usual);
    for (unsigned i = 0; i < probe_count; i++) {
        const struct probe *probe = &probe_list[i];
        if (!options_wants(options, probe->name))
            continue;
        course->index++;
        if (is_aborted(course, probe))
            leave_out(course, probe, "the user ended the run before");
        else if (text_listed(course->unfinished, probe->name) && !options->retry)
            leave_out(course, probe, "left out: an earlier run ended while this was measured (--retry runs it)");
        else
            run_probe(course, probe);
    }
}

static const char *mode_of(const char *implementation)
{
    if (text_equal(implementation, "kernel"))
        return "borrowed";
    return text_equal(implementation, "silicon") ? "model" : "user space";
}

/* What the documents say about the run besides findings. */
static void summarise(struct course *course)
{
    struct run *run = course->run;
    const struct facts *facts = machine_facts(course->machine);
    const struct finding *core_hz = noted(&run->notebook, "cpu.frequency");
    uint64_t hz = machine_clock(course->machine).hz;
    uint64_t ticks = machine_now(course->machine) - course->started;
    struct run_summary *summary = &course->summary;
    unsigned skipped = summary->skipped, faulted = summary->faulted;

    *summary = (struct run_summary){
        .tool_version = assay_version,
        .build = assay_build,
        .implementation = facts->implementation,
        .vendor = facts->vendor,
        .brand = facts->brand,
        .board = facts->board,
        .serial = facts->serial,
        .firmware = facts->firmware,
        .hypervisor = facts->hypervisor,
        .note = facts->note,
        .signature = facts->signature,
        .microcode = facts->microcode,
        .tsc_hz = hz,
        .core_hz = core_hz && core_hz->measured ? (uint64_t)core_hz->value : 0,
        .emulated = facts->emulated,
        .mode = mode_of(facts->implementation),
        .options = run->options_text,
        .date = run->date,
        .run_number = run->number,
        .duration_ms = hz >= 1000 ? ticks / (hz / 1000) : 0,
        .seed = run->options.request.seed,
        .processors = machine_processors(course->machine),
        .core = run->options.core,
        .skipped = skipped,
        .faulted = faulted,
        .verdict = run->verdict,
    };
    summary->disturbances = machine_disturbances(course->machine, &summary->lost_ticks);
}

/* What the run is beside its baseline, on the console and in the journal. */
static void tell_baseline(struct course *course)
{
    struct text line;

    if (course->run->verdict == NO_BASELINE)
        return;
    golden_say(course->run, course->stage);
    line = journal_line(course, "baseline");
    golden_journal(course->run, &line);
    journal(course, &line);
}

unsigned run_measure(struct run *run, struct machine *machine, struct stage *stage)
{
    struct course course = {.run = run, .machine = machine, .stage = stage};
    struct text line;

    begin(&course);
    run_probes(&course);
    run->verdict = golden_verdict(run);
    summarise(&course);
    deliver_table(run, stage, &course.summary);
    deliver_suite(run, stage);
    deliver_lava(run, stage, &course.summary);
    deliver_files(run, stage, &course.summary);
    tell_baseline(&course);
    deliver_summary(run, stage, &course.summary);
    run->summary = course.summary;
    line = journal_line(&course, "finished");
    journal(&course, &line);
    return course.ended_well;
}

// SPDX-License-Identifier: BSD-2-Clause
/* console.c: the stage's console on a host: lines, the progress line, keys. */
#define _GNU_SOURCE // poll, clock_gettime, sigaction, fileno
#include "tests/host/program.h"
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 79, PLAIN_PERIOD_MS = 2000, ESCAPE = 27 };

/* Set by the interrupt key, which must end the run in order and restore the terminal. */
static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

uint64_t stage_milliseconds(struct stage *stage)
{
    struct timespec now;

    (void)stage;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool stage_date(struct stage *stage, char iso[24])
{
    time_t now = time(NULL);
    struct tm parts;

    (void)stage;
    return now != (time_t)-1 && gmtime_r(&now, &parts) && strftime(iso, 24, "%Y-%m-%dT%H:%M:%S", &parts) > 0;
}

void stage_line(struct stage *stage, const char *line)
{
    if (stage->progress_shown)
        fprintf(stage->console, "\r%*s\r", COLUMNS, "");
    stage->progress_shown = false;
    fprintf(stage->console, "%s\n", line);
    fflush(stage->console);
}

void stage_progress(struct stage *stage, const char *line)
{
    uint64_t now = stage_milliseconds(stage);

    if (!stage->plain && isatty(fileno(stage->console))) {
        fprintf(stage->console, "\r%-*.*s", COLUMNS, COLUMNS, line);
        fflush(stage->console);
        stage->progress_shown = true;
    } else if (stage->progress_said == 0 || now - stage->progress_said >= PLAIN_PERIOD_MS) {
        stage->progress_said = now;
        fprintf(stage->console, "%s\n", line);
        fflush(stage->console);
    }
}

const char *stage_why(struct stage *stage)
{
    return stage->why;
}

struct progress *stage_running(struct stage *stage)
{
    return &stage->progress;
}

bool stage_aborted(struct stage *stage)
{
    keys_read(stage);
    return stage->aborted;
}

void keys_start(struct stage *stage)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct termios single;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &stage->terminal) != 0)
        return;
    /* In the background, changing the terminal would stop the program. */
    if (tcgetpgrp(STDIN_FILENO) != getpgrp())
        return;
    single = stage->terminal;
    single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    single.c_cc[VMIN] = 0;
    single.c_cc[VTIME] = 0;
    stage->raw = tcsetattr(STDIN_FILENO, TCSANOW, &single) == 0;
}

void keys_read(struct stage *stage)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;

    if (interrupted)
        stage->aborted = true;
    while (stage->raw && poll(&input, 1, 0) == 1 && read(STDIN_FILENO, &key, 1) == 1) {
        if (key == 's' || key == 'S')
            stage->skip_asked = true;
        if (key == 'q' || key == 'Q' || key == ESCAPE)
            stage->aborted = true;
    }
}

void keys_stop(struct stage *stage)
{
    if (stage->raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &stage->terminal);
    stage->raw = false;
}

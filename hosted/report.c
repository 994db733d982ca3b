// SPDX-License-Identifier: BSD-2-Clause
/* report.c: assay-report: the report.html of a run from its result.json. It writes with the very code that the
 * image writes with (report/html*.c), from the same numbers, so the bytes are those of the run's own report.html.
 * JSON is read with jansson (hosted/result.c): strict, exact for whole numbers, and it names the line of what it does
 * not understand. Exit status: 0 done, 1 the report could not be written, 2 wrong words or a bad result.json. */
#include "hosted/result.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: assay-report RESULT.JSON [-o FILE]\n"
                            "Writes the report.html of a run from its result.json: to FILE, or to standard output.\n"
                            "RESULT.JSON may be - for standard input.\n"
                            "--help prints this.\n";

enum { DONE, FAILED, BAD_INPUT };

struct report_sink {
    FILE *file;
};

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, sink->file) == length;
}

/* Reads all of a file. NULL: with errno. */
static char *read_all(FILE *file, size_t *length)
{
    size_t capacity = 1 << 16;
    char *bytes = malloc(capacity);

    *length = 0;
    while (bytes) {
        char *more;
        size_t got = fread(bytes + *length, 1, capacity - *length, file);
        *length += got;
        if (got == 0)
            break;
        if (*length < capacity)
            continue;
        capacity *= 2;
        more = realloc(bytes, capacity);
        if (!more)
            free(bytes);
        bytes = more;
    }
    if (bytes && ferror(file)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* The result in a file; NULL after a complaint. */
static struct result *read_result(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    struct result *result = calloc(1, sizeof *result);
    char *bytes = NULL, buffer[256] = "no memory";
    struct text complaint = text_in(buffer, sizeof buffer);
    size_t length;
    bool good = false;

    if (file)
        bytes = read_all(file, &length);
    if (!bytes)
        text_string(&complaint, strerror(errno));
    else if (result)
        good = result_parse(result, bytes, length, &complaint);
    if (!good)
        fprintf(stderr, "assay-report: %s: %s\n", path, complaint.at);
    if (file && file != stdin)
        fclose(file);
    free(bytes);
    if (good)
        return result;
    free(result);
    return NULL;
}

static int write_report(const struct result *result, const char *path)
{
    FILE *file = path ? fopen(path, "wb") : stdout;
    struct report_sink sink = {.file = file};
    bool good = file && report_html(&sink, &result->run, &result->notebook) && fflush(file) == 0;

    if (file && path)
        good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "assay-report: %s: %s\n", path ? path : "standard output", strerror(errno));
    return good ? DONE : FAILED;
}

int main(int count, char **words)
{
    const char *from = NULL, *to = NULL;
    struct result *result;
    int status;

    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--help") == 0) {
            fputs(usage, stdout);
            return DONE;
        }
        if (strcmp(words[i], "-o") == 0 && i + 1 < count && !to) {
            to = words[++i];
        } else if (!from && (words[i][0] != '-' || words[i][1] == '\0')) {
            from = words[i];
        } else {
            fprintf(stderr, "assay-report: %s is not understood here\n%s", words[i], usage);
            return BAD_INPUT;
        }
    }
    if (!from) {
        fputs(usage, stderr);
        return BAD_INPUT;
    }
    result = read_result(from);
    if (!result)
        return BAD_INPUT;
    status = write_report(result, to);
    free(result);
    return status;
}

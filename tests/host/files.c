// SPDX-License-Identifier: BSD-2-Clause
/* files.c: the stage's files on a host: a run's folder is --out itself, a later run replaces the files one by one, and
 * each file appears whole or not at all. */
#define _GNU_SOURCE // fileno, fdatasync
#include "base/text.h"
#include "tests/host/program.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char journal_name[] = "journal.txt", summary_name[] = "summary";

static bool refuse_file(struct stage *stage, const char *path)
{
    struct text why = text_in(stage->why, sizeof stage->why);

    text_format(&why, "%s: %s", path, strerror(errno));
    return false;
}

static void path_in(struct stage *stage, const char *name, char path[600])
{
    struct text text = text_in(path, 600);

    text_format(&text, "%s/%s", stage->folder, name);
}

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL, *more;
    size_t capacity = 1 << 16, got;

    if (!file)
        return NULL;
    *size = 0;
    for (;;) {
        more = realloc(bytes, capacity);
        if (!more)
            break;
        bytes = more;
        got = fread(bytes + *size, 1, capacity - 1 - *size, file);
        *size += got;
        bytes[*size] = '\0';
        if (got == 0)
            break;
        if (*size == capacity - 1)
            capacity *= 2;
    }
    if (ferror(file) || !more) {
        free(bytes);
        bytes = NULL;
        errno = EIO;
    }
    fclose(file);
    return bytes;
}

bool folder_make(const char *path)
{
    char part[600];
    struct text text = text_in(part, sizeof part);
    struct stat found;

    for (; *path; path++) {
        text_char(&text, *path);
        if ((path[1] == '/' || path[1] == '\0') && mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
    }
    if (stat(part, &found) == 0 && !S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return !text.cut;
}

/* The number of the run whose result.json lies in the folder, 0 when there is none. */
static unsigned number_there(struct stage *stage)
{
    char path[600], *json, *at;
    unsigned long number = 0;
    size_t size;

    path_in(stage, "result.json", path);
    json = file_read(path, &size);
    at = json ? strstr(json, "\"run\": {\"number\": ") : NULL;
    if (at)
        number = strtoul(at + strlen("\"run\": {\"number\": "), NULL, 10);
    free(json);
    return (unsigned)number;
}

bool stage_read(struct stage *stage, const char *path, char *buffer, size_t size, size_t *length)
{
    char *bytes = file_read(path, length);
    bool fits;

    if (!bytes)
        return refuse_file(stage, path);
    fits = *length < size;
    if (fits)
        memcpy(buffer, bytes, *length);
    free(bytes);
    errno = EFBIG;
    return fits || refuse_file(stage, path);
}

bool stage_folder(struct stage *stage, const char *machine_name, unsigned *number)
{
    (void)machine_name;
    if (!folder_make(stage->folder))
        return refuse_file(stage, stage->folder);
    *number = number_there(stage) + 1;
    return true;
}

bool stage_last_journal(struct stage *stage, char *buffer, size_t size, size_t *length)
{
    char path[600], *journal;

    path_in(stage, journal_name, path);
    journal = file_read(path, length);
    if (!journal)
        return refuse_file(stage, path);
    if (*length > size)
        *length = size;
    memcpy(buffer, journal, *length);
    free(journal);
    return true;
}

bool stage_journal(struct stage *stage, const char *line)
{
    char path[600];

    path_in(stage, journal_name, path);
    if (!stage->journal)
        stage->journal = fopen(path, "wb");
    if (!stage->journal || fprintf(stage->journal, "%s\n", line) < 0 || fflush(stage->journal) != 0)
        return refuse_file(stage, path);
    fdatasync(fileno(stage->journal));
    return true;
}

bool stage_file_begin(struct stage *stage, const char *name)
{
    char path[600];
    struct text text = text_in(path, sizeof path);

    path_in(stage, name, stage->file_path);
    text_format(&text, "%s.new", stage->file_path);
    stage->file = fopen(path, "wb");
    return stage->file || refuse_file(stage, path);
}

bool stage_file_write(struct stage *stage, const void *bytes, size_t length)
{
    return fwrite(bytes, 1, length, stage->file) == length || refuse_file(stage, stage->file_path);
}

bool stage_file_end(struct stage *stage)
{
    char path[600];
    struct text text = text_in(path, sizeof path);
    bool failed = ferror(stage->file) || fflush(stage->file) != 0;

    text_format(&text, "%s.new", stage->file_path);
    failed = fclose(stage->file) != 0 || failed;
    stage->file = NULL;
    if (!failed && rename(path, stage->file_path) == 0)
        return true;
    refuse_file(stage, stage->file_path);
    unlink(path);
    return false;
}

/* Each file was written when it ended. */
bool stage_files_commit(struct stage *stage)
{
    (void)stage;
    return true;
}

bool stage_summary_read(struct stage *stage, void *buffer, size_t *size)
{
    char path[600], *summary;
    size_t length;
    bool fits;

    path_in(stage, summary_name, path);
    summary = file_read(path, &length);
    if (!summary)
        return refuse_file(stage, path);
    fits = length <= *size;
    if (fits)
        memcpy(buffer, summary, length);
    free(summary);
    *size = length;
    errno = EFBIG;
    return fits || refuse_file(stage, path);
}

bool stage_summary_write(struct stage *stage, const void *bytes, size_t size)
{
    if (!folder_make(stage->folder))
        return refuse_file(stage, stage->folder);
    if (!stage_file_begin(stage, summary_name))
        return false;
    stage_file_write(stage, bytes, size);
    return stage_file_end(stage);
}

bool stage_summary_forget(struct stage *stage)
{
    char path[600];

    path_in(stage, summary_name, path);
    return unlink(path) == 0 || refuse_file(stage, path);
}

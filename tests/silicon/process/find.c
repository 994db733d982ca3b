// SPDX-License-Identifier: BSD-2-Clause
/* find.c: assay-model: where machines are: below the working directory, or beside the program. */
#define _GNU_SOURCE // readlink, strdup
#include "tests/silicon/process/model.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[MACHINE_FOLDERS] = {"tests/silicon/machines", "tests/silicon/misconceptions"};

static bool is_folder(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool machine_folder(unsigned number, char path[600])
{
    char program[400];
    struct text text = text_in(path, 600);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;

    text_string(&text, folders[number]);
    if (is_folder(path) || length <= 0)
        return is_folder(path);
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    text = text_in(path, 600);
    text_format(&text, "%s/../%s", program, folders[number]);
    return is_folder(path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **machine_names(const char *folder, size_t *count)
{
    enum { MOST = 1024 };
    char **names = calloc(MOST, sizeof *names);
    DIR *listing = names ? opendir(folder) : NULL;
    const struct dirent *entry;

    *count = 0;
    while (listing && (entry = readdir(listing)) && *count < MOST) {
        size_t length = strlen(entry->d_name);
        char *name;
        if (length < 5 || strcmp(entry->d_name + length - 4, ".ini") != 0)
            continue;
        name = strdup(entry->d_name);
        if (!name)
            break;
        name[length - 4] = '\0';
        names[(*count)++] = name;
    }
    if (listing)
        closedir(listing);
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* Insertions, deletions and changes that make one name of the other (Levenshtein), for names up to 47 letters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[49], before, kept;
    size_t length = strlen(b) < 48 ? strlen(b) : 48;

    for (unsigned j = 0; j <= length; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        before = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= length; j++) {
            kept = row[j];
            row[j] = before + (a[i - 1] != b[j - 1]);
            if (row[j] > kept + 1)
                row[j] = kept + 1;
            if (row[j] > row[j - 1] + 1)
                row[j] = row[j - 1] + 1;
            before = kept;
        }
    }
    return row[length];
}

/* Names the machines whose names are near; false: none is. */
static bool name_near(const char *name, struct text *complaint)
{
    unsigned near = 0;

    for (unsigned i = 0; i < MACHINE_FOLDERS; i++) {
        char folder[600];
        size_t count = 0;
        char **names = machine_folder(i, folder) ? machine_names(folder, &count) : NULL;
        for (size_t j = 0; j < count; j++) {
            if (name[0] && (strstr(names[j], name) || strstr(name, names[j]) || distance(name, names[j]) <= 2) &&
                near < 8)
                text_format(complaint, near++ ? ", %s" : "; near it: %s", names[j]);
            free(names[j]);
        }
        free(names);
    }
    return near > 0;
}

bool machine_find(const char *name, char path[600], struct text *complaint)
{
    size_t length = strlen(name);
    struct text text = text_in(path, 600);

    if (strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".ini") == 0)) {
        text_string(&text, name);
        return true;
    }
    for (unsigned i = 0; i < MACHINE_FOLDERS; i++) {
        char folder[600];
        if (!machine_folder(i, folder))
            continue;
        text = text_in(path, 600);
        text_format(&text, "%s/%s.ini", folder, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    text_format(complaint, "there is no machine named '%s'", name);
    if (!name_near(name, complaint))
        text_string(complaint, "; `assay-model list` names all");
    return false;
}

bool machine_read(const char *name, struct description *description, struct text *complaint)
{
    char path[600], wrong[300] = "";
    const char *unsound;
    size_t size;
    char *ini;
    bool good;

    if (!machine_find(name, path, complaint))
        return false;
    ini = file_read(path, &size);
    if (!ini) {
        text_format(complaint, "%s: %s", path, strerror(errno));
        return false;
    }
    good = description_read(description, ini, size, wrong, sizeof wrong);
    free(ini);
    if (!good) {
        text_format(complaint, "%s: %s", path, wrong);
        return false;
    }
    unsound = description_unsound(description);
    if (unsound)
        text_format(complaint, "%s: %s", path, unsound);
    return !unsound;
}

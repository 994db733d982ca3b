// SPDX-License-Identifier: BSD-2-Clause
/* ask.c: see ask.h. Most boards cannot pass load options to a program on a stick, which is what the ini file is for; a
 * command line, where there is one, is all that counts. */
#include "boot/ask.h"

#include "boot/load_options.h"

enum { LINE_SIZE = 1024, COMPLAINT_SIZE = 240, INI_SIZE = 16 << 10 };

/* True: there is a command line with something on it. */
static bool command_line(struct stage *stage, struct text *line)
{
    const EFI_LOADED_IMAGE *loaded = stage->firmware->loaded;
    const char *why = "";
    if (!loaded || !loaded->LoadOptions)
        return false;
    if (!load_options_line(loaded->LoadOptions, loaded->LoadOptionsSize, stage->firmware->from_shell, line, &why)) {
        say(stage, "The firmware's load options are ignored: %s", why);
        return false;
    }
    return line->length > 0;
}

/* The content of \assay\assay.ini, NULL when there is none. Freed with firmware_free. */
static char *read_ini(struct stage *stage, size_t *length)
{
    EFI_FILE_HANDLE file = NULL;
    if (!stage->volume.root || EFI_ERROR(volume_read(stage->volume.root, "\\assay\\assay.ini", &file)))
        return NULL;
    char *content = firmware_allocate(stage->firmware, INI_SIZE);
    *length = INI_SIZE;
    EFI_STATUS status = content ? volume_content(file, content, length) : EFI_OUT_OF_RESOURCES;
    volume_close(file);
    if (!EFI_ERROR(status) && *length < INI_SIZE)
        return content;
    say(stage, "\\assay\\assay.ini is ignored: %s",
        EFI_ERROR(status) ? firmware_status(status) : "it is larger than 16 KB");
    firmware_free(stage->firmware, content);
    return NULL;
}

static bool fits_image(const struct options *options, struct text *complaint)
{
    if (!options->out[0] && !options->machine[0] && !options->from[0])
        return true;
    text_string(complaint, "--out, --machine and --from are for the programs on a host, not for the image");
    return false;
}

bool ask(struct stage *stage, struct options *options)
{
    char line_buffer[LINE_SIZE], complaint_buffer[COMPLAINT_SIZE];
    struct text line = text_in(line_buffer, sizeof line_buffer);
    struct text complaint = text_in(complaint_buffer, sizeof complaint_buffer);
    const char *from = "";
    size_t length = 0;
    char *ini = NULL;
    bool good = true;
    options_default(options);
    /* Whoever types a command into a shell is there to type the next one. */
    if (stage->firmware->from_shell)
        options->after = AFTER_RETURN;
    if (command_line(stage, &line)) {
        good = options_read_line(options, line.at, &complaint);
    } else if ((ini = read_ini(stage, &length)) != NULL) {
        from = "\\assay\\assay.ini: ";
        good = options_read_ini(options, ini, length, &complaint);
        firmware_free(stage->firmware, ini);
    }
    stage->console.plain = options->plain;
    if (good && fits_image(options, &complaint))
        return true;
    say(stage, "%s%s", from, complaint.at);
    stage_line(stage, "Nothing is done. --help lists the options.");
    return false;
}

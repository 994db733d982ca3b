// SPDX-License-Identifier: BSD-2-Clause
/* journal_file.c: the journal on the medium. Its space is set aside as newlines and flushed when the first line is
 * written; after that a line only overwrites data, so that no file system table is half changed when the power goes
 * while a probe runs. */
#include "boot/journal_name.h"
#include "boot/stage.h"

#include "run/stage.h"

/* A nearly full medium keeps three quarters of its room for documents. */
enum { JOURNAL_SPACE = 64 << 10, LEAST_SPACE = 4 << 10 };

/* Makes the file with so much space in it. */
static EFI_STATUS set_aside(struct stage *stage, size_t space)
{
    EFI_FILE_HANDLE file = NULL;
    UINTN written = space;
    char *newlines = firmware_allocate(stage->firmware, space);
    if (!newlines)
        return EFI_OUT_OF_RESOURCES;
    __builtin_memset(newlines, '\n', space);
    EFI_STATUS status = volume_create(stage->run_folder, JOURNAL_NAME, &file);
    if (!EFI_ERROR(status)) {
        status = file->Write(file, &written, newlines);
        if (!EFI_ERROR(status) && written != space)
            status = EFI_VOLUME_FULL;
        if (!EFI_ERROR(status))
            status = file->Flush(file);
        if (EFI_ERROR(status))
            file->Delete(file);
        else
            stage->journal.file = file;
    }
    firmware_free(stage->firmware, newlines);
    return status;
}

static bool start(struct stage *stage)
{
    EFI_STATUS status = EFI_VOLUME_FULL;
    uint64_t room = volume_room(stage->firmware, &stage->volume, NULL);
    for (size_t space = JOURNAL_SPACE; space >= LEAST_SPACE && EFI_ERROR(status); space /= 4)
        if (space <= room / 4 || space / 4 < LEAST_SPACE)
            status = set_aside(stage, space);
    if (!EFI_ERROR(status))
        return true;
    stage->journal.failed = true;
    return stage_refuse(stage, "the journal %s cannot be made: %s", JOURNAL_NAME, firmware_status(status));
}

bool stage_journal(struct stage *stage, const char *line)
{
    struct journal_file *journal = &stage->journal;
    UINTN length = text_length(line), end = 1;
    if (!stage->run_folder)
        return stage_refuse(stage, "no journal is kept: this run has no folder");
    if (journal->failed || (!journal->file && !start(stage)))
        return false;
    uint64_t line_end = journal->used + length + 1;
    EFI_STATUS status = journal->file->SetPosition(journal->file, journal->used);
    if (!EFI_ERROR(status))
        status = journal->file->Write(journal->file, &length, (void *)(uintptr_t)line);
    if (!EFI_ERROR(status))
        status = journal->file->Write(journal->file, &end, "\n");
    if (!EFI_ERROR(status))
        status = journal->file->Flush(journal->file);
    if (EFI_ERROR(status)) {
        journal->failed = true;
        return stage_refuse(stage, "the journal cannot be written: %s", firmware_status(status));
    }
    journal->used = line_end;
    return true;
}

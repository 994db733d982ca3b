// SPDX-License-Identifier: BSD-2-Clause
/* files.c: the folder and the documents of a run.
 *
 * The power may go at any moment, and a FAT whose tables are half changed then is damaged. So folders are made before
 * the first probe runs, and each change is flushed at once. All documents are collected in memory and go to the medium
 * together. A document that does not fit there is refused before anything is written; smaller ones after it still go
 * there. */
#include "boot/stage.h"

#include "boot/journal_name.h"
#include "run/stage.h"

enum { FIRST_CAPACITY = 64 << 10, CLUSTERS_TO_START = 8, MOST_PATH = 120 };

bool stage_read(struct stage *stage, const char *path, char *buffer, size_t size, size_t *length)
{
    char name[MOST_PATH];
    struct text text = text_in(name, sizeof name);
    EFI_FILE_HANDLE file = NULL;
    if (!stage->volume.root)
        return stage_refuse(stage, "the device that assay was started from has no file system");
    for (; *path; path++)
        text_char(&text, *path == '/' ? '\\' : *path);
    if (text.cut)
        return stage_refuse(stage, "its name has more than %u characters", MOST_PATH - 1);
    EFI_STATUS status = volume_read(stage->volume.root, name, &file);
    *length = size;
    if (!EFI_ERROR(status))
        status = volume_content(file, buffer, length);
    volume_close(file);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "%s", firmware_status(status));
    return *length < size || stage_refuse(stage, "it has %lu KB or more", (unsigned long)(size / 1024));
}

static bool refuse_folder(struct stage *stage, const char *name, EFI_STATUS status)
{
    return stage_refuse(stage, "the folder %s cannot be made: %s", name, firmware_status(status));
}

bool stage_folder(struct stage *stage, const char *machine_name, unsigned *number)
{
    EFI_FILE_HANDLE assay = NULL;
    char name[16];
    struct text text = text_in(name, sizeof name);
    uint32_t cluster = 512;
    if (!stage->volume.root)
        return stage_refuse(stage, "the device that assay was started from has no file system");
    /* EDK II's FAT driver leaves a folder without content, a damaged one, where it runs out of room while making it. */
    uint64_t room = volume_room(stage->firmware, &stage->volume, &cluster);
    if (room < (uint64_t)CLUSTERS_TO_START * cluster)
        return stage_refuse(stage, "the medium is full: %lu bytes are free", (unsigned long)room);
    EFI_STATUS status = volume_folder(stage->volume.root, "assay", true, &assay);
    if (EFI_ERROR(status))
        return refuse_folder(stage, "\\assay", status);
    status = volume_folder(assay, machine_name, true, &stage->machine_folder);
    volume_close(assay);
    if (EFI_ERROR(status))
        return refuse_folder(stage, machine_name, status);
    status = volume_highest(stage->firmware, stage->machine_folder, &stage->previous);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "the folder %s cannot be read: %s", machine_name, firmware_status(status));
    text_format(&text, "%u", stage->previous + 1);
    status = volume_folder(stage->machine_folder, name, true, &stage->run_folder);
    if (EFI_ERROR(status))
        return refuse_folder(stage, name, status);
    *number = stage->previous + 1;
    return true;
}

bool stage_last_journal(struct stage *stage, char *buffer, size_t size, size_t *length)
{
    EFI_FILE_HANDLE folder = NULL, file = NULL;
    char name[16];
    struct text text = text_in(name, sizeof name);
    if (!stage->machine_folder || !stage->previous)
        return stage_refuse(stage, "there was no run before this one");
    text_format(&text, "%u", stage->previous);
    EFI_STATUS status = volume_folder(stage->machine_folder, name, false, &folder);
    if (!EFI_ERROR(status))
        status = volume_read(folder, JOURNAL_NAME, &file);
    *length = size;
    if (!EFI_ERROR(status))
        status = volume_content(file, buffer, length);
    volume_close(file);
    volume_close(folder);
    if (EFI_ERROR(status))
        return stage_refuse(stage, "run %u left no journal: %s", stage->previous, firmware_status(status));
    return true;
}

bool stage_file_begin(struct stage *stage, const char *name)
{
    struct document *document = &stage->document;
    document->length = 0;
    document->failed = true;
    text_copy(document->name, sizeof document->name, name);
    if (!stage->run_folder)
        return stage_refuse(stage, "this run has no folder");
    document->failed = false;
    return true;
}

/* Makes room for so many bytes in all, keeping what is there. */
static bool grow(struct stage *stage, size_t needed)
{
    struct document *document = &stage->document;
    size_t capacity = document->capacity ? document->capacity : FIRST_CAPACITY;
    while (capacity < needed)
        capacity *= 2;
    if (capacity == document->capacity)
        return true;
    uint8_t *bytes = firmware_allocate(stage->firmware, capacity);
    if (!bytes)
        return false;
    if (document->length)
        __builtin_memcpy(bytes, document->bytes, document->length);
    firmware_free(stage->firmware, document->bytes);
    document->bytes = bytes;
    document->capacity = capacity;
    return true;
}

bool stage_file_write(struct stage *stage, const void *bytes, size_t length)
{
    struct document *document = &stage->document;
    if (document->failed)
        return false;
    if (!grow(stage, document->length + length)) {
        document->failed = true;
        return stage_refuse(stage, "no memory is left to collect it in");
    }
    if (length)
        __builtin_memcpy(document->bytes + document->length, bytes, length);
    document->length += length;
    return true;
}

static uint64_t whole_clusters(uint64_t length, uint32_t cluster)
{
    return (length + cluster - 1) / cluster * cluster;
}

bool stage_file_end(struct stage *stage)
{
    struct document *document = &stage->document;
    uint32_t cluster = 512;
    uint64_t promised;
    if (document->failed)
        return false;
    if (stage->kept_count == MOST_DOCUMENTS)
        return stage_refuse(stage, "%u documents are kept already", MOST_DOCUMENTS);
    uint64_t room = volume_room(stage->firmware, &stage->volume, &cluster);
    promised = cluster; /* the folder may grow */
    for (unsigned i = 0; i < stage->kept_count; i++)
        promised += whole_clusters(stage->kept[i].length, cluster);
    room = room > promised ? room - promised : 0;
    if (room < whole_clusters(document->length, cluster))
        return stage_refuse(stage, "it has %lu bytes, and of the medium %lu are free", (unsigned long)document->length,
                            (unsigned long)room);
    stage->kept[stage->kept_count++] = *document;
    __builtin_memset(document, 0, sizeof *document);
    return true;
}

void stage_forget_documents(struct stage *stage)
{
    for (unsigned i = 0; i < stage->kept_count; i++)
        firmware_free(stage->firmware, stage->kept[i].bytes);
    firmware_free(stage->firmware, stage->document.bytes);
    __builtin_memset(&stage->document, 0, sizeof stage->document);
    __builtin_memset(stage->kept, 0, sizeof stage->kept);
    stage->kept_count = 0;
}

static void write_out(struct document *document)
{
    UINTN written = document->length;
    if (EFI_ERROR(document->status) || written == 0)
        return;
    document->status = document->file->Write(document->file, &written, document->bytes);
    if (!EFI_ERROR(document->status) && written != document->length)
        document->status = EFI_VOLUME_FULL;
}

/* Flushes and closes a document; a partial one goes. */
static void finish(struct document *document)
{
    if (!document->file)
        return;
    if (!EFI_ERROR(document->status))
        document->status = document->file->Flush(document->file);
    if (EFI_ERROR(document->status))
        document->file->Delete(document->file);
    else
        document->file->Close(document->file);
    document->file = NULL;
}

/* EDK II's FAT driver writes everything that it holds at each Open that creates, Flush, Close and Delete, and nothing
 * of it at Write: the allocation tables first, then data and folders. A folder's entry for a file it changes at the
 * file's own Flush. So the files are created empty, which takes no cluster; then all content is handed over; the
 * folder's Flush carries tables and content; and the Flush of each file makes the file what it is to be: whenever the
 * power goes, a document is empty or whole. Should another driver refuse to flush a folder, each file's Flush does it
 * all, and tells of a failure. */
bool stage_files_commit(struct stage *stage)
{
    char lost[sizeof stage->why];
    struct text text = text_in(lost, sizeof lost);
    for (unsigned i = 0; i < stage->kept_count; i++)
        stage->kept[i].status = volume_create(stage->run_folder, stage->kept[i].name, &stage->kept[i].file);
    for (unsigned i = 0; i < stage->kept_count; i++)
        write_out(&stage->kept[i]);
    if (stage->run_folder)
        stage->run_folder->Flush(stage->run_folder);
    for (unsigned i = 0; i < stage->kept_count; i++) {
        const struct document *document = &stage->kept[i];
        finish(&stage->kept[i]);
        if (EFI_ERROR(document->status))
            text_format(&text, "%s%s (%s)", text.length ? ", " : "", document->name, firmware_status(document->status));
    }
    stage_forget_documents(stage);
    return text.length == 0 || stage_refuse(stage, "%s", lost);
}

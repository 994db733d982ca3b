// SPDX-License-Identifier: BSD-2-Clause
/* journal.h: one line of JSON per event, each with a CRC of its own, so that a line torn by a power cut is told from a
 * whole one:
 *   {"seq":1,"event":"run","tool":"0.1.0","probes":"latency,l1d","unfinished":"","crc":"89abcdef"}
 *   {"seq":2,"event":"begin","probe":"latency","crc":"..."}
 *   {"seq":3,"event":"end","probe":"latency","outcome":"done","findings":[...],"crc":"..."}
 *   {"seq":9,"event":"finished","crc":"..."}
 * The CRC is of the line up to and without ,"crc". */
#pragma once
#include "base/text.h"

/* Ends a line that was begun with {"seq":N,"event":... by adding ,"crc":"xxxxxxxx"}. */
void journal_seal(struct text *line);

/* Whether a line (without its newline) is whole. */
bool journal_whole(const char *line, size_t length);

/* Reads a journal; tells which probes the next run had better leave out, separated by commas: the one that was under
 * way when the journal ended, and those that this run had itself been told to leave out ("unfinished" in its first
 * line), but for those that have run since. So a probe that hangs a board does not get every second run, and two of
 * them do not take turns. False: none. Lines that are not whole and padding are passed over. */
bool journal_unfinished(const char *journal, size_t length, char *probes, size_t capacity);

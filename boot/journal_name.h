// SPDX-License-Identifier: BSD-2-Clause
/* journal_name.h: what a run's journal is called; it is written by one file and read by another. */
#pragma once

#define JOURNAL_NAME "journal.txt"

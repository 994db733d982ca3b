// SPDX-License-Identifier: BSD-2-Clause
/* selftest.h: --selftest, which has a program of its own, selftest.efi: assay with boot/selftest.c, kernel/selftest.c
 * and the contract of the waist. assay.efi, which boards load again and again, has boot/no_selftest.c in their place.
 * Which of them is there is settled by linking (image.mk). */
#pragma once
#include "boot/session.h"

/* What this program does where no task is named: selftest.efi tests, assay.efi leaves the options as they are. */
void selftest_choose(struct options *);

/* Opens the session, runs what the options name, and prints "ok name" or "FAIL name: detail" for each check, then the
 * line "selftest: N passed, M failed". EFI_SUCCESS: nothing failed. EFI_UNSUPPORTED: this program cannot, and the
 * console says which one can. */
EFI_STATUS selftest(struct session *, struct stage *, const struct options *);

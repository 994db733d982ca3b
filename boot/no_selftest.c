// SPDX-License-Identifier: BSD-2-Clause
/* no_selftest.c: what assay.efi has in the place of the self-test. */
#include "boot/selftest.h"

void selftest_choose(struct options *options)
{
    (void)options;
}

EFI_STATUS selftest(struct session *session, struct stage *stage, const struct options *options)
{
    (void)session;
    (void)options;
    stage_line(stage, "--selftest: this program has none; selftest.efi has (on the stick: \\assay\\selftest.efi)");
    return EFI_UNSUPPORTED;
}

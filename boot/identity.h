// SPDX-License-Identifier: BSD-2-Clause
/* identity.h: finding the board's SMBIOS tables in the firmware's configuration table. */
#pragma once
#include "boot/firmware.h"
#include "boot/smbios.h"

/* All "" when there is no SMBIOS. */
void identity_read(const struct firmware *, struct board *);

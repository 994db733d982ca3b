// SPDX-License-Identifier: BSD-2-Clause
/* ask.h: what the user asks for: load options, else \assay\assay.ini. */
#pragma once
#include "boot/stage.h"
#include "run/options.h"

/* Fills options. False: an option is wrong, which has been said on the console; options then hold what was read up to
 * it. */
bool ask(struct stage *, struct options *);

// SPDX-License-Identifier: BSD-2-Clause
/* version.c: which assay this is. The Makefile hands the build's name over: a hash of the sources, so that the same
 * sources always call themselves the same. */
#include "run/run.h"

#ifndef ASSAY_BUILD
#define ASSAY_BUILD "unnamed"
#endif

const char assay_version[] = "0.1.0";
const char assay_build[] = ASSAY_BUILD;

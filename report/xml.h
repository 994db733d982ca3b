// SPDX-License-Identifier: BSD-2-Clause
/* xml.h: text inside XML and HTML, in attributes and between tags. */
#pragma once
#include "report/writer.h"

/* Writes a text with what means something in XML (& < > " ') as references, in plain ASCII: bytes above 126, which
 * firmware leaves in board names, are taken as Latin-1; control characters, which XML cannot hold, become question
 * marks. */
void write_xml(struct writer *, const char *);

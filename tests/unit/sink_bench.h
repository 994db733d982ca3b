// SPDX-License-Identifier: BSD-2-Clause
/* sink_bench.h: a buffer that reports are written to. Private to tests/unit/; once in a test program. */
#pragma once
#include "report/report.h"
#include <string.h>

/* Fails once `room` bytes have come. */
struct report_sink {
    char bytes[SINK_BYTES];
    size_t used, room;
};

bool report_out(struct report_sink *sink, const char *bytes, size_t length)
{
    if (sink->used + length > sink->room)
        return false;
    memcpy(sink->bytes + sink->used, bytes, length);
    sink->used += length;
    sink->bytes[sink->used] = '\0';
    return true;
}

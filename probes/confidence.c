// SPDX-License-Identifier: BSD-2-Clause
/* confidence.c: combining the errors of decisions. */
#include "probes/confidence.h"
#include "base/arithmetic.h"

static const double UNSEEN = 0.001;

double confidence_from(double errors)
{
    double confidence = 1 - errors - UNSEEN;
    return confidence > 0 ? confidence : 0;
}

double confidence_rounding(double low, double middle, double high, unsigned count)
{
    double whole = (double)(long long)(middle + 0.5), away = apart(middle, whole);
    double room = 0.5 - away, spread = (high - low) / 1.349; /* quartiles of a normal distribution */
    if (spread <= 0)
        return 0;
    if (room <= 0)
        return 1;
    double error = spread * spread / (room * room * count);
    return error < 1 ? error : 1;
}

double confidence_within(double deviation, double tolerance)
{
    if (tolerance <= 0)
        return 1;
    double error = deviation * deviation / (tolerance * tolerance);
    return error < 1 ? error : 1;
}

// SPDX-License-Identifier: BSD-2-Clause
/* msr.c: MSRs that may not exist, and the list of those that the kernel may change. A processor answers an unknown MSR
 * with #GP; emulators and hypervisors may answer 0 and ignore writes, so whoever writes reads back. */
#include "kernel/features.h"
#include "kernel/quiet.h"

struct request {
    uint32_t number;
    uint64_t value;
};

static void read_it(void *argument)
{
    struct request *request = argument;

    request->value = cpu_msr(request->number);
}

static void write_it(void *argument)
{
    const struct request *request = argument;

    cpu_set_msr(request->number, request->value);
}

bool msr_read(struct machine *machine, uint32_t number, uint64_t *value)
{
    struct request request = {.number = number};
    struct fault fault;

    if (!machine->quiet || !fault_try(machine, read_it, &request, &fault))
        return false;
    *value = request.value;
    return true;
}

bool msr_write(struct machine *machine, uint32_t number, uint64_t value)
{
    struct request request = {.number = number, .value = value};
    struct fault fault;

    return machine->quiet && fault_try(machine, write_it, &request, &fault);
}

uint64_t smi_count(struct machine *machine)
{
    uint64_t count = 0;

    if (machine->features.smi_count && msr_read(machine, MSR_SMI_COUNT, &count))
        machine->smi_seen = count & 0xffffffff;
    return machine->smi_seen;
}

/* Intel: SDM volume 4 and the disclosure of its prefetcher controls. AMD: BIOS and Kernel Developer's Guides, Processor
 * Programming References. */
static const struct {
    uint32_t number;
    const char *name;
} listed_msrs[LISTED_MSRS] = {
    [LISTED_MISC_FEATURE_CONTROL] = {0x1a4, "MSR_MISC_FEATURE_CONTROL"},
    [LISTED_MISC_ENABLE] = {0x1a0, "IA32_MISC_ENABLE"},
    [LISTED_PREFETCH_CONTROL] = {0xc0000108, "PrefetchControl"},
    [LISTED_DC_CFG] = {0xc0011022, "DC_CFG"},
    [LISTED_DE_CFG] = {0xc0011029, "DE_CFG"},
};

uint32_t listed_number(enum listed listed)
{
    return listed_msrs[listed].number;
}

const char *listed_name(enum listed listed)
{
    return listed_msrs[listed].name;
}

bool listed_applies(const struct features *features, enum listed listed)
{
    enum { KNIGHTS_LANDING = 0x57, KNIGHTS_MILL = 0x85 };

    switch (listed) {
    case LISTED_MISC_FEATURE_CONTROL: /* on the two Knights the same bits mean something else */
        return features_intel_core(features) && !features_core2(features) &&
               (features->family != 6 || (features->model != KNIGHTS_LANDING && features->model != KNIGHTS_MILL));
    case LISTED_MISC_ENABLE: /* elsewhere its bits have other meanings, or none */
        return features_core2(features);
    case LISTED_PREFETCH_CONTROL:
        return features->amd && features->prefetch_control;
    case LISTED_DC_CFG:
        return features->amd && !features->prefetch_control &&
               (features->family == FAMILY_K10 || features->family == FAMILY_K10_LLANO ||
                features->family == FAMILY_ZEN);
    case LISTED_DE_CFG:
        return features->amd && features->family >= FAMILY_K10 && !features->lfence_declared;
    default:
        return false;
    }
}

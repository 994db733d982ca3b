// SPDX-License-Identifier: BSD-2-Clause
/* mp_services.h: the MP Services protocol of the UEFI Platform Initialization specification, volume 2, section 13.4,
 * as far as it is used here: gnu-efi has no header for it. */
#pragma once
#include <efi.h>

#include <stddef.h>

typedef VOID(EFIAPI *mp_procedure)(VOID *argument);

struct mp_location {
    UINT32 package, core, thread;
};

enum { MP_IS_BOOT_PROCESSOR = 1, MP_IS_ENABLED = 2, MP_IS_HEALTHY = 4 };

struct mp_information {
    UINT64 id;    /* APIC id */
    UINT32 flags; /* MP_IS_... */
    struct mp_location location;
    UINT32 more[6]; /* room for the extended location of later versions */
};

struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_information)(struct mp_services *, UINTN processor, struct mp_information *);
    void *start_all;
    /* event NULL: blocking. timeout in microseconds, 0: none. */
    EFI_STATUS(EFIAPI *start_one)
    (struct mp_services *, mp_procedure, UINTN processor, EFI_EVENT event, UINTN timeout, VOID *argument,
     BOOLEAN *finished);
    void *switch_boot_processor;
    void *enable_disable;
    EFI_STATUS(EFIAPI *who_am_i)(struct mp_services *, UINTN *processor);
};

_Static_assert(offsetof(struct mp_services, start_one) == 24, "StartupThisAP is the protocol's fourth member");
_Static_assert(offsetof(struct mp_services, who_am_i) == 48, "WhoAmI is the protocol's seventh member");
_Static_assert(offsetof(struct mp_information, location) == 12, "the location follows the flags");

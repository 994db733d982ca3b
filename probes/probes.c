// SPDX-License-Identifier: BSD-2-Clause
/* probes.c: the list of probes, in the order of a full run. A new probe is one file and one row here. */
#include "probes/probes.h"

const struct probe probe_list[] = {
    {"clock", "the clock, the core's frequency, and what interrupts it",
     "cpu.tsc cpu.clock_step cpu.frequency noise.max_gap", probe_clock, 500, true, NULL, false, false},
    {"latency", "how many levels of caches there are, and the latency of each and of memory",
     "latency.levels l1d.latency l1d.latency.ns l2.latency l2.latency.ns l3.latency l3.latency.ns l4.latency "
     "l4.latency.ns mem.latency mem.latency.ns latency.1g.sizes latency.2m.sizes latency.4k.sizes",
     probe_latency, 6000, false, NULL, false, false},
    {"l1d", "capacity, ways and line of the L1 data cache", "l1d.size l1d.ways l1d.line", probe_l1d, 1500, true, NULL,
     false, false},
    {"caches", "capacity, ways, line and inclusion of the caches behind the first level",
     "l2.size l2.ways l2.line l2.exclusive l2.inclusive l3.size l3.ways l3.line l3.exclusive l3.inclusive "
     "l4.size l4.ways l4.line l4.exclusive l4.inclusive penalty.l2.sizes penalty.l3.sizes penalty.l4.sizes",
     probe_caches, 6000, false, "latency,l1d", true, false},
    {"access", "other loads, stores and the index of the L1 data cache",
     "l1d.latency.32 l1d.latency.indexed l1d.latency.float l1d.write_allocate l1d.write_back l1d.virtual_index "
     "penalty.l1d.sizes",
     probe_access, 1500, false, "latency,l1d", true, false},
    {"brought", "what a miss brings along: sectors of lines, pairs, and the line behind",
     "l1d.sector l2.sector l3.sector l4.sector mem.unit mem.next interference.sizes", probe_brought, 1500, false,
     "latency,l1d,caches", true, false},
    {"dtlb",
     "entries, ways, sets and index bits of the TLBs that loads look in, and what a hit of the second one takes",
     "dtlb1.4k.entries dtlb1.4k.ways dtlb1.4k.sets dtlb1.4k.bits dtlb2.4k.entries dtlb2.4k.ways dtlb2.4k.sets "
     "dtlb2.4k.bits dtlb2.4k.penalty dtlb1.2m.entries dtlb1.2m.ways dtlb1.2m.sets dtlb1.2m.bits "
     "dtlb1.2m.shared dtlb2.2m.entries dtlb2.2m.ways dtlb2.2m.sets dtlb2.2m.bits dtlb2.2m.penalty "
     "dtlb2.2m.shared dtlb1.1g.entries dtlb1.1g.ways dtlb1.1g.sets dtlb1.1g.bits dtlb1.1g.shared "
     "dtlb2.1g.entries dtlb2.1g.ways dtlb2.1g.sets dtlb2.1g.bits dtlb2.1g.penalty dtlb2.1g.shared",
     probe_dtlb, 4000, false, NULL, false, true},
    {"stores", "whether stores have a first TLB of their own, of fewer entries than that of loads",
     "dtlb1.4k.stores dtlb1.2m.stores", probe_stores, 300, false, "dtlb", false, true},
    {"itlb",
     "entries, ways, sets and index bits of the TLBs that jumps look in, and what a hit of the second one takes",
     "itlb1.4k.entries itlb1.4k.ways itlb1.4k.sets itlb1.4k.bits itlb2.4k.entries itlb2.4k.ways itlb2.4k.sets "
     "itlb2.4k.bits itlb2.4k.penalty itlb1.2m.entries itlb1.2m.ways itlb1.2m.sets itlb1.2m.bits "
     "itlb2.2m.entries itlb2.2m.ways itlb2.2m.sets itlb2.2m.bits itlb2.2m.penalty",
     probe_itlb, 3000, false, NULL, false, true},
    {"tables",
     "what a walk of the page tables takes, by where the table's entry is, and which cache the walker looks in",
     "walk.4k.l1 walk.4k.l2 walk.4k.l3 walk.4k.mem walker.cached_in", probe_tables, 1500, false, "latency", false,
     true},
    {"structures", "which entries of the upper page tables are kept, how many, and what it takes when one is not",
     "psc.pde.entries psc.pde.miss psc.pdpte.entries psc.pdpte.miss psc.pml4e.entries psc.pml4e.miss "
     "psc.pml5e.entries psc.pml5e.miss psc.unified psc.physical psc.invlpg structures.sizes",
     probe_structures, 1500, false, NULL, false, true},
    {"coalescing", "how many pages an entry of the TLBs is for, and whether large pages are kept as pieces",
     "dtlb1.4k.run dtlb1.4k.aligned dtlb2.4k.run dtlb1.2m.split dtlb1.1g.split", probe_coalescing, 1500, false, NULL,
     false, true},
    {"costs", "what INVLPG, a write of CR3, emptying the TLBs and a page fault take",
     "cost.invlpg cost.cr3 cost.flush_tlb cost.fault", probe_costs, 500, false, NULL, false, true},
    {"list", "what an element of a linked list costs, in order and not", "list.sizes", probe_lists, 8000, false, NULL,
     true, false},
};

const unsigned probe_count = sizeof probe_list / sizeof *probe_list;

// SPDX-License-Identifier: BSD-2-Clause
/* machine_file.h: a small machine's file, which uses most sections and kinds of values, for the tests of reading. Its
 * lines are numbered because complaints name them. */
#pragma once

static const char small[] = "# a comment\n"                                       /* line 1 */
                            "[machine]\n"                                         /* 2 */
                            "name = tiny   # and another\n"                       /* 3 */
                            "vendor = Intel\n"                                    /* 4 */
                            "title = A tiny machine\n"                            /* 5 */
                            "pages = 4K 2M\n"                                     /* 6 */
                            "declared = l1d.size 32K by CPUID 4\n"                /* 7 */
                            "declared = l1d.ways 8-15 by somebody else\n"         /* 8 */
                            "hidden = l3.*: there is none\n"                      /* 9 */
                            "[clock]\n"                                           /* 10 */
                            "hz = 2600000000\n"                                   /* 11 */
                            "ratio = 37/26\n"                                     /* 12 */
                            "multiply = 3\n"                                      /* 13 */
                            "rdtsc = 20\n"                                        /* 14 */
                            "rdtscp = 0\n"                                        /* 15 */
                            "lfence = 4\n"                                        /* 16 */
                            "[memory]\n"                                          /* 17 */
                            "span = 64M\n"                                        /* 18 */
                            "latency = 200\n"                                     /* 19 */
                            "transfer = 100\n"                                    /* 20 */
                            "hole = 0xA0000 128K UC\n"                            /* 21 */
                            "[cache l1d]\n"                                       /* 22 */
                            "level = 1\n"                                         /* 23 */
                            "holds = data\n"                                      /* 24 */
                            "size = 32K\n"                                        /* 25 */
                            "ways = 8\n"                                          /* 26 */
                            "line = 64\n"                                         /* 27 */
                            "latency = 4\n"                                       /* 28 */
                            "policy = PLRU\n"                                     /* 29 */
                            "index = xor 0^6 1^7 2-5\n"                           /* 30 */
                            "[cache l2]\n"                                        /* 31 */
                            "level = 2\n"                                         /* 32 */
                            "holds = both\n"                                      /* 33 */
                            "size = 1536K\n"                                      /* 34 */
                            "ways = 12\n"                                         /* 35 */
                            "line = 64\n"                                         /* 36 */
                            "latency = 14\n"                                      /* 37 */
                            "policy = NEXT3PLRU4\n"                               /* 38 */
                            "slices = xor 17^20 18^21^22\n"                       /* 39 */
                            "inclusion = exclusive\n"                             /* 40 */
                            "[tlb dtlb1]\n"                                       /* 41 */
                            "level = 1\n"                                         /* 42 */
                            "holds = data\n"                                      /* 43 */
                            "pages = 2M 4K\n"                                     /* 44 */
                            "entries = 72\n"                                      /* 45 */
                            "ways = full\n"                                       /* 46 */
                            "policy = LRU\n"                                      /* 47 */
                            "[psc pdpte]\n"                                       /* 48 */
                            "tag = linear\n"                                      /* 49 */
                            "entries = 4\n"                                       /* 50 */
                            "ways = 2\n"                                          /* 51 */
                            "policy = LRU\n"                                      /* 52 */
                            "[prefetcher adjacent]\n"                             /* 53 */
                            "watches = 2\n"                                       /* 54 */
                            "into = 2\n"                                          /* 55 */
                            "msr = 0x1a4\n"                                       /* 56 */
                            "bit = 1\n"                                           /* 57 */
                            "[counters]\n"                                        /* 58 */
                            "family = amd\n"                                      /* 59 */
                            "general = 6\n"                                       /* 60 */
                            "width = 48\n"                                        /* 61 */
                            "encoding = 18E:18 l1i_miss\n"                        /* 62 */
                            "encoding = 45:f0 walk 1100 plus-one # an erratum\n"; /* 63 */

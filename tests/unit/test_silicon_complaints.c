// SPDX-License-Identifier: BSD-2-Clause
/* test_silicon_complaints.c: what is said to bad machine files, with the line's number; what may be left out of a file;
 * descriptions that no file can give. */
#include "base/text.h"
#include "tests/silicon/description.h"
#include "tests/unit/machine_file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct description description, again;
static char complaint[1024];

static bool read_text(const char *ini)
{
    return description_read(&description, ini, strlen(ini), complaint, sizeof complaint);
}

/* The small machine with one line replaced (NULL: left out), or with more behind it (line 0). */
static const char *with_line(unsigned number, const char *line)
{
    static char text[8192];
    size_t length = 0;
    const char *at = small;

    for (unsigned i = 1; *at != '\0'; i++) {
        size_t one = strcspn(at, "\n") + 1;

        if (i != number) {
            memcpy(text + length, at, one);
            length += one;
        } else if (line != NULL) {
            length += (size_t)sprintf(text + length, "%s\n", line);
        }
        at += one;
    }
    text[length] = '\0';
    if (number == 0)
        (void)snprintf(text + length, sizeof text - length, "%s", line);
    return text;
}

static void complaints(void **state)
{
    static const struct {
        unsigned number;
        const char *line, *expected;
    } cases[] = {
        {26, "ways = many", "line 26: 'ways' must be a number of ways, or full, not 'many'"},
        {26, "ways = 0", "line 26: 'ways' must be a number of ways"},
        {26, "ways 8", "line 26: 'ways 8' is neither a section nor an entry"},
        {26, "ways =", "line 26: 'ways' has no value"},
        {26, "way = 8", "line 26: 'way' is no name of [cache]: one of level holds size"},
        {26, "level = 1", "line 26: 'level' is there twice"},
        {26, NULL, "line 22: 'ways' is missing in [cache l1d]"},
        {26, "ways = 7", "line 22: 'l1d' is not a whole number of sets"},
        {30, "index = xor 0^6 1^7 2 3 4", "line 22: 'l1d' has an index"},
        {30, "index = xor 0^6 1^7 2 3 4 4", "line 22: 'l1d' "},
        {30, "index = xor 0^^6 1^64", "line 30: 'index' must be modulo, or xor"},
        {29, "policy = LRV", "line 29: 'policy' must be a policy: LRU"},
        {29, "policy = LRU2PLRU8", "line 22: 'l1d' the groups"},
        {27, "line = 48", "line 22: 'l1d' must have a size that is a multiple of its line"},
        {25, "size = 48K\nline = 96", "line 28: 'line' is there twice"},
        {27, "line = 64\nsector = 2", "line 22: 'l1d' must have a line of 8 to 4096 bytes and a sector"},
        {27, "line = 64\nsector = 24", "line 22: 'l1d' must have a line of 8"},
        {27, "line = 64\nsector = 128", "line 22: 'l1d' must have a line of 8"},
        {36, "line = 256\nsector = 8", "line 31: 'l2' must have a line of 8"},
        {35, "ways = full", "line 31: 'l2' "},
        {28, "latency = 0", "line 22: 'l1d' must have a latency"},
        {28, "latency = 4\nshared_by = 2", "line 64: 'tiny' has a cache that is shared by more cores than there are"},
        {28, "latency = 4\nfolds = 12^27", "line 22: 'l1d' must be of level 1 and have a fold_latency"},
        {28, "latency = 4\nfolds = 12^12\nfold_latency = 9", "line 29: 'folds' must be none, or the address bits"},
        {28, "latency = 4\nduel_policy = LRU\nduel_period = 4", "line 22: 'l1d' must have duel_first"},
        {28, "latency = 4\nduel_first = 1 2\nduel_second = 3", "line 30: 'duel_second' must be as many sets"},
        {28, "latency = 4\nkeeps_permille = 1001", "line 22: 'l1d' must have a keeps_permille"},
        {28, "latency = 4\ninclusion = exclusive", "line 22: 'l1d' cannot be exclusive"},
        {45, "entries = none", "line 41: 'dtlb1' is not a whole number of sets"},
        {44, "pages = 4K\nsector = 3", "line 41: 'dtlb1' must have a sector of 1, 2, 4, 8, 16"},
        {44, "pages = 4K\nsector = 2\ncoalesce = 2", "line 41: 'dtlb1' must have a sector of 1, 2, 4, 8, 16"},
        {44, "pages = 4K\nvictim = yes", "line 41: 'dtlb1' must have a level of 1 to 3"},
        {44, "pages = 4K\nloads = no\nstores = no", "line 41: 'dtlb1' must serve loads or stores"},
        {48, "[psc pml5e]", "line 48: 'pml5e' must be of a table level that the machine has"},
        {24, "holds = nothing", "line 24: 'holds' must be one of: data code both"},
        {11, "hz = 2.33G", "line 11: 'hz' must be a whole number of hertz"},
        {11, "hz = 2330M", "line 11: 'hz' must be a whole number of hertz"},
        {11, "hz = 2.6e9", "line 11: 'hz' must be a whole number of hertz"},
        {11, "hz = 99999999999999999999", "line 11: 'hz' must be a whole number of hertz"},
        {11, "hz = 999999", "line 10: 'clock' must have a hz from 1000000"},
        {11, "step = 0", "line 10: 'hz' is missing in [clock]"},
        {12, "step = 0", "line 10: 'clock' must have a step"},
        {12, "lfence_passes = maybe", "line 12: 'lfence_passes' must be yes or no"},
        {14, "rdtsc = 4294967296", "line 14: 'rdtsc' must be a whole number"},
        {12, "ratio = 37", "line 12: 'ratio' must be core cycles per tick as a/b"},
        {12, "ratio = 37/0", "line 12: 'ratio' must be core cycles"},
        {13, "multiply = 2", "line 10: 'clock' must have a multiply of 3"},
        {6, "pages = 4K 3M", "line 6: 'pages' must be page sizes, each once, of 4K 2M 1G, not '4K 3M'"},
        {6, "pages = 2M", "line 2: 'machine' must have its smallest page"},
        {6, "pages = 4K\nfault = 100001", "line 2: 'machine' must have an invlpg, set_root, flush_tlb and fault of at"},
        {6, "pages = 4K\nload_float = 101", "line 2: 'machine' must have a load_32, load_indexed and load_float of at"},
        {44, "pages = 4K 1G", "line 41: 'dtlb1' must hold pages that the machine has"},
        {7, "declared = l1d.size 32K", "line 7: 'declared' must be ID LOW"},
        {7, "declared = l1d.size 32K-1K by CPUID 4", "line 7: 'declared' must be ID LOW"},
        {9, "hidden = l3.*", "line 9: 'hidden' must be ID: REASON"},
        {21, "hole = 0xA0000 128K XX", "line 21: 'hole' must be BASE SIZE TYPE"},
        {62, "encoding = 18E l1i_miss", "line 62: 'encoding' must be EVENT:UMASK"},
        {62, "encoding = 18E:18 misses", "line 62: 'encoding' must be EVENT:UMASK"},
        {62, "encoding = 45:f0 walk", "line 58: 'counters' has an encoding twice"},
        {53, "[prefetcher sideways]", "line 53: 'prefetcher' has no such name: next-line"},
        {53, "[prefetcher]", "line 53: 'prefetcher' needs a name"},
        {53, "[prefetcher adjacent", "line 53: '[prefetcher adjacent' is no section"},
        {53, "[prefetchers adjacent]", "line 53: 'prefetchers' is no kind of section"},
        {31, "[cache l1d]", "line 31: 'l1d' is there twice"},
        {31, "[cache level-two]", "line 31: 'cache' has too long a name"},
        {58, "[memory]", "line 58: 'memory' is there twice"},
        {32, "level = 3", "line 63: 'tiny' has a cache level with none before it"},
        {37, "latency = 4", "line 63: 'tiny' has a cache that is no faster"},
        {39, "slices = xor 6^7 7^6", "line 31: 'l2' has sets that no address leads to"},
        {39, "slices = sequence of 2: 17", "line 31: 'l2' must have a slice sequence"},
        {54, "watches = 3", "line 63: 'tiny' has a prefetcher that watches"},
        {18, "span = 65M", "line 63: 'tiny' has a span"},
        {3, "name = Tiny", "line 2: 'machine' must have a name of small letters"},
        {0, "[clock more]\n", "line 64: 'clock' is a section without a name"},
        {0, "[walker]\ncount = 0\n", "line 64: 'walker' must have a count of 1"},
        {0, "[walker]\nfrom_level = 3\n", "line 65: 'tiny' has a walker that looks first"},
        {0, "[fetch]\njump = 0\n", "line 64: 'fetch' must have a jump"},
        {0, "[fetch]\ntargets = 12\ntarget_ways = 8\n", "line 64: 'fetch' is not a whole number of sets"},
        {0, "[noise]\nsmi_period = 5\nsmi_length = 5\n", "line 64: 'noise' must have an smi_length below"},
        {2, "name = first", "line 2: 'name' stands before any section"},
        {2, "[walker]", "line 2: 'walker' comes too early"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (read_text(with_line(cases[i].number, cases[i].line)))
            fail_msg("line %u as '%s' was accepted", cases[i].number, cases[i].line ? cases[i].line : "(none)");
        if (strncmp(complaint, cases[i].expected, strlen(cases[i].expected)) != 0)
            fail_msg("'%s' instead of '%s'", complaint, cases[i].expected);
    }
    assert_false(read_text(""));
    assert_string_equal(complaint, "line 1: 'machine' is missing: every machine has that section");
    assert_false(description_read(&description, "[machine]\n\0", 11, complaint, sizeof complaint));
}

/* The small machine without the sections of these kinds; more: what comes behind it. */
static const char *without(const char *const *kinds, unsigned left_out, const char *more)
{
    static char text[8192];
    size_t length = 0;
    bool copied = true;

    for (const char *at = small; *at != '\0';) {
        size_t one = strcspn(at, "\n") + 1;

        copied = copied && *at != '[';
        if (*at == '[') {
            copied = true;
            for (unsigned i = 0; kinds[i] != NULL; i++)
                if ((left_out >> i & 1) != 0 && strncmp(at + 1, kinds[i], strlen(kinds[i])) == 0)
                    copied = false;
        }
        if (copied)
            memcpy(text + length, at, one);
        length += copied ? one : 0;
        at += one;
    }
    (void)snprintf(text + length, sizeof text - length, "%s", more);
    return text;
}

/* Whatever may be missing may be missing, alone and together, with and without a last newline; what is missing reads
 * like an empty section. */
static void sections_left_out(void **state)
{
    static const char *const kinds[] = {"tlb", "psc", "prefetcher", "counters", NULL};
    static const char *const further[] = {"[walker]\n", "[fetch]\n", "[noise]\n", "# the end"};

    (void)state;
    for (unsigned out = 0; out < 16; out++)
        for (unsigned in = 0; in < 16; in++) {
            char room[64];
            struct text more = text_in(room, sizeof room);

            if ((out & 1) != 0 && (out & 2) == 0)
                continue; /* page-structure caches need TLBs */
            for (unsigned i = 0; i < 4; i++)
                if ((in >> i & 1) != 0)
                    text_string(&more, further[i]);
            if (!read_text(without(kinds, out, room)))
                fail_msg("%u %u: %s", out, in, complaint);
            if (in == 0)
                again = description;
            assert_memory_equal(&again, &description, sizeof again);
            assert_int_equal(description.tlbs, (out & 1) == 0);
            assert_int_equal(description.pscs, (out & 2) == 0);
            assert_int_equal(description.prefetchers, (out & 4) == 0);
            assert_int_equal(description.counters.general, (out & 8) == 0 ? 6 : 0);
            assert_int_equal(description.walker.count, 1);
            assert_int_equal(description.fetch.jump, 1);
            assert_int_equal(description.noise.smi_period, 0);
        }
    assert_false(read_text(without((const char *const[]){"clock", NULL}, 1, "")));
    assert_string_equal(complaint, "line 56: 'clock' is missing: every machine has that section");
}

/* What the text of a file cannot say wrongly, but a program can. */
static void unsound_descriptions(void **state)
{
    (void)state;
    description_plain(&description, 48 << 10, 8, 96, 4, 100); /* 64 sets of 8 lines of 96 bytes */
    assert_non_null(description_unsound(&description));
    description_plain(&description, 32 << 10, 8, 64, 4, 100);
    description.cache[0].sector = 48;
    assert_non_null(description_unsound(&description));
    description_plain(&description, 32 << 10, 8, 128, 4, 100);
    description.cache[0].sector = 8;
    assert_null(description_unsound(&description)); /* 16 sectors */
    description_plain(&description, 32 << 10, 8, 256, 4, 100);
    description.cache[0].sector = 8;
    assert_non_null(description_unsound(&description)); /* 32 */
    /* an exclusive level keeps its lines in pieces of the nearer one's: 256 / 16 = 16, 512 / 16 = 32 */
    for (unsigned line = 256; line <= 512; line *= 2) {
        struct cache_description *near = &description.cache[0], *far = &description.cache[1];

        description_plain(&description, 32 << 10, 8, 16, 4, 100);
        description.caches = 2;
        *far = *near;
        text_copy(far->name, sizeof far->name, "l2");
        far->level = 2;
        far->latency = 10;
        far->line = far->sector = line;
        far->size = 1 << 20;
        far->shape.index.sets = far->size / far->shape.ways / line;
        far->inclusion = INCLUSION_EXCLUSIVE;
        assert_int_equal(description_unsound(&description) == NULL, line == 256);
    }
}

/* No prefix of a good file brings the reader down, nor does any single damaged byte. */
static void damaged_files(void **state)
{
    char text[sizeof small];

    (void)state;
    for (size_t length = 0; length < sizeof small; length++) {
        (void)description_read(&description, small, length, complaint, sizeof complaint);
        memcpy(text, small, sizeof small);
        text[length] = (char)(text[length] ^ (1 << length % 7));
        (void)description_read(&description, text, sizeof small - 1, complaint, sizeof complaint);
        (void)description_read(&description, text, sizeof small - 1, complaint, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaints),
        cmocka_unit_test(sections_left_out),
        cmocka_unit_test(unsound_descriptions),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

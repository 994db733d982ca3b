#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The rules that no compiler knows: who may include whom (docs/architecture.md), how long a file may be, and what must
# not be in the tree at all. Prints each breach and ends with status 1 when there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

breaches=0
breach()
{
    echo "rules: $1"
    breaches=$((breaches + 1))
}

# All files that are, or are about to be, in the tree.
files()
{
    git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
        [ -f "$file" ] && echo "$file"
    done
}

# Files may include nothing but what matches. $1: a room, or a pattern of files in one folder, $2: extended regular
# expression of whole include words.
may_include()
{
    local file line word patterns=("$1/*.c" "$1/*.h")
    [[ $1 == *.* ]] && patterns=(":(glob)$1")
    while IFS=: read -r file line word; do
        echo "$word" | grep -qE "^($2)$" || breach "$file:$line includes $word"
    done < <(files "${patterns[@]}" | xargs -r grep -HnoE '^ *# *include +[<"][^>"]+[>"]' |
        sed -E 's/: *# *include +[<"]/:/; s/[>"]$//')
}

FREESTANDING='stdbool\.h|stddef\.h|stdint\.h|stdarg\.h'
may_include base   "$FREESTANDING|base/[a-z_0-9]+\.h"
may_include kernel "$FREESTANDING|base/[a-z_0-9]+\.h|kernel/[a-z_0-9]+\.h"
may_include probes "$FREESTANDING|base/[a-z_0-9]+\.h|probes/[a-z_0-9]+\.h|kernel/machine\.h"
may_include report "$FREESTANDING|base/[a-z_0-9]+\.h|report/[a-z_0-9]+\.h|probes/finding\.h"
may_include run    "$FREESTANDING|(base|run|report|probes)/[a-z_0-9]+\.h|kernel/(owner|record|machine)\.h"
may_include boot   "$FREESTANDING|(base|run|report|probes|kernel|boot)/[a-z_0-9]+\.h|tests/machine/contract\.h|efi[a-z]*\.h"

# Programs on a host that read results: they know no machine and no probe.
may_include hosted "(errno|stdio|stdlib|string|stdbool|stddef|stdint|stdarg|sys/stat|jansson)\.h|(base|report|hosted)/[a-z_0-9]+\.h|probes/finding\.h"

# The model: a judge that knew how the judged works would find what that finds. Its own files see of the probes what a
# finding is; those that put it into a process need a process around them, but no more of the probes than their list.
HOSTED='(emmintrin|errno|limits|stdio|stdlib|string|stdbool|stddef|stdint|stdarg)\.h'
MODEL="$HOSTED|base/[a-z_0-9]+\.h|kernel/machine\.h|probes/finding\.h|tests/silicon/[a-z_0-9]+\.h"
may_include 'tests/silicon/[!t]*.[ch]' "$MODEL"
may_include 'tests/silicon/t[!r]*.[ch]' "$MODEL"
may_include 'tests/silicon/tr[!u]*.[ch]' "$MODEL"
# The truth asks the built model, and the one that it builds is that of a process.
may_include 'tests/silicon/tru*.[ch]' "$MODEL|tests/silicon/process/process\.h"
while IFS= read -r found; do
    breach "the model looks into a probe: $found"
done < <(files 'tests/silicon/*.c' 'tests/silicon/*.h' | xargs -r grep -nE '^ *# *include +"probes/' |
    grep -vE '"probes/finding\.h"|/process/[a-z_]+\.c:[0-9]+:#include "probes/probes\.h"')

# A peer stands on the waist as a probe does, and knows neither probes nor models.
may_include 'tests/peers/xray*.[ch]' "$FREESTANDING|base/[a-z_0-9]+\.h|kernel/machine\.h|tests/peers/xray[a-z_]*\.h"

# The clock's arithmetic is integers wherever the machine is owned.
while IFS= read -r found; do
    breach "floating point in $found"
done < <(files 'kernel/*.c' 'kernel/*.h' 'boot/*.c' 'boot/*.h' |
    xargs -r grep -nE '^[^/*]*\b(float|double)\b[^";]*[;=(]' | grep -vE ':\s*(\*|//|/\*)' | cut -c1-120)

# Length: a file is one concept.
while read -r lines file; do
    [ "$file" != total ] && [ "$lines" -gt 500 ] && breach "$file has $lines lines, more than 500"
done < <(files '*.c' '*.h' '*.nasm' '*.py' '*.sh' Makefile '*.mk' '*.ld' | xargs -r wc -l)

# First line: the licence.
for file in $(files '*.c' '*.h' '*.nasm' '*.sh' '*.py' Makefile '*.mk' '*.ld'); do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' || breach "$file does not begin with its licence"
done

# Words that mark something unfinished, and paths of somebody's machine. The patterns are written so as not to find
# themselves.
while IFS= read -r found; do
    breach "unfinished: $found"
done < <(files | xargs -r grep -nIwE 'T[O]DO|FIX[M]E|X[X]X|HA[C]K|st[u]b|not imple[m]ented|for n[o]w|placeh[o]lder' | cut -c1-140)
while IFS= read -r found; do
    breach "a path of a machine: $found"
done < <(files | xargs -r grep -nIE '/(wor[k]|hom[e]|roo[t])/[a-z]' | cut -c1-140)

# A probe and the model that judges it do not change together: then the judge would follow the judged. New machines and
# the commits that brought both rooms into being are no such change.
while read -r commit; do
    changed=$(git show --name-status --format= "$commit" | grep -v '^A' | cut -f 2)
    if echo "$changed" | grep -q '^probes/' &&
        echo "$changed" | grep '^tests/silicon/' | grep -qv '^tests/silicon/machines/'; then
        breach "commit ${commit:0:10} changes probes/ and tests/silicon/ together"
    fi
done < <(git rev-list HEAD 2>/dev/null)

[ "$breaches" = 0 ]

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# `make check`: everything that reads the sources without running them. Goes on after a finding; ends with a count.
#
#   tools/check.sh [format] [tidy] [cppcheck] [rules] [shell]     without arguments: all
set -u
cd "$(dirname "$0")/.." || exit 1

failed=0
clang_flags=(-std=c17 -I. -Wall -Wextra)
image_flags=(-ffreestanding -fshort-wchar -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
    -DGNU_EFI_USE_MS_ABI)

sources()
{
    find "$@" -name '*.c' -o -name '*.h' | sort
}

report()
{
    if [ "$2" = 0 ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1"
        failed=$((failed + 1))
    fi
}

check_format()
{
    sources base kernel probes report run boot hosted tests | xargs clang-format --dry-run -Werror
    report "clang-format" $?
}

check_tidy()
{
    # clang-tidy counts the warnings that it keeps to itself; that is not a finding.
    local status=0
    for file in $(find base kernel probes report run hosted tests -name '*.c' ! -name 'test_boot_*' | sort); do
        clang-tidy --quiet "$file" -- "${clang_flags[@]}" 2> >(grep -v 'warnings\? generated' >&2) || status=1
    done
    for file in boot/*.c tests/unit/test_boot_*.c; do
        clang-tidy --quiet "$file" -- "${clang_flags[@]}" "${image_flags[@]}" 2> >(grep -v 'warnings\? generated' >&2) ||
            status=1
    done
    report "clang-tidy" $status
}

check_cppcheck()
{
    # missingInclude: system headers are not its business. unusedFunction: it sees one program at a time.
    # normalCheckLevelMaxBranches: a remark about itself. uninitvar, ctuuninitvar: it does not follow arrays that a loop
    # fills nor results that a callee fills; gcc and clang-tidy, which do, check the same. autoVariables: where to come
    # back to after a fault lies on the stack, rightly; clang-tidy watches that it does not outlive its function.
    # selfAssignment: that is how a page is touched.
    cppcheck --quiet --error-exitcode=1 --std=c11 --language=c --platform=unix64 -I. --inline-suppr \
        --enable=warning,portability,performance --suppress=missingIncludeSystem \
        --suppress=normalCheckLevelMaxBranches --suppress=uninitvar --suppress=ctuuninitvar --suppress=autoVariables \
        --suppress=selfAssignment --suppress='*:/usr/include/*' \
        base kernel probes report run boot hosted tests
    report "cppcheck" $?
}

check_rules()
{
    bash tools/rules.sh
    report "rules of the rooms" $?
}

check_shell()
{
    local status=0
    for file in $(git ls-files '*.sh' .ci/run); do
        bash -n "$file" || status=1
    done
    if command -v shellcheck >/dev/null; then
        git ls-files '*.sh' .ci/run | xargs shellcheck -S warning || status=1
    fi
    git ls-files '*.py' | xargs -r /usr/bin/python3 -W error -c '
import ast, sys
for name in sys.argv[1:]:
    with open(name) as file:
        ast.parse(file.read(), name)' || status=1
    report "scripts" $status
}

if [ $# -eq 0 ]; then
    set -- rules format shell cppcheck tidy
fi
for name; do
    if ! declare -F "check_$name" >/dev/null; then
        echo "check: there is no check named $name" >&2
        exit 2
    fi
    "check_$name"
done
if [ "$failed" != 0 ]; then
    echo "$failed of $# checks have findings"
    exit 1
fi
echo "no findings"

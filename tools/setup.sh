#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Finds what building and testing need and this machine lacks, and installs it.
#
#   tools/setup.sh run|test|check STAMP
#
# Runs with nothing but a POSIX shell and coreutils, because it is there to bring everything else. What is looked for is
# the tool or file itself, not a package name, so that a compiler that came some other way is good too. On Debian and its
# kin the missing packages are installed with apt-get, as root or with sudo; without either the one command to run is
# printed, and elsewhere the list of what is needed. Every command that changes the machine is printed before it runs.
set -eu

level=$1
stamp=$2
python=/usr/bin/python3

# level, what to look for, Debian package. A word with a slash is a file, "python:x" is a Python module, else a command.
needs="
run  gcc                                     gcc
run  ld                                      binutils
run  /usr/include/stdlib.h                   libc6-dev
run  nasm                                    nasm
run  /usr/include/efi/efi.h                  gnu-efi
run  qemu-system-x86_64                      qemu-system-x86
run  /usr/share/OVMF/OVMF_CODE_4M.fd         ovmf
run  /usr/share/ovmf/OVMF.fd                 ovmf
run  bochs-bin                               bochs
run  /usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so bochs-term
run  /usr/share/vgabios/vgabios.bin          vgabios
run  mcopy                                   mtools
run  sgdisk                                  gdisk
run  mkfs.vfat                               dosfstools
run  $python                                 python3
run  /usr/include/jansson.h                  libjansson-dev
test /usr/include/cmocka.h                   libcmocka-dev
test python:jsonschema                       python3-jsonschema
test clang                                   clang
test python:html5lib                         python3-html5lib
test chromium                                chromium
test /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
test lstopo                                  hwloc
test tidy                                    tidy
test mandoc                                  mandoc
check clang-format                           clang-format
check clang-tidy                             clang-tidy
check cppcheck                               cppcheck
"

wanted()
{
    case "$level:$1" in
    run:run | test:run | test:test | check:*) return 0 ;;
    *) return 1 ;;
    esac
}

present()
{
    case "$1" in
    python:*) [ -x "$python" ] && "$python" -c "import ${1#python:}" 2>/dev/null ;;
    */*) [ -e "$1" ] ;;
    *) PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing()
{
    echo "$needs" | while read -r when what package; do
        if [ -n "$when" ] && wanted "$when" && ! present "$what"; then
            echo "$package"
        fi
    done
}

# Prints a command and runs it.
announce()
{
    echo "set-up: $*"
    "$@"
}

# apt-get with the privileges that there are.
as_root()
{
    if [ "$(id -u)" = 0 ]; then
        announce env DEBIAN_FRONTEND=noninteractive "$@"
    else
        announce sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

may_install()
{
    [ "$(id -u)" = 0 ] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    # Without a terminal sudo can ask for no password.
    [ -t 0 ] || sudo -n true 2>/dev/null
}

# Whether apt knows an installable version of every package that was named.
known()
{
    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q '^ *Candidate: [0-9]' || return 1
    done
}

install()
{
    install_command="apt-get install -y --no-install-recommends"
    if ! known "$@"; then
        as_root apt-get update
    fi
    # shellcheck disable=SC2086 # a command and its options are several words
    as_root $install_command "$@" && return 0
    echo "set-up: that failed; the package lists may be old: once more with fresh ones"
    as_root apt-get update
    # shellcheck disable=SC2086
    as_root $install_command "$@"
}

# shellcheck disable=SC2046 # a list of words is what is wanted
set -- $(missing | sort -u)
if [ $# -gt 0 ]; then
    echo "set-up: missing here: $*"
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "set-up: this system has no apt-get. Please install, under the names that it has here, what Debian calls:" >&2
        echo "    $*" >&2
        echo "set-up: and then run make again. (Files are looked for where Debian puts them: see tools/setup.sh.)" >&2
        exit 1
    fi
    if ! may_install; then
        echo "set-up: packages are missing, and this is neither root nor a user with sudo. Please run, as root:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends $*" >&2
        exit 1
    fi
    install "$@"
    still=$(missing | sort -u | tr '\n' ' ')
    if [ -n "$still" ]; then
        echo "set-up: installed, and yet not found: $still" >&2
        exit 1
    fi
    echo "set-up: done"
fi
mkdir -p "$(dirname "$stamp")"
: >"$stamp"

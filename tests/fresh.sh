#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The README's promise, tried out: a bare Debian 12 with nothing but git and make, a clone of this project, and there
# `make run` and `make test`. Needs root and debootstrap; takes half an hour.
#
#   tests/fresh.sh [FOLDER]      FOLDER: where the tree is built (default: a new one under $TMPDIR); removed at the end
#
# The mirror, its keys and its proxies are those that this computer's own apt uses; they are read when this runs.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
packages=git,make,ca-certificates

fail()
{
    echo "fresh: $*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "debootstrap and chroot need root"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

# The first mirror of Debian bookworm among apt's own sources (both of their formats).
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 == "bookworm" && $3 == "main" && !found { print $1; found = 1 }')
[ -n "$mirror" ] || fail "this computer's apt names no mirror of Debian 12 (bookworm)"

tree=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/assay-fresh.XXXXXX")
# It becomes a root directory, which everybody may enter.
chmod 755 "$tree"

cleanup()
{
    local status=$?
    for mounted in dev/shm dev/pts dev sys proc; do
        mountpoint -q "$tree/$mounted" && umount -l "$tree/$mounted"
    done
    # Nothing of this computer may still be mounted there when the tree is removed.
    if grep -q " $tree/" /proc/mounts; then
        echo "fresh: something is still mounted below $tree; it stays" >&2
    else
        rm -rf --one-file-system "$tree" "$tree.log"
    fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

timed()
{
    local what=$1 begin=$SECONDS
    shift
    echo "fresh: $what"
    "$@" || fail "$what: failed after $((SECONDS - begin)) s"
    echo "fresh: $what: $((SECONDS - begin)) s"
}

inside()
{
    chroot "$tree" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C "${proxies[@]}" /bin/sh -c "$1"
}

proxies=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -n "${!name:-}" ] && proxies+=("$name=${!name}")
done

bare()
{
    debootstrap --variant=minbase --include="$packages" bookworm "$tree" "$mirror" >"$tree.log" 2>&1 && return 0
    tail -n 20 "$tree.log" >&2
    return 1
}
timed "a bare Debian 12" bare

# The sources, keys and settings by which this computer reaches its mirrors.
rm -f "$tree/etc/apt/sources.list"
for part in sources.list sources.list.d apt.conf apt.conf.d auth.conf auth.conf.d trusted.gpg.d preferences.d; do
    [ -e "/etc/apt/$part" ] && cp -rL "/etc/apt/$part" "$tree/etc/apt/"
done
mkdir -p "$tree/usr/share/keyrings" "$tree/usr/local/share/ca-certificates"
cp -rL /usr/share/keyrings/. "$tree/usr/share/keyrings/" 2>/dev/null || true
cp /etc/resolv.conf /etc/hosts "$tree/etc/" 2>/dev/null || true
cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/" 2>/dev/null || true

mount -t proc proc "$tree/proc"
mount -t sysfs -o ro sysfs "$tree/sys"
mount --rbind --make-rslave /dev "$tree/dev"
# Packages must start no services in there.
printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
chmod +x "$tree/usr/sbin/policy-rc.d"

git clone -q --no-hardlinks "$project" "$tree/assay"
echo "fresh: cloned $(git -C "$tree/assay" log --oneline -1)"

timed "make run, set-up included" inside "cd /assay && make run"
start=$SECONDS
timed "make run, once more" inside "cd /assay && make run"
if [ $((SECONDS - start)) -ge 300 ]; then
    echo "fresh: make run took $((SECONDS - start)) s after set-up; 300 are allowed" >&2
    exit 1
fi
timed "make test" inside "cd /assay && make test"
echo "fresh: both commands work on a bare Debian 12"

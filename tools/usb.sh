#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes the image over a whole USB stick, after saying what is written where, and asking.
#
#   tools/usb.sh [--really] IMAGE [DEVICE]
#
# What lsblk says of DEVICE decides. Refused are: what is no whole disk, a disk that the running system is on, one of
# which anything is mounted or in use, one that is write-protected or too small, and, without --really, one that is
# neither removable nor on USB. Without DEVICE nothing is done, and the ways to make a stick are told. Exit status: 0
# written, 1 refused or not wanted, 2 DEVICE or IMAGE is missing.
set -eu

really=no
if [ "${1:-}" = --really ]; then
    really=yes
    shift
fi
image=${1:-}
device=${2:-}

refuse()
{
    echo "usb: $1" >&2
    echo "usb: nothing is written." >&2
    exit 1
}

# One column of lsblk about the disk itself, without blanks around it.
told()
{
    lsblk -d -n -b -p -o "$1" "$device" 2>/dev/null | sed 's/^ *//; s/ *$//' | head -n 1
}

# The same about the disk and everything on it, one a line, empty ones left out.
told_all()
{
    lsblk -n -b -p -r -o "$1" "$device" 2>/dev/null | sed 's/^ *//; s/ *$//' | grep -v '^$' || true
}

# What makes this disk this disk: asked again after the question, for sticks get pulled out meanwhile.
identity()
{
    echo "$(told SIZE)/$(told MODEL)/$(told SERIAL)/$(told TRAN)"
}

whole_sizes()
{
    awk -v bytes="$1" 'BEGIN { split("bytes KB MB GB TB", unit, " "); n = 1
        while (bytes >= 1000 && n < 5) { bytes /= 1000; n++ }
        printf(n > 1 ? "%.1f %s" : "%d %s", bytes, unit[n]) }'
}

if [ -z "$device" ]; then
    cat "$(dirname "$0")/usb.txt"
    echo
    echo "Disks here (make usb takes one that is removable or on USB):"
    lsblk -d -o NAME,SIZE,MODEL,TRAN,RM 2>/dev/null || echo "  (lsblk tells none)"
    exit 2
fi
if [ ! -f "$image" ]; then
    echo "usb: there is no image '$image'; run make" >&2
    exit 2
fi
device=$(readlink -f "$device") || refuse "there is no $2"

kind=$(told TYPE)
case "$kind" in
disk) ;;
"") refuse "$device is no disk (lsblk does not know it)" ;;
part) refuse "$device is a partition; name the whole disk" ;;
*) refuse "$device is no disk but a '$kind'" ;;
esac

for place in $(told_all MOUNTPOINT); do
    case "$place" in
    / | /boot | /boot/* | /efi | /usr | /var | /home | "[SWAP]")
        refuse "$device is a disk of the running system ($place is on it)" ;;
    esac
done
mounted=$(told_all MOUNTPOINT | head -n 1)
[ -z "$mounted" ] || refuse "something on $device is mounted ($mounted); unmount it first"
for part in $(told_all TYPE); do
    case "$part" in
    disk | part) ;;
    *) refuse "something on $device is in use (a '$part')" ;;
    esac
done
[ "$(told RO)" = 0 ] || refuse "$device is write-protected"

size=$(told SIZE)
needed=$(wc -c <"$image")
[ "$size" -ge "$needed" ] 2>/dev/null ||
    refuse "$device has $(whole_sizes "${size:-0}"), and the image needs $(whole_sizes "$needed")"
if [ "$(told RM)" != 1 ] && [ "$(told TRAN)" != usb ] && [ "$really" = no ]; then
    refuse "$device is neither removable nor on USB; if it is the right one all the same: REALLY=yes (--really)"
fi
[ -w "$device" ] || refuse "$device may not be written by this user; try: sudo make usb DEVICE=$device"
# The kernel's own word: it gives nobody an exclusive hold on a disk that a file system or a pool holds, lsblk knowing of
# it or not.
python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)' "$device" 2>/dev/null ||
    refuse "$device is in use, says the kernel"

model=$(told MODEL)
transport=$(told TRAN)
name=$(basename "$device")
before=$(identity)
echo "This writes $image ($(whole_sizes "$needed")) over the whole of"
echo "    $device: ${model:-no model told}, $(whole_sizes "$size"), ${transport:-no transport told}"
echo "EVERYTHING ON IT IS LOST:"
lsblk -o NAME,SIZE,FSTYPE,LABEL "$device" 2>/dev/null | sed 's/^/    /'
printf 'To go on, type its name (%s): ' "$name"
read -r answer || answer=
if [ "$answer" != "$name" ]; then
    echo
    refuse "'$answer' is not '$name'"
fi
[ "$(identity)" = "$before" ] || refuse "$device is another disk now than before the question"

dd if="$image" of="$device" bs=4M conv=fsync,notrunc status=none
if ! cmp -n "$needed" "$image" "$device"; then
    echo "usb: what $device gives back is not what was written: it is damaged, or not as large as it says" >&2
    exit 1
fi
echo "usb: written and read back. Turn Secure Boot off in the board's setup: the image is not signed."

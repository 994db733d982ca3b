#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes an image that boots, without root and without mounting anything.
#
#   tools/image.sh stick|floppy IMAGE assay.efi assay.ini [selftest.efi]
#
# assay.efi is what firmware boots; the others go to \assay. selftest.efi is left out where room is short.
# stick: a GPT with one partition, an EFI system partition of 64 MB; dd it to a USB stick.
# floppy: a bare FAT12 of 1.44 MB, without a partition table.
# The same input gives the same bytes: serial numbers are fixed, and every date is SOURCE_DATE_EPOCH in UTC.
set -eu

kind=$1
image=$2
program=$3
options=$4
selftest=${5:-}

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1735689600}" TZ=UTC LC_ALL=C
# mtools: no configuration from outside, and no quarrel about sizes that no floppy drive has.
export MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1
export PATH="$PATH:/usr/sbin:/sbin"

serial=41535341 # "ASSA"
start=2048      # first sector of the partition: on a boundary of 1 MB, as flash likes it
sectors=131072  # of the partition: 64 MB

# The file system is made in a file of its own. FAT16 for the stick, not FAT32: it has no free-space counter that is wrong
# after a power cut, and every firmware reads it.
volume=$image.volume
staging=$image.staging
rm -rf "$volume" "$staging"
trap 'rm -rf "$volume" "$staging"' EXIT
case $kind in
stick)
    truncate -s $((sectors * 512)) "$volume"
    mkfs.fat --invariant -F 16 -s 4 -h $start -i $serial -n ASSAY "$volume" >/dev/null
    ;;
floppy)
    truncate -s 1474560 "$volume"
    mkfs.fat --invariant -F 12 -i $serial -n ASSAY "$volume" >/dev/null
    ;;
*)
    echo "image.sh: neither stick nor floppy: $kind" >&2
    exit 2
    ;;
esac

# The dates of files come from the files, those of folders from SOURCE_DATE_EPOCH.
mkdir -p "$staging"
cp "$program" "$staging/BOOTX64.EFI"
sed 's/$/\r/' "$options" >"$staging/assay.ini"
[ -z "$selftest" ] || cp "$selftest" "$staging/selftest.efi"
touch -d "@$SOURCE_DATE_EPOCH" "$staging"/*

mmd -i "$volume" ::/EFI ::/EFI/BOOT ::/assay
mcopy -m -i "$volume" "$staging/BOOTX64.EFI" ::/EFI/BOOT/BOOTX64.EFI
mcopy -m -i "$volume" "$staging/assay.ini" ::/assay/assay.ini
[ -z "$selftest" ] || mcopy -m -i "$volume" "$staging/selftest.efi" ::/assay/selftest.efi

if [ "$kind" = floppy ]; then
    mv "$volume" "$image"
    exit 0
fi
rm -f "$image"
truncate -s $(((start + sectors + 2048) * 512)) "$image"
sgdisk --clear --disk-guid=4c8a1d5e-0f0e-4b9f-8d3e-7e5b0a6c9a01 \
    --new=1:$start:$((start + sectors - 1)) --typecode=1:ef00 --change-name=1:assay \
    --partition-guid=1:4c8a1d5e-0f0e-4b9f-8d3e-7e5b0a6c9a02 "$image" >/dev/null
dd if="$volume" of="$image" bs=512 seek=$start conv=notrunc,sparse status=none

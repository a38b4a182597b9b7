#!/bin/sh
# timeless-qemu-run QEMU PROGRAM [ARGUMENT...] - QEMU itself does not look for a program in PATH.
qemu=$1 program=$2
shift 2
path=$(command -v -- "$program") || path=$program
exec "$qemu" -0 "$program" "$path" "$@"

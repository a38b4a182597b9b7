#!/usr/bin/env bash
# timeless join: its transcript, and how often it looks for the files of its parts.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/transcript.sh"
cd "$scratch" || exit 99
transcript "$top_srcdir/tests/cli/join.transcript"

# A reader looks once for the open frames beside its file.
opened() { strace -f -e trace=openat -o calls "$timeless" join a.tl b.tl -o once.tl && equal "$(grep -c '"b.tl.open"' calls)" 1; }
if [ -z "$SANITIZE" ] && strace -o calls true 2>/dev/null; then check 'each part is opened once' opened
else skip 'each part is opened once' 'strace is not installed, or this is a build with sanitizers'; fi
tap_done

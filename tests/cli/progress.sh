#!/usr/bin/env bash
# A command that takes more than two seconds shows a line on a terminal, and nothing elsewhere.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
"$timeless" make token -n 8 --iterations 2000 -o token.tl
# Every command takes three seconds before it reads its words. What it does then does not matter here.
cat >slow.c <<'END'
#define _GNU_SOURCE
#include <argp.h>
#include <dlfcn.h>
#include <unistd.h>
error_t argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input)
{
    __typeof__(argp_parse) *real = (__typeof__(argp_parse) *)dlsym(RTLD_NEXT, "argp_parse");
    sleep(3);
    return real(argp, argc, argv, flags, index, input);
}
END
${CC:-cc} -shared -fPIC -o slow.so slow.c -ldl
mkfifo slow
cat >shows.py <<'END'
import os, pty, re, subprocess, sys, threading, time
# shows.py terminal|pager|pipe REGEX COMMAND...: whether a text like this appears on standard error
where, text, words = sys.argv[1], sys.argv[2], sys.argv[3:]
def feed():
    if where == "pager":
        time.sleep(3.2)
        child.stdout.read()
    elif words[-1] == "token.tl" and words[-2] == "--csv=slow":
        with open("slow", "rb") as file:
            time.sleep(3.2)
            file.read()
ours, theirs = os.pipe() if where == "pipe" else pty.openpty()
child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if where == "pager" else subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
feeder = threading.Thread(target=feed)
feeder.start()
said = b""
try:
    while data := os.read(ours, 4096):
        said += data
except OSError:  # the other end of a terminal is closed
    pass
feeder.join()
print(said[-600:])
if where != "terminal":
    assert b"\x1b" not in said and b"\r" not in said
else:
    assert re.search(text.encode(), said)
    assert b"\x1b[K" in said[max(said.rfind(b" s\r"), said.rfind(b" left\r")):], "the last line remains"
END
shows() { python3 shows.py "$@"; }
declare -A waits
ended() { wait "${waits[$1]}" || { cat "$1.said"; return 1; }; }
slowly() { ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/slow.so shows "$@"; }
# They wait at the same time.
commands=(pack join info cut dump undump export import extrapolate make fit replay report hpl compare platform perform)
for name in "${commands[@]}"; do
    slowly terminal '^\r\x1b\[Ktimeless: '"$name: ([2-9]|[1-9][0-9]+) s" "$timeless" $name token.tl >$name.said 2>&1 &
    waits[$name]=$!
done
for name in "${commands[@]}"; do check "$name: a line on a terminal" ended "$name"; done
check 'dump: the share of the events, and about how long it still takes' shows terminal ' % of the events, about ' "$timeless" \
    dump --csv=slow token.tl
check 'dump: nothing without a terminal' shows pipe '' "$timeless" dump --csv=slow token.tl
check 'dump: nothing before a pager' shows pager '' "$timeless" dump token.tl
check 'pack: nothing without a terminal' slowly pipe '' "$timeless" pack token.tl -o packed.tl
tap_done

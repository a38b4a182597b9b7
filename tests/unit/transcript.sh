# transcript.sh - the runner of transcripts: what differs from the transcript fails, and is written anew on request.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
run() { env "${@:2}" bash "$top_srcdir/tests/transcript.sh" "$1" >run.out; }
cat >right.transcript <<'END'
Two lines, an empty one between them, and one on standard error.
  $ printf 'a\n\nb  \n'; echo c >&2
  a

  b
  2> c

A command over several lines, which shares its variables.
  $ for i in 1 2; do
  >     word=w$i
  > done
  $ echo $word
  w2
A command that fails and leaves a file.
  $ touch there; false
  left: there
  [1]
END
check 'a transcript passes whose commands print what it has' run right.transcript
check 'each command is a check' test "$(grep -c '^ok ' run.out)" = 4
check 'prose is the name of its command' grep -qx 'ok 1 - Two lines, an empty one between them, and one on standard error' run.out
for wrong in 's/^  a$/  A/' '/^  2> c/d' 's/2> c/c/' 's/^  w2/&\n  w3/' '/left/d' 's/\[1\]/[2]/' '/\[1\]/d'; do
    sed "$wrong" right.transcript >wrong.transcript
    run wrong.transcript
    check "$wrong: the check of its command fails, and no other one" equal "$(grep -c '^not ok ' run.out) $(grep -c '^ok ' run.out)" '1 3'
    run wrong.transcript WRITE_TRANSCRIPTS=1
    check "$wrong: it is written anew" cmp right.transcript wrong.transcript
done
tap_done

# record_pack.sh - timeless record packs at its end, and whatever hinders it, what was recorded stays.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile folded -lblas
compile ends -pthread
$MPICC -O1 -g -shared -fPIC -o "$scratch/hinder.so" "$here/hinder.c" -ldl
trace=$scratch/r.tl recorded=$scratch/recorded.tl
# no_part: no file of a packing is left; has_part: there is one
has_part() { compgen -G "$trace.*.part"; }
no_part() { ! has_part; }

# run_and_keep [OPTION...]: 4 ranks; what they wrote is kept, too
run_and_keep() {
    $timeless record --folded "$@" -o "$trace" -- \
        sh -c "$MPIRUN -np 4 '$scratch/folded' && cp '$trace' '$recorded'"
}
not_said() { ! grep "$@"; }
# Packing adds the source lines of call sites (source_lines.sh).
without_origin() { $timeless dump "$1" | sed '/^origin /d; /^site /s/ function=.*//'; }
same_calls() { test "$(without_origin "$trace" | wc -l)" -gt 100 && cmp <(without_origin "$trace") <(without_origin "$recorded"); }
bytes() { stat -c %s "$1"; }
totals() { $timeless info --json "$1" | python3 -c '
import json, sys
print([(r["events"], r["volume"]) for r in json.load(sys.stdin)["ranks"]])'; }

check "record packs a run" run_and_keep
check "a packed trace is smaller than the recorded one" test "$(bytes "$trace")" -lt "$(bytes "$recorded")"
check "a packed trace has the same events" same_calls
check "a packed trace: no temporary file remains" no_part
check "--no-pack: the run is recorded" run_and_keep --no-pack
check "--no-pack: the trace is the recorded one" cmp "$trace" "$recorded"

check "--volume-precision: the run is recorded" run_and_keep --volume-precision 1e-2
check "--volume-precision: the trace names the precision" says '~^origin +timeless record --volume-precision 0.01$' \
    <($timeless info "$trace")
check "--volume-precision: the total of each rank is unchanged" equal "$(totals "$trace")" "$(totals "$recorded")"
rounded() { ! cmp -s <(without_origin "$trace") <(without_origin "$recorded") &&
    cmp <(without_origin "$trace" | sed 's/ volume=[0-9]*//; s/ clock_ns=[0-9]*//') \
    <(without_origin "$recorded" | sed 's/ volume=[0-9]*//; s/ clock_ns=[0-9]*//'); }
check "--volume-precision: only volumes and clocks change" rounded
check "--volume-precision statistical: the run is recorded" run_and_keep --volume-precision statistical
cp "$scratch/err" "$scratch/said"
check "--volume-precision statistical: a run without such iterations is reported" says \
    "~^timeless: $trace: no volumes are sampled: " "$scratch/said"
check "--volume-precision statistical: the trace names it" says '~^origin +timeless record --volume-precision statistical$' \
    <($timeless info "$trace")
check "--volume-precision statistical: the total of each rank is unchanged" equal "$(totals "$trace")" "$(totals "$recorded")"
check_exit 2 "--volume-precision with --no-pack exits 2" $timeless record --no-pack --volume-precision 1e-3 -o "$trace" -- true
check_exit 2 "--volume-precision that is no number exits 2" $timeless record --volume-precision much -o "$trace" -- true

check_exit "$(exit_of_killed)" "a killed run exits as mpirun" $timeless record -o "$trace" -- $MPIRUN -np 2 "$scratch/ends" kill
cp "$scratch/err" "$scratch/said"
check "a killed run is not packed, and the message names the file with its last events" \
    says '~r.tl.open holds the last events of [12] killed ranks?' "$scratch/said"
check "no message reports that packing failed" not_said 'stays as it was recorded' "$scratch/said"

# hindered HOW NAME PATTERN [OPTION...]
hindered() {
    local how=$1 name=$2 pattern=$3; shift 3
    export HINDER=$how LD_PRELOAD=$scratch/hinder.so
    check "$name: the run succeeds" run_and_keep "$@"
    unset HINDER LD_PRELOAD
    cp "$scratch/err" "$scratch/said"
    check "$name: the message names the reason" says "~^timeless: .*$pattern.*stays as it was recorded" "$scratch/said"
    check "$name: the trace is the recorded one" cmp "$trace" "$recorded"
}
hindered full "a full disk" "$trace\..*part:.*No space left on device"
check "a full disk: no temporary file remains" no_part
hindered wait "a disk that does not answer" 'takes more than 1 s' --pack-seconds 1
check "a disk that does not answer: no temporary file remains" no_part

# ended SIGNAL WHOM: sends it to this command ("record") or to the process of its that packs ("packer")
ended() {
    local pid packer='' child
    HINDER=wait LD_PRELOAD=$scratch/hinder.so $timeless record -o "$trace" --quiet -- \
        sh -c "$MPIRUN -np 2 '$scratch/ends' && cp '$trace' '$recorded'" 2>"$scratch/said" &
    pid=$!
    until has_part >/dev/null && [ "$packer" ]; do
        for child in $(cat /proc/$pid/task/$pid/children); do
            [ "/proc/$child/exe" -ef "/proc/$pid/exe" ] && packer=$child
        done
        kill -0 $pid || return
        sleep 0.1
    done
    case $2 in record) kill -"$1" $pid ;; packer) kill -"$1" "$packer" ;; esac
    wait $pid && cmp "$trace" "$recorded" && no_part && says '~stays as it was recorded' "$scratch/said"
}
check "SIGTERM while record packs: the trace is the recorded one" ended TERM record
check "a packer that is killed: the trace is the recorded one" ended KILL packer
tap_done

# in_place.sh - a command that writes over a file keeps its permissions, follows symbolic links and
# never replaces what is no regular file; record keeps a trace of before until the new one begins.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
"$timeless" make sweep --ranks 16 --bytes 4096 --iterations 2 -o t.tl || exit 99
"$timeless" dump t.tl >t.txt
printf 'num_ranks 1\nrank 0 {\na: calc 5\n}\n' >t.goal
part() { printf '%s\n' 'timeless-text 1' 'ranks 2' 'parts "node1 node2"' "rank $1 host=\"$2\"" 'end cut clock_ns=0' |
    "$timeless" undump - -o "run.$2.tl"; }
part 0 node1 && part 1 node2 || exit 99
export LC_ALL=C
umask 022

same_traces() { cmp <("$timeless" dump "$1" | sed '/^origin /d') <("$timeless" dump "$2" | sed '/^origin /d'); }
# written NAME COMMAND...: the command, with its output file behind it, over files of every kind
written() {
    local name=$1 mode; shift
    for mode in 600 640 444; do
        rm -f out.tl; cp t.tl out.tl && chmod $mode out.tl
        [ $mode != 444 ] || [ "$(id -u)" = 0 ] || { # not the caller's to write
            check_exit 4 "$name: a file that may not be written is refused" "$@" out.tl
            check "$name: and stays" cmp t.tl out.tl
            continue
        }
        check "$name: over a file of mode $mode" "$@" out.tl
        check "$name: which keeps its mode" test "$(stat -c %a out.tl)" = $mode
    done
    rm -f out.tl
    check "$name: a new file" "$@" out.tl
    check "$name: has the mode of the umask" test "$(stat -c %a out.tl)" = 644
    rm -rf folder link.tl; mkdir folder; cp t.tl folder/there.tl; ln -s folder/next.tl link.tl; ln -s there.tl folder/next.tl
    check "$name: over a link to a link" "$@" link.tl
    check "$name: which stays" test "$(readlink link.tl) $(readlink folder/next.tl)" = 'folder/next.tl there.tl'
    check "$name: and leads to the new file" cmp out.tl folder/there.tl
    rm -f folder/there.tl
    check "$name: over a link to nothing" "$@" link.tl
    check "$name: makes the file there" cmp out.tl folder/there.tl
    rm -f pipe; mkfifo pipe
    check_exit 4 "$name: a named pipe is refused" timeout 60 "$@" pipe
    check "$name: and stays" test -p pipe
    if [ "$(id -u)" = 0 ] && rm -f null && mknod null c 1 3; then
        check_exit 4 "$name: a device is refused" "$@" null
        check "$name: and stays" test -c null
    else
        skip "$name: a device is refused" 'only root can make one'
    fi
    check "$name: nothing else is left" bash -c '! ls -a . folder | grep -E "part|tmp|lock"'
}
written pack "$timeless" pack t.tl -o
written cut "$timeless" cut t.tl --section 0 -o
written undump "$timeless" undump t.txt -o
written extrapolate "$timeless" extrapolate t.tl --ranks 64 -q -o
written import "$timeless" import --from goal t.goal -o
written join "$timeless" join run.node1.tl run.node2.tl -o
# The trace itself.
cp t.tl own.tl; chmod 600 own.tl; ln -s own.tl alias.tl
check 'pack over its own trace, by a link' "$timeless" pack alias.tl -o alias.tl
check 'keeps the link and the mode' test "$(readlink alias.tl) $(stat -c %a own.tl)" = 'own.tl 600'

# No output replaces an input, by whatever path.
# kept NAME INPUT COMMAND...: a usage error; the input is as it was, and nothing else is left
kept() {
    local name=$1 input=$2; shift 2
    cp "$input" before
    check_exit 2 "$name: its input is no output" "$@"
    check "$name: the input stays" bash -c 'cmp "$1" before && ! find . -name "*.part" | grep .' - "$input"
}
mkdir texts plain
printf '0 init\n0 send 1 0 1000\n0 finalize\n' >texts/rank-0.txt
printf '1 init\n1 recv 0 0 1000\n1 finalize\n' >texts/rank-1.txt
printf 'rank-0.txt\nrank-1.txt\n' >texts/list.txt
printf 'skeleton 1\nranks 2\nunit "instructions"\ncompute 1\n' >k.skel
printf 'timeless-text 1\nranks 1\nrank 0 host="h"\nend cut clock_ns=0\n' >text
printf 'topology = "star"; nodes = 2; node = { cores = 1; speed = "1Gf"; }; link = { bandwidth = "1Gbps"; latency = "1us"; };\n' \
    >plain/platform.xml
ln own.tl hard.tl
on=(-p star-1g --no-compute --engine loggops)
kept 'replay --json' own.tl "$timeless" replay own.tl "${on[@]}" --json=own.tl
kept 'replay --json, a link' own.tl "$timeless" replay own.tl "${on[@]}" --json=alias.tl
kept 'replay --json, a hard link' own.tl "$timeless" replay own.tl "${on[@]}" --json=./hard.tl
kept 'replay --timeline' own.tl "$timeless" replay own.tl "${on[@]}" --timeline=own.tl
kept 'replay, a second trace' own.tl "$timeless" replay t.tl own.tl "${on[@]}" --json=own.tl
kept 'info --json' own.tl "$timeless" info own.tl --json=own.tl
kept 'dump --csv' own.tl "$timeless" dump own.tl --csv=own.tl
kept 'report -o' own.tl "$timeless" report own.tl "${on[@]}" -o own.tl
kept 'report -oFILE' own.tl "$timeless" report own.tl "${on[@]}" -oown.tl
kept 'cut' own.tl "$timeless" cut own.tl --section 0 -o own.tl
kept 'extrapolate --sources' own.tl "$timeless" extrapolate own.tl --ranks 64 -q --sources own.tl -o new.tl
kept 'make' k.skel "$timeless" make k.skel -o k.skel
kept 'export --to goal' k.skel "$timeless" export k.skel --to goal -o k.skel
kept 'export --to simgrid, a list' texts/rank-0.txt "$timeless" export texts/list.txt --to simgrid -o texts
kept 'platform' plain/platform.xml "$timeless" platform plain/platform.xml -o plain
kept 'undump, standard input' text bash -c '"$0" undump - -o text <text' "$timeless"
"$timeless" replay t.tl "${on[@]}" --json=a.json >/dev/null
kept 'versus --json' a.json "$timeless" report --versus a.json --json=a.json
kept 'sweep --json' own.tl "$timeless" sweep own.tl -p star-1g --engine loggops --grid seed=1 --json=own.tl
check 'standard output is an output that may be named' bash -c '"$@" --json=/dev/stdout >said && grep -q makespan said' \
    - "$timeless" replay t.tl "${on[@]}"

# Two writers of one file: each writes all of it, the last one puts it in place.
mkfifo slow
"$timeless" undump - -o both.tl <slow & writer=$!
exec 7>slow
until compgen -G 'both.tl.*.part' >/dev/null; do kill -0 $writer || break; sleep 0.05; done
check 'a second writer ends first' "$timeless" pack t.tl -o both.tl
check 'and its file is whole' same_traces t.tl both.tl
"$timeless" dump own.tl >&7
exec 7>&-
check 'the first writer ends, too' wait $writer
check 'the last one put its file in place, whole' same_traces own.tl both.tl
check 'a killed command leaves the output as it was' bash -c '"$0" undump - -o both.tl <slow & exec 7>slow
    until compgen -G "both.tl.*.part" >/dev/null; do sleep 0.05; done
    kill -TERM $!; wait $!; test $? = 143 && "$0" info both.tl && ! compgen -G "both.tl.*.part"' "$timeless"

# record
cp t.tl good.tl; chmod 600 good.tl
record() { "$timeless" record -q --volume cputime -o good.tl -- "$@"; }
check_exit 4 'record of a command that does not start exits with 4' record ./no-such-command
check 'a command that does not start leaves the older trace' cmp t.tl good.tl
check_exit 7 'record of a command that fails before MPI_Init has its exit code' record sh -c 'exit 7'
cp err said
check 'a command that fails before MPI_Init: the unchanged trace is reported' \
    grep -q '^timeless: good.tl: is unchanged since before the run$' said
check 'a command that fails before MPI_Init leaves the older trace' cmp t.tl good.tl
check_exit 3 'record of a command without MPI exits with 3' record true
check 'the trace of before is still there' cmp t.tl good.tl
printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >short.c
"$MPICC" -o short short.c || exit 99
check 'record of an MPI program' record "$MPIRUN" -np 1 ./short
check 'the new trace replaces the older one' prints '~^program *./short' "$timeless" info good.tl
check 'the new trace has the mode of the older one' test "$(stat -c %a good.tl)" = 600
tap_done

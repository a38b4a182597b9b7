#!/usr/bin/env bash
# fit_bars.sh - skeletons out of captures of at most 27 ranks, beside captures of 64 and 125 ranks.
#
#     tests/accuracy/fit_bars.sh [-o FILE] [-k FOLDER] [-v SOURCE] [-p PROGRAMS] [PROGRAM...]     (an hour, from the build folder)
#
# Each program of tests/accuracy/bars runs folded on the cores there are, with its instructions counted in an emulator
# (--volume exact), so that load on the machine does not matter.  `fit` makes a skeleton of the small captures, and a row
# of FILE (default: fit_bars.csv) compares it with the large one: calls that differ (in more than computation and call
# sites), bytes, and the makespan in the LogGOPS model with and without computation.  A program that fit must refuse
# has its message instead.  Captures are kept in FOLDER (default: fit_bars), and a second run uses them.  PROGRAMS is a folder
# with other programs, and with a table of them, programs.txt (fit_unseen.sh).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}" "${MPICC:=mpicc}"
timeless=${timeless:-$top_builddir/cli/timeless}
csv=fit_bars.csv folder=fit_bars volume=exact programs=$top_srcdir/tests/accuracy/bars
while getopts o:k:v:p: option; do
    case $option in
        o) csv=$OPTARG ;;
        k) folder=$OPTARG ;;
        v) volume=$OPTARG ;;
        p) programs=$OPTARG ;;
        *) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)
export TIMELESS_PLATFORMS=$top_srcdir/platforms OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# Program, names of its parameters, small captures, large ones: RANKS:ARGUMENTS, parameters first.
bars() {
    if [ -e "$programs/programs.txt" ]; then cat "$programs/programs.txt"; return; fi
    cat <<'BARS'
stencil2d N,steps 4:41,20 6:50,30 9:67,10 16:85,40 to 64:300,20
stencil3d N,steps 4:21,2 8:31,5 12:50,3 27:40,4 to 64:100,4 125:90,3
lu N,planes,steps 4:20,5,2 6:33,4,3 9:50,7,2 16:71,3,4 to 64:200,6,2
cg N,iterations 4:41,3 9:67,5 16:150,2 4:30,4 to 64:300,6
multigrid n,cycles 4:8,2 8:16,3 16:32,2 12:16,4 to 64:32,3
fft N,transforms 4:8,2 6:12,3 12:24,2 16:16,4 9:18,5 to 64:32,3
bucket N,times 4:1001,2,0 7:2000,3,0 12:3010,2,0 16:2222,4,0 to 64:10000,3,0
hpcg n,iterations 8:8,2 12:12,3 18:16,2 27:8,4 to 64:16,3 125:8,2
lulesh n,steps 8:6,2 12:9,3 18:7,5 27:8,4 to 64:10,3 125:6,2
drawn N,steps 4:100,7 6:150,9 9:200,5 to refused
bucket_drawn N,times 4:1001,2,1 7:2000,3,1 12:3010,2,1 to refused
BARS
}

# capture PROGRAM RANKS:ARGUMENTS: records it unless it exists; its path
capture() {
    local program=${1%_drawn} ranks=${2%%:*} arguments=${2#*:} file=$folder/$1-${2//[:,]/-}.tl
    [ -s "$folder/$program" ] ||
        "$MPICC" -O1 -g -o "$folder/$program" "$programs/$program.c" -lm || return
    # shellcheck disable=SC2086
    [ -s "$file" ] ||
        "$timeless" record -q --folded --volume "$volume" --call-paths 2 -n "$ranks" -o "$file.part" -- \
            "$folder/$program" ${arguments//,/ } </dev/null >"$folder/log" 2>&1 &&
            { [ -s "$file" ] || mv "$file.part" "$file"; } || { cat "$folder/log" >&2; return 1; }
    echo "$file"
}
# values NAMES INDEX CAPTURE...: of a parameter in all captures, with commas
values() {
    local index=$1 all= one
    shift
    for one in "$@"; do all=$all,$(cut -d, -f"$index" <<<"${one#*:}"); done
    echo "${all#,}"
}
# star-1g has no rate of instructions.  0.3 ns each, about 3 GHz and one a cycle; it counts for both sides.
echo 'reference_flops = 1e9; units = ( { unit = "instructions"; seconds_per_unit = 3e-10; } );' >"$folder/model.conf"
makespan() { "$timeless" replay "$1" --engine loggops --params $params -p star-1g --model "$folder/model.conf" -q "${@:2}"; }
# A nonblocking receive from any source is that of the message which it got, as in a skeleton, and MPI_Waitall has its
# requests in the order of their numbers.
calls() { "$timeless" dump "$1" |
    sed -n '/^[0-9]/{s/ volume=[0-9]*//;s/ site=[0-9]*$//;s/ clock_ns=[0-9]*//;p};/^comm/{s/ sources=.*//;p}' |
    awk '/^[0-9]/ { $2 = "-" }
        { request = ""; for (i = 4; i <= NF; i++) if ($i ~ /^request=/) request = $1 " " $i }
        $3 == "Match" && request != "" {
            for (i = 4; i <= NF; i++) { part = $i; sub(/=.*/, "=any", part); sub(" " part " ", " " $i " ", line[open[request]]) }
            next
        }
        $3 == "MPI_Waitall" {
            k = split(substr($4, 7, length($4) - 7), id, ",")
            for (i = 2; i <= k; i++) for (j = i; j > 1 && id[j - 1] + 0 > id[j] + 0; j--) { t = id[j]; id[j] = id[j - 1]; id[j - 1] = t }
            for (i = 1; i <= k; i++) $4 = (i > 1 ? $4 "," : "list=[") id[i] (i < k ? "" : "]")
        }
        { line[++n] = $0; if ($3 ~ /^MPI_Irecv/) open[request] = n }
        END { for (i = 1; i <= n; i++) print line[i] }'; }
# Bytes of all messages and collectives: counts times the size of an element.
bytes() {
    calls "$1" | awk '/ MPI_/ {
        n = t = l = 0
        for (i = 4; i <= NF; i++) {
            if ($i ~ /^count=/) n = substr($i, 7)
            if ($i ~ /^type_bytes=/) t = substr($i, 12)
            if ($i ~ /^list=/ && t) { k = split(substr($i, 7), part, /[],]/); for (j = 1; j <= k; j++) l += part[j] }
        }
        sum += (n + l) * t
    } END { printf "%.0f\n", sum }'
}

[ -s "$csv" ] || echo \
    "program,ranks,arguments,calls,differing,bytes,bytes_skeleton,makespan_s,makespan_skeleton_s,makespan_compute_s,makespan_compute_skeleton_s,message" >"$csv"
row() { # PROGRAM SKELETON NAMES RANKS:ARGUMENTS
    local large made options=ranks=${4%%:*} i=0 name
    for name in ${3//,/ }; do
        i=$((i + 1))
        options=$options,$name=$(cut -d, -f$i <<<"${4#*:}")
    done
    large=$(capture "$1" "$4") || return
    made=$folder/made.tl
    "$timeless" make "$2" ${options//,/ } -o "$made" || return
    calls "$large" >"$folder/large.txt"
    calls "$made" >"$folder/made.txt"
    echo "$1,${4%%:*},$(tr , ' ' <<<"${4#*:}"),$(grep -c '^[0-9]' "$folder/large.txt"),$(
        diff "$folder/large.txt" "$folder/made.txt" | grep -c '^[<>]'),$(bytes "$large"),$(bytes "$made"),$(
        makespan "$large" --no-compute),$(makespan "$made" --no-compute),$(
        [ "$volume" = none ] || makespan "$large"),$([ "$volume" = none ] || makespan "$made")," >>"$csv"
}
bars | while read -r program names rest; do
    [ $# = 0 ] || [[ " $* " == *" $program "* ]] || continue
    small=${rest% to *} files='' options='' i=0
    for one in $small; do files="$files $(capture "$program" "$one")" || exit 1; done
    for name in ${names//,/ }; do
        i=$((i + 1))
        # shellcheck disable=SC2086
        options="$options --parameter $name=$(values $i $small)"
    done
    skeleton=$folder/$program.skel
    rm -f "$skeleton"
    # shellcheck disable=SC2086
    "$timeless" fit $files $options -o "$skeleton" >"$folder/$program.report" 2>"$folder/why"
    if [ ! -e "$skeleton" ]; then
        echo "$program,,,,,,,,,,,\"$(sed "s|$folder/||g;s/\"/'/g" "$folder/why")\"" >>"$csv"
        continue
    fi
    for one in ${rest#* to }; do
        [ "$one" = refused ] && { echo "$program,,,,,,,,,,,not refused" >>"$csv"; continue; }
        grep -q "^$program,${one%%:*},$(tr , ' ' <<<"${one#*:}")," "$csv" || row "$program" "$skeleton" "$names" "$one" </dev/null
    done
done

# words.sh - the conditions that many checks have; sourced by tap.sh. A word prints what it compared, for check to show.
#
#   refused CODE TEXT COMMAND...  COMMAND exits with CODE and prints one line with TEXT on standard error, which begins `timeless: ` or
#                            `timeless COMMAND: ` (with 2, the hint at --help may follow it), and nothing on standard output; it
#                            leaves no file: in the scratch folder, nor any that begins with the FILE of an option -o FILE
#   ends_with CODE TEXT COMMAND...  COMMAND exits with CODE and prints a line with TEXT on standard error, whatever else it prints
#   prints TEXT COMMAND...   COMMAND succeeds, and a line of its standard output has TEXT
#   warns TEXT COMMAND...    COMMAND succeeds, and a line of its standard error has TEXT
#                            These four leave both outputs in $scratch/printed and $scratch/said.
#   says TEXT FILE           a line of FILE has TEXT; never_says TEXT FILE: FILE has lines, and none has it
#   near A B SHARE           the numbers, or arithmetic expressions, A and B are above 0 and differ by at most this share of the smaller
#   between VALUE LEAST GREATEST  the number is neither below the least nor above the greatest
#   not COMMAND...           COMMAND fails
#   makespan ARGUMENT...     prints the predicted seconds: replay -q
#   same_events A B          both traces have the same events, and some; FILTER: a script of sed for the lines of both
#   trace NAME CALLS...      NAME.tl is a trace with a rank for each CALLS: its calls and definitions, a line each. Numbers of rank
#                            and event are added, as is MPI_ if the name of a call begins with another capital; UNIT: of volumes
#   column FILE NAME         prints this column of a CSV file
#   json FILE CODE           python runs CODE, where `d` is what FILE has; assert makes it fail
#
# TEXT is part of a line, as it is printed; `.*` in it stands for anything, and ~REGEX is an extended regular expression.

# has_text TEXT LINE
has_text() {
    local text=$1 line=$2 part
    if [[ $text == '~'* ]]; then text=${text#'~'}; [[ $line =~ $text ]]; return; fi
    while [[ $text == *'.*'* ]]; do
        part=${text%%'.*'*} text=${text#*'.*'}
        [[ $line == *"$part"* ]] || return 1
        line=${line#*"$part"}
    done
    [[ $line == *"$text"* ]]
}
says() {
    local lines line
    mapfile -t lines <"$2" || return
    for line in "${lines[@]}"; do has_text "$1" "$line" && return; done
    printf '%s\n' "no line of $2 has: $1" "${lines[@]:0:20}"
    return 1
}
never_says() { [ -s "$2" ] && ! says "$1" "$2" >/dev/null || { echo "$2 is empty, or has: $1"; return 1; }; }
# keep_outputs COMMAND...: in $scratch/printed and $scratch/said
keep_outputs() { "$@" >"$scratch/printed" 2>"$scratch/said"; }
refused() {
    local code=$1 text=$2 got file='' i lines before after
    shift 2
    for ((i = 1; i < $#; i++)); do [ "${!i}" != -o ] || { ((i++)); file=${!i}; }; done
    : >"$scratch/printed" >"$scratch/said"
    before=("$scratch/"* ${file:+"$file"*})
    keep_outputs "$@"; got=$?
    after=("$scratch/"* ${file:+"$file"*})
    mapfile -t lines <"$scratch/said"
    printf '%s\n' "exit code $got, expected $code, with: $text" "${lines[@]:0:20}"
    [ "$code" != 2 ] || [[ ${lines[1]:-} != 'Try `timeless '* ]] || lines=("${lines[0]}")
    [ "$got" = "$code" ] && [ ${#lines[@]} = 1 ] && [[ ${lines[0]} =~ ^timeless(\ [a-z]+)*:\ . ]] &&
        has_text "$text" "${lines[0]}" || return
    [ ! -s "$scratch/printed" ] || { echo 'it prints on standard output'; return 1; }
    [ "${before[*]}" = "${after[*]}" ] || { printf 'it leaves other files:\n%s\n%s\n' "${before[*]}" "${after[*]}"; return 1; }
}
ends_with() {
    local got
    keep_outputs "${@:3}"; got=$?
    says "$2" "$scratch/said" && [ "$got" = "$1" ] || { echo "exit code $got, expected $1"; return 1; }
}
prints() { keep_outputs "${@:2}" && says "$1" "$scratch/printed" || { cat "$scratch/said"; return 1; }; }
warns() { keep_outputs "${@:2}" && says "$1" "$scratch/said" || { cat "$scratch/said"; return 1; }; }
near() { awk "BEGIN {
    a = ($1); b = ($2); printf \"%.15g %.15g\\n\", a, b; exit !(a > 0 && b > 0 && a <= b * (1 + $3) && b <= a * (1 + $3)) }"; }
between() { [ "$1" ] && awk "BEGIN { print \"$2 <= $1 <= $3\"; exit !($2 <= $1 && $1 <= $3) }"; }
not() { ! "$@"; }
makespan() { "$timeless" replay -q "$@"; }
same_events() {
    "$timeless" dump "$1" | sed -n "${FILTER:-}"$'\n''/^[0-9]/p' >"$scratch/events-a" &&
        "$timeless" dump "$2" | sed -n "${FILTER:-}"$'\n''/^[0-9]/p' >"$scratch/events-b" &&
        [ -s "$scratch/events-a" ] && diff "$scratch/events-a" "$scratch/events-b"
}
trace() {
    local name=$1 rank=-1 n line calls; shift
    {
        printf '%s\n' 'timeless-text 1' "ranks $#" "volume_unit \"${UNIT:-none}\""
        for calls; do
            rank=$((rank + 1)) n=0
            echo "rank $rank host=\"h\""
            while read -r line; do
                case $line in
                '') continue ;;
                comm* | site* | kernel* | counter*) echo "$line"; continue ;;
                MPI* | Match* | Thread* | Enter* | Return* | Parallel* | Sleep*) ;;
                [A-Z]*) line=MPI_$line ;;
                esac
                echo "$rank $n $line"
                n=$((n + 1))
            done <<<"$calls"
            echo 'end cut clock_ns=0'
        done
    } >"$name.txt" && "$timeless" undump "$name.txt" -o "$name.tl"
}
column() { python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(row[sys.argv[2]])' "$@"; }
json() {
    python3 -c 'import json, math, sys
with open(sys.argv[1]) as file: d = json.load(file)
exec(sys.argv[2])' "$@"
}

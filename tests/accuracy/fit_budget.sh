#!/usr/bin/env bash
# fit_budget.sh - is the computation of skeletons at 64 and 125 ranks as wrong as their files state?
#
#     tests/accuracy/fit_budget.sh [-k FOLDER] [PROGRAM...]     (from the build folder, after fit_bars.sh)
#
#   -k FOLDER    that of fit_bars.sh, with its captures (default: fit_bars)
#
# A row for each large capture of fit_bars.sh: the error of the skeleton's computation, of all ranks, and half of the 90 %
# interval that `timeless budget` makes of what the skeleton states (the input "extrapolation").
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
timeless=${top_builddir:-$PWD}/cli/timeless folder=fit_bars
export TIMELESS_PLATFORMS=$here/../platforms
while getopts k: option; do
    case $option in
    k) folder=$OPTARG ;;
    *) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
folder=$(cd "$folder" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%s\n' 'version = 2; reference_flops = 1.0e9;' 'units = ({ unit = "instructions"; seconds_per_unit = 3.0e-10; });' \
    >"$scratch/model.conf"
file() { echo "$folder/$1-${2//[:,]/-}.tl"; }
# values INDEX CAPTURE...: of a parameter in all captures, with commas
values() { for capture in "${@:2}"; do cut -d, -f"$1" <<<"${capture#*:}"; done | paste -sd,; }
volume() { "$timeless" dump "$1" | sed -n 's/.* volume=\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { printf "%.0f\n", n }'; }
# row PROGRAM NAMES CAPTURE: the skeleton beside this capture
row() {
    local i=0 name arguments=${3#*:} parameters=ranks=${3%%:*} stated
    for name in ${2//,/ }; do
        i=$((i + 1))
        parameters=$parameters,$name=$(cut -d, -f$i <<<"$arguments")
    done
    "$timeless" budget "$scratch/$1.skel,$parameters" --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns -p star-1g \
        --model "$scratch/model.conf" --json="$scratch/budget.json" >/dev/null
    stated=$(python3 -c 'import json, sys; print(*[i["uncertainty"] for i in json.load(open(sys.argv[1]))["inputs"] if i["input"] == "extrapolation"])' "$scratch/budget.json")
    awk -v row="$1 $3" -v made="$(volume "$scratch/$1.skel,$parameters")" -v recorded="$(volume "$(file "$1" "$3")")" \
        -v stated="$stated" 'BEGIN {
        e = made / recorded - 1
        if (stated == "") printf "%-24s %+7.1f %%   nothing is stated\n", row, 100 * e
        else printf "%-24s %+7.1f %%   +- %5.1f %%   %s\n", row, 100 * e, 100 * stated, (e < 0 ? -e : e) <= stated ? "within" : "beyond" }'
}
while read -r program names rest <&3; do
    [ $# = 0 ] || [[ " $* " == *" $program "* ]] || continue
    read -r -a small <<<"${rest% to *}"
    read -r -a large <<<"${rest#* to }"
    [ "${large[0]}" != refused ] || continue
    files=() options=() i=0
    for capture in "${small[@]}"; do files+=("$(file "$program" "$capture")"); done
    for name in ${names//,/ }; do
        i=$((i + 1))
        options+=(--parameter "$name=$(values $i "${small[@]}")")
    done
    "$timeless" fit "${files[@]}" "${options[@]}" -o "$scratch/$program.skel" -q
    for capture in "${large[@]}"; do row "$program" "$names" "$capture"; done
done 3< <(sed -n "/<<'BARS'/,/^BARS/p" "$here/accuracy/fit_bars.sh" | grep ' to ')

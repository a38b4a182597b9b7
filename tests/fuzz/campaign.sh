#!/usr/bin/env bash
# campaign.sh LOGS END [SLICE]: fuzzes all harnesses in turn, SLICE seconds each (120), until the time END
# (as date -d takes it), and goes on after a finding with the others.  Run it in a configured build folder,
# as in: setsid nohup nice -n 19 bash campaign.sh /tmp/logs 14:20 &
# LOGS/log.tsv has a line for each slice: time, commit, fuzzer, harness, CPU seconds, findings; LOGS/status.txt
# their sums.  LOGS/engines.txt has what run.sh prints of each engine, replays and CPU seconds, and below their sums.
# Every fourth round is AFL++'s, if it is there.
set -u
logs=${1:?campaign.sh LOGS END [SLICE]} end=$(date -d "${2:?}" +%s) slice=${3:-120}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$logs"
round=0
TIMEFORMAT='%U %S'
while :; do
    round=$((round + 1)) fuzzer=run
    [ $((round % 4)) != 0 ] || ! command -v afl-fuzz >/dev/null || fuzzer=afl
    commit=$(git -C "$here" log -1 --format=%h)
    for harness in $(ls "$here/corpus"); do
        left=$((end - $(date +%s)))
        [ "$left" -gt 10 ] || { echo "ended $(date)" >>"$logs/status.txt"; exit 0; }
        [ "$left" -lt "$slice" ] && slice=$left
        found=0
        bash "$here/$fuzzer.sh" 0 "$harness" >"$logs/build-$harness.txt" 2>&1
        used=$({ time bash "$here/$fuzzer.sh" "$slice" "$harness" >"$logs/last-$harness.txt" 2>&1 || touch "$logs/found.$$"; } 2>&1)
        [ ! -e "$logs/found.$$" ] || { found=1; rm "$logs/found.$$"
            cp "$logs/last-$harness.txt" "$logs/finding-$harness-$(date +%s).txt"; }
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(date +%T)" "$commit" $fuzzer "$harness" "$(awk '{ print $1 + $2 }' <<<"$used")" \
            $found >>"$logs/log.tsv"
        sed -n "s/^engine /$commit $harness /p" "$logs/last-$harness.txt" >>"$logs/engines.tsv"
        awk '{ print; n[$3] += $4; ended[$3] += $6; cpu[$3] += $10 }
             END { for (e in n) print "sum", e, n[e], "replays,", ended[e], "to the end,", cpu[e], "CPU s" }' \
                 "$logs/engines.tsv" >"$logs/engines.txt"
        { echo "commit fuzzer harness CPU-seconds findings, $(date)"
          awk -F'\t' '{ k = $2 " " $3 " " $4; cpu[k] += $5; n[k] += $6; all += $5; bad += $6 }
                      END { for (k in cpu) print k, cpu[k], n[k]; print "all", all, bad }' "$logs/log.tsv" | sort; } >"$logs/status.tmp"
        mv "$logs/status.tmp" "$logs/status.txt"
    done
done

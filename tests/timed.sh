# timed.sh DRIVER... --trs-file FILE ... - runs automake's driver of a test, and adds how long the test took, and the time of
# processors that it used, in seconds to FILE, for the list at the end of tests/run.sh.
begin=${EPOCHREALTIME/[.,]/}
"$@"
code=$?
while [ $# -gt 0 ] && [ "$1" != --trs-file ]; do shift; done
if [ -e "${2:-}" ]; then
    times >"$2.times" # not in a subshell, which has used nothing; 1m2.345s for user and system, the second line for what it ran
    { read -r; IFS='ms. ' read -r user_min user_s _ system_min system_s _; } <"$2.times"
    rm -f "$2.times"
    printf ':seconds: %d\n:processor: %d\n' $(((${EPOCHREALTIME/[.,]/} - begin) / 1000000)) \
        $((60 * (user_min + system_min) + user_s + system_s)) >>"$2"
fi
exit $code

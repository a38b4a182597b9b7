# timed.sh DRIVER... --trs-file FILE ... - runs automake's driver of a test, and adds how long the test took in
# seconds to FILE, for the list at the end of tests/run.sh.
begin=${EPOCHREALTIME/[.,]/}
"$@"
code=$?
while [ $# -gt 0 ] && [ "$1" != --trs-file ]; do shift; done
[ ! -e "${2:-}" ] || printf ':seconds: %d\n' $(((${EPOCHREALTIME/[.,]/} - begin) / 1000000)) >>"$2"
exit $code

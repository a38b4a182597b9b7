# cmocka.sh PROGRAM - runs a cmocka program and corrects its TAP: cmocka 1.1 prints a skipped test as "not ok N # SKIP
# NAME", which TAP takes for a failure.  The reason is the comment that the test has printed before.
"$@" | awk '
    /^not ok [0-9]+ # SKIP / { name = $0; sub(/^not ok [0-9]+ # SKIP /, "", name)
                               print "ok " $3 " - " name " # SKIP " reason; next }
    /^# / { reason = substr($0, 3) }
    { print }'
exit "${PIPESTATUS[0]}"

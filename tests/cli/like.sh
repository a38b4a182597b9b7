# like.sh - sourced: like A B passes if two traces have the same definitions and events but for what an
# extrapolated trace cannot have: volumes, polls, clocks, hosts, and how it came to be.
told() {
    "$timeless" dump "$1" | sed -E 's/ (volume|polls|clock_ns)=[0-9]+//g; s/ host="[^"]*"//
        /^(program|mpi_library|origin|run_id|folding|clock|writer) /d'
}
like() { diff <(told "$1") <(told "$2") | head -n 20; return "${PIPESTATUS[0]}"; }

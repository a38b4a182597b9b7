# messages.sh - sourced: messages among four ranks on a network whose times are closed forms.

# platform_of EAGER OIS: the folder platform; links of 125 MB/s, 20 us from host to host and within a host;
# messages of at least EAGER bytes wait for their receiver, MPI_Isend takes OIS seconds, and nothing else counts
platform_of() {
    cat >description <<CONF
topology = "star";
nodes = 4;
node = { cores = 2; speed_flops = 1.0e9; };
link = { bandwidth_Bps = 125.0e6; latency_s = 10.0e-6; };
loopback = { bandwidth_Bps = 125.0e6; latency_s = 20.0e-6; };
options = [ "smpi/async-small-thresh:$1", "smpi/send-is-detached-thresh:$1", "smpi/os:0:0:0", "smpi/ois:0:$2:0",
            "smpi/or:0:0:0", "smpi/lat-factor:0:1", "smpi/bw-factor:0:1", "network/crosstraffic:no",
            "network/TCP-gamma:1e15" ];
CONF
    check 'a platform' "$timeless" platform description -o platform
}
# messages FILE "FROM TO BYTES"...: blocking, in this order
messages() {
    local file=$1; shift
    printf '%s\n' "$@" | awk 'BEGIN { print "timeless-text 1\nranks 4" }
        function add(rank, call, other) {
            calls[rank] = calls[rank] sprintf("%d %d MPI_%s count=%d type_bytes=1 peer=%d tag=0 comm=1\n",
                rank, n[rank]++, call, $3, other) }
        { add($1, "Send", $2); add($2, "Recv", $1) }
        END { for (r = 0; r < 4; r++) printf "rank %d host=\"h%d\"\n%send cut clock_ns=0\n", r, r, calls[r] }' |
        "$timeless" undump - -o "$file"
}

# known_network.sh - sourced: a network that calibrations have to find again.

# known_network BANDWIDTH LATENCY: known.xml and known.conf; two hosts, with this loopback
known_network() {
    cat >known.xml <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="known" routing="Full">
<cluster id="c" prefix="node-" suffix="" radical="0-1" speed="1Gf" core="4" bw="125MBps" lat="10us"
 sharing_policy="SPLITDUPLEX" limiter_link="187.5MBps" loopback_bw="$1" loopback_lat="$2"/>
</zone></platform>
XML
    cat >known.conf <<'CONF'
network/crosstraffic:no
smpi/grow-injected-times:no
smpi/iprobe:5e-7
smpi/test:3e-7
smpi/wtime:1e-8
smpi/async-small-thresh:65536
smpi/send-is-detached-thresh:65536
smpi/os:0:8e-6:5e-10;1420:1.1e-5:3e-10;65536:1.1e-5:0
smpi/ois:0:7e-6:4e-10;65536:2e-5:0
smpi/or:0:6e-6:2e-10;1420:8e-6:4e-10;65536:0:0
smpi/lat-factor:0:1;1436:1.9;65552:6
smpi/bw-factor:0:0.5;1436:0.8;65552:0.94
CONF
}

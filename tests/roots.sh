# roots.sh - sourced: bare systems of Debian releases, each in a folder, installed by debootstrap from the mirror of this
# machine (or from MIRROR).
#
#   inside ROOT COMMAND      runs the command of the shell in it, as root, with this machine's devices
#   inside_for SECONDS ROOT COMMAND   the same for that long at most, then ends all that runs in ROOT; exit code 124
#   make_root RELEASE ROOT   installs the release into the folder, if this was not done before; the log is ROOT.log. After
#                            limit_of_root_s seconds, if set, it gives up.
: "${MIRROR:=$(sed -nE 's/^(URIs: *|deb (\[.*\] )?)(https?:[^ ]*debian.org\/debian\/?).*/\3/p' /etc/apt/sources.list \
    /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}"
: "${MIRROR:=http://deb.debian.org/debian}"

inside() {
    # shellcheck disable=SC2016 # expanded there
    unshare --mount --propagation private sh -c 'mount --bind "$0" "$0" && mount --rbind /dev "$0/dev" &&
        mount --bind /proc "$0/proc" && mount --rbind /sys "$0/sys" &&
        exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive CI="${CI:-}" sh -c "$1"' "$@"
}
# A launcher puts ranks into process groups of their own, which a signal to the command's group does not reach.
inside_for() {
    local process code
    timeout -k 10 "$1" bash -c "$(declare -f inside)"'; inside "$@"' bash "${@:2}"
    code=$?
    [ $code != 137 ] || code=124
    if [ $code = 124 ]; then
        for process in /proc/[0-9]*; do
            [ ! "$process/root" -ef "$2" ] || kill -KILL "${process#/proc/}" 2>/dev/null
        done
    fi
    return $code
}
make_root() {
    [ ! -e "$2/made" ] || return 0
    rm -rf "$2"
    mkdir -p "$2" && timeout "${limit_of_root_s:-0}" debootstrap --variant=minbase "$1" "$2" "$MIRROR" >"$2.log" 2>&1 || return
    # A root that is lost with its machine needs no fsync for each file, and nobody reads its documentation.
    printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' \
        'path-exclude=/usr/share/locale/*' >"$2/etc/dpkg/dpkg.cfg.d/quick"
    # As on every installed Debian; mpiexec.hydra waits forever if the name of its machine has no address.
    [ -e "$2/etc/hosts" ] || printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$2/etc/hosts"
    touch "$2/made"
}

#!/usr/bin/env bash
# environments.sh [--load N] [--release NAME] ENVIRONMENT...: runs the README's test command on a clean clone of the last
# commit in a bare Debian that debootstrap installs into a folder (release bookworm unless told).  ENVIRONMENT is one of
#
#   root        as root
#   user        as a user who is not root and has no sudo
#   container   as such a user, without capabilities, new namespaces, mounts and performance events, as in many containers
#
# --load N keeps N busy loops running beside the tests. Root installs the packages first. The systems are kept in the folder
# ROOTS (default: distributions/ in the build folder), each run's log is there too, and so is the clone with its tests' logs.
# Prints "ENVIRONMENT: N passed, M failed" for each.  Exit code 0: nothing failed.  1: something failed.  77: the system
# cannot be installed or entered on this machine; the last line gives the reason.
set -u
cd "$(dirname "$0")/.." || exit 4
load=0 release=bookworm
while [ $# -gt 1 ]; do
    case $1 in
    --load) load=$2 ;;
    --release) release=$2 ;;
    *) break ;;
    esac
    shift 2
done
case $# in 0) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;; esac
roots=${ROOTS:-$PWD/build/distributions}
. tests/roots.sh

cannot() { echo "environments.sh: skipped: $*"; exit 77; }
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ "$(id -u)" = 0 ] || cannot "debootstrap and chroot need the rights of root"

# install ROOT: a system with the packages of tests/packages.txt, git and a user
install() {
    make_root "$release" "$1" || cannot "debootstrap failed: $(tail -n 1 "$1.log")"
    cp /etc/resolv.conf "$1/etc/" 2>/dev/null
    [ ! -e "$1/packages" ] || ! cmp -s tests/packages.txt "$1/packages" || return 0
    inside "$1" "apt-get update -qq && apt-get install -y -qq --no-install-recommends git ca-certificates $(sed 's/#.*//' \
        tests/packages.txt | tr '\n' ' ') &&
        { id user || useradd --create-home user; }" >"$1.log" 2>&1 || cannot "the packages cannot be installed: $(tail -n 1 "$1.log")"
    cp tests/packages.txt "$1/packages"
}

# clone ROOT ENVIRONMENT: the last commit in a folder of its own, which belongs to who runs the tests
clone() {
    local folder=$1/home/user/$2
    rm -rf "$folder"
    git clone -q . "$folder" && gcc -o "$1/home/user/deny" tests/deny.c || return
    [ "$2" = root ] || inside "$1" "chown -R user:user /home/user"
}

# as ENVIRONMENT: the command that gives up the rights
as() {
    local user="setpriv --reuid user --regid user --init-groups"
    case $1 in
    root) ;;
    user) echo "$user" ;;
    container) echo "$user --bounding-set=-all --inh-caps=-all --no-new-privs /home/user/deny all" ;;
    *) return 1 ;;
    esac
}

busy=()
# shellcheck disable=SC2317 # called by trap
stop_load() { [ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null; }
trap stop_load EXIT
root=$roots/$release.environments
mkdir -p "$roots"
install "$root"
inside "$root" true 2>"$root.log" || cannot "no mount namespace here: $(tail -n 1 "$root.log")"
for ((i = 0; i < load; i++)); do
    while :; do :; done &
    busy+=($!)
done
status=0
for environment; do
    rights=$(as "$environment") || { echo "environments.sh: unknown environment: $environment; known: root, user, container" >&2; exit 2; }
    log=$root.$environment.log
    clone "$root" "$environment" || cannot "the clone failed"
    inside "$root" "HOME=/home/user $rights env CI='${CI:-}' bash -c 'cd /home/user/$environment && bash tests/run.sh'" >"$log" 2>&1
    ended=$?
    grep -aE '^(FAIL|XPASS|ERROR): .* [0-9]+ - ' "$log"
    last=$(tail -n 1 "$log")
    [[ $last =~ passed,.*failed$ ]] || last="0 passed, 1 failed: $last"
    echo "$environment: $last"
    [ $ended = 0 ] || status=1
done
exit $status

#!/usr/bin/env bash
# Installs what a fresh Debian 12 or 13 lacks (as root or by sudo), then configures and builds in ./build.  A user who may not
# install packages goes on without: configure names what the build needs, tests skip what else is missing.
set -eu
cd "$(dirname "$0")/.."
# With TIMELESS_PACKAGES=core it leaves out what further tests need, with TIMELESS_PACKAGES=replay what recording needs.
case ${TIMELESS_PACKAGES:-} in
core) without='/^# What further/,$d;' ;;
replay) without='/^# What recording/,/^# What replays/d;' ;;
*) without='' ;;
esac
packages=$(sed "${without}s/#.*//" tests/packages.txt)
lacking=
for p in $packages; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || lacking="$lacking $p"
done
if [ -n "$lacking" ]; then
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    if [ -n "$sudo" ] && ! sudo -n true 2>/dev/null; then
        echo "not installed, since sudo is not allowed:$lacking"
    else
        echo "installing:$lacking"
        $sudo apt-get update -qq
        # shellcheck disable=SC2086
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $lacking >/dev/null
    fi
fi
[ -x configure ] && [ configure -nt configure.ac ] || autoreconf -fi 2>/dev/null || autoreconf -fi
mkdir -p build
cd build
[ -f Makefile ] || { echo "configuring"; ../configure --quiet "$@"; }
echo "building"
if ! make -j"$(nproc)" --no-print-directory >make.log 2>&1; then
    tail -n 40 make.log >&2
    echo "tests/setup.sh: the build failed; build/make.log has all of it" >&2
    exit 1
fi
echo "built in build/"

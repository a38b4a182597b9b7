#!/usr/bin/env bash
# packages.sh - Debian's packages of the last commit: they are built in a Debian 12 with the build dependencies alone, satisfy
# lintian, install into a bare Debian 12, and the tour (README.md, doc/TOUR.md) runs there for a user who is not root.
#
# Not part of `make check`: it installs three systems by debootstrap and builds with optimisation, which takes half an hour.
# They are kept in the folder ROOTS (default: distributions/ in the build folder), the packages in ROOTS/packages.
#
#   PACKAGES=FOLDER    tests the packages in FOLDER instead of building some
. "$(dirname "$0")/tap.sh"
cd "$top_srcdir" || exit 99
roots=${ROOTS:-$PWD/build/distributions}
. tests/roots.sh
skip_all() { skip 'the Debian packages' "$1"; tap_done; exit; }
give_up() { tail -n 20 "$1" | sed 's/^/# /'; tap_done; exit 1; }
[ "$(id -u)" = 0 ] || skip_all 'debootstrap and chroot need the rights of root'
debootstrap --version >/dev/null 2>&1 || skip_all 'debootstrap is not installed'
unshare --mount true 2>/dev/null || skip_all 'no mount namespaces here'
wget -q -t 1 -T 20 -O /dev/null "$MIRROR/dists/bookworm/InRelease" || skip_all "no mirror of Debian: $MIRROR does not answer"
if [ "${TAP_GUARDS:-}" ]; then tap_done; exit; fi

# install ROOT WHAT...: packages of Debian, or files
install() { inside "$1" "apt-get -qq update && apt-get -qq install -y --no-install-recommends ${*:2}"; }
# fresh ROOT: a bare Debian 12
fresh() { rm -rf "$1" && cp -a "$roots/bookworm" "$1" && cp /etc/resolv.conf "$1/etc/"; }

mkdir -p "$roots"
check 'a bare Debian 12' make_root bookworm "$roots/bookworm"
[ -e "$roots/bookworm/made" ] || give_up "$roots/bookworm.log"

# ---- the packages ----

build=$roots/bookworm-build packages=${PACKAGES:-$roots/packages} log=$roots/packages.log
# A release: the archive of `make dist` with the folder debian/ in it.
build_packages() {
    local version
    version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)
    [ -e "$build/made" ] || fresh "$build" || return
    rm -rf "$build/timeless" && mkdir -p "$build/timeless/checkout" && git archive HEAD | tar -x -C "$build/timeless/checkout" || return
    install "$build" build-essential fakeroot lintian autoconf automake libtool &&
        inside "$build" "apt-get -qq build-dep -y /timeless/checkout && cd /timeless/checkout && autoreconf -fi && ./configure --quiet &&
            make dist && cd .. && mv checkout/timeless-$version.tar.xz timeless_$version.orig.tar.xz &&
            tar -xf timeless_$version.orig.tar.xz && cp -r checkout/debian timeless-$version/ && rm -rf checkout && chown -R nobody: . &&
            cd timeless-$version && HOME=/nonexistent DEB_BUILD_OPTIONS=parallel=$(nproc) runuser -u nobody -- dpkg-buildpackage -us -uc" || return
    rm -rf "$packages" && mkdir "$packages" && find "$build/timeless" -maxdepth 1 -type f -exec cp -t "$packages" {} +
}
if [ -z "${PACKAGES:-}" ]; then
    check 'dpkg-buildpackage builds source and packages, with the build dependencies alone' eval 'build_packages >"$log" 2>&1'
    ls "$packages"/*.changes >/dev/null 2>&1 || give_up "$log"
    lint() { inside "$build" \
        'cd /timeless && runuser -u nobody -- lintian --fail-on error,warning --display-info --tag-display-limit 0 *.changes'; }
    check 'lintian prints no errors and no warnings' lint
fi
for name in libtimeless0 libtimeless-dev timeless timeless-doc; do
    check "there is a package $name" eval 'ls "$packages"/'$name'_*.deb'
done

# ---- a bare system with them ----

root=$roots/bookworm-packages
fresh "$root" && mkdir "$root/packages" && cp "$packages"/*.deb "$root/packages/" || exit 99
rm -f "$root"/packages/*-dbgsym_*
check 'they install into a bare Debian 12, with all that they need' inside "$root" \
    'apt-get -qq update && apt-get -qq install -y /packages/*.deb && dpkg --audit | { ! grep .; }'
check 'the tour needs hpcc, the library a compiler, and zsh completes' install "$root" hpcc gcc libc6-dev pkg-config zsh
inside "$root" 'useradd -m -s /bin/bash reader' || exit 99
tour=$root/home/reader
cp tests/mpi_env.sh "$tour/" && tests/hpcc_input.sh 200 2 2 >"$tour/hpccinf.txt" || exit 99
# reads COMMAND: runs it as that user
reads() {
    printf '%s\n' '. ./mpi_env.sh' 'set -o pipefail' "$1" >"$tour/command"
    inside "$root" 'cd /home/reader && runuser -u reader -- env HOME=/home/reader bash command'
}
check 'the command, its pages and its completion are there' reads \
    'timeless --version &&
    ls /usr/share/man/man1/timeless-replay.1.gz /usr/share/man/man5/timeless-platform.5.gz /usr/share/man/man3/timeless.h.3.gz'
check 'bash finds the completion' reads '. /usr/share/bash-completion/completions/timeless && complete -p timeless'
check 'zsh finds the completion' reads 'zsh -fc "autoload -Uz compinit && compinit -D && print \$_comps[timeless]" | grep -x _timeless'
check 'the platforms that come with it are listed' reads 'timeless platform --list | grep star-1g'
check 'the sample traces are in share/timeless/traces, as README says' reads 'ln -s /usr/share/timeless/traces traces && ls traces/hpl-4.tl'

n=0
while IFS= read -r command <&3; do
    case $command in *--hosts*|*./cluster*) continue ;; esac # needs emulated hosts: tests/cli/readme.sh
    n=$((n + 1))
    check "README: $command" reads "$command"
done 3< <(awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on {sub(/  +# .*/, ""); print}' README.md doc/TOUR.md)
check 'the tour has commands' test "$n" -ge 20

check 'a program is built with the library' reads \
    'cc $(pkg-config --cflags timeless) -o example /usr/share/doc/libtimeless-dev/examples/example-trace.c $(pkg-config --libs timeless) &&
    ./example pair.tl && timeless info pair.tl'
check 'the smoke test of the package succeeds' eval 'mkdir "$tour/debian" && cp -r debian/tests "$tour/debian/" &&
    cp -r tests "$tour/" && reads "bash debian/tests/first-light"'
check 'purged, they leave nothing' inside "$root" \
    'apt-get -qq purge -y timeless libtimeless0 libtimeless-dev timeless-doc &&
    ! find /usr /etc /var/lib -name "*timeless*" ! -path "/var/lib/apt/*" ! -path "*/doc/libjs*" | grep .'
tap_done

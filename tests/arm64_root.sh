# arm64_root.sh - sourced after roots.sh: a root of Debian 12 for arm64 on an amd64 machine, whose programs QEMU's user mode
# runs.
#
#   make_arm64_root ROOT      unpacks the packages into the folder, if this was not done before
#   use_arm64_compiler ROOT native|arm64   which GCC the root uses: one for amd64, or its own
#   in_arm64 ROOT COMMAND     runs the command of bash in it, as root
#   enter_namespaces COMMAND...   runs the command as root in a user namespace with all ids
#
# A user namespace has a binfmt_misc of its own (from Linux 6.7 on). There the kernel is told to run arm64 programs by QEMU;
# the machine's own setting stays as it is.
ARM64_SHELL=/opt/amd64/usr/bin/bash
arm64_tools='qemu-user-static gcc-aarch64-linux-gnu g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu
    bash coreutils sed grep mawk findutils diffutils make tar gzip'
arm64_base='bash coreutils sed grep mawk findutils diffutils make tar gzip util-linux hostname procps libc-bin file dash python3 binutils'
# Of the packages for the tests, those that nothing here needs.
arm64_without='|autoconf|automake|libtool|hpcc|qemu-user|valgrind|gnuplot-nox|python3-.*'
OPEN_MPI_AS_ROOT='OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1'
OPEN_MPI_AS_ROOT+=' OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none'

enter_namespaces() {
    local pipe child code gate
    pipe=$(mktemp -u) && mkfifo "$pipe" && exec {gate}<>"$pipe" || return
    # shellcheck disable=SC2016 # expanded there
    unshare --user --mount --propagation private bash -c 'read -r _ <"$0"; exec "$@"' "$pipe" "$@" <&0 {gate}>&- &
    child=$!
    while [ "$(readlink "/proc/$child/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.02; done
    { echo '0 0 4294967295' >"/proc/$child/uid_map" && echo '0 0 4294967295' >"/proc/$child/gid_map"; } 2>/dev/null
    echo go >&"$gate"
    wait $child
    code=$?
    exec {gate}>&-
    rm -f "$pipe"
    return $code
}

# Called in the namespaces. ELF, 64 bits, little-endian, a program or library, for AArch64.
enter_arm64() {
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
        printf '%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$1/opt/amd64/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register &&
        mount --bind "$1" "$1" && mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && mount --rbind /sys "$1/sys" &&
        exec chroot "$1" env -i HOME=/root PATH=/usr/local/bin:/opt/amd64/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        CI="${CI:-}" /opt/amd64/usr/bin/bash -c "$2"
}
in_arm64() { enter_namespaces bash -c "$(declare -f enter_arm64)"'; enter_arm64 "$@"' bash "$@"; }

# unpack ARCHITECTURE FOLDER PACKAGE...: the packages and all that they need, by a configuration of apt that is used for them
# alone. The cross compiler's own C library stays out: it uses the root's.
unpack() {
    local apt=$2.apt package
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" && : >"$apt/status" || return
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $MIRROR bookworm main" >"$apt/sources.list"
    local options=(-qq -o APT::Architecture="$1" -o APT::Architectures="$1" -o Dir::Etc::SourceList="$apt/sources.list"
        -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt"
        -o Dir::Cache::archives="$apt/archives" -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Retries=2)
    apt-get "${options[@]}" update && apt-get "${options[@]}" install -y --no-install-recommends --download-only "${@:3}" || return
    for package in "$apt"/archives/*.deb; do
        case $package in */libc6-*cross_* | */linux-libc-dev-*cross_*) continue ;; esac
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$2" || return
    done
    rm -rf "$apt"
}

# one_usr FOLDER: bin, lib and others of it are those of its usr
one_usr() {
    local name
    for name in bin sbin lib lib64; do
        mkdir -p "$1/usr/$name" && ln -sfn "usr/$name" "$1/$name" || return
    done
}

# What the scripts of the packages would do, as far as it is needed here.
link_alternatives() {
    local name libraries=$1/usr/lib/aarch64-linux-gnu
    for name in mpicc mpirun mpiexec mpifort mpif90 mpif77; do
        ln -sfn $name.openmpi "$1/usr/bin/$name"
    done
    for name in blas lapack; do
        ln -sfn "openblas-pthread/lib$name.so.3" "$libraries/lib$name.so.3"
    done
    ln -sfn openblas-pthread/libopenblas.so.0 "$libraries/libopenblas.so.0"
    ln -sfn mawk "$1/usr/bin/awk"
    ln -sfn mawk "$1/opt/amd64/usr/bin/awk"
    printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >"$1/etc/passwd"
    printf 'root:x:0:\nnogroup:x:65534:\n' >"$1/etc/group"
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$1/etc/hosts"
    in_arm64 "$1" ldconfig
}

make_arm64_root() {
    local packages
    packages="$arm64_base $(sed '/^# What further/,$d;s/#.*//' tests/packages.txt | grep -vxE "$arm64_without" | tr '\n' ' ')"
    [ ! -e "$1/made" ] || [ "$(cat "$1/made")" != "$packages" ] || return 0
    rm -rf "$1" && mkdir -p "$1"/{proc,sys,dev,tmp,root,etc,opt/amd64} && chmod 1777 "$1/tmp" && one_usr "$1" &&
        one_usr "$1/opt/amd64" || return
    # shellcheck disable=SC2086
    unpack arm64 "$1" $packages && unpack amd64 "$1/opt/amd64" $arm64_tools || return
    # Programs of amd64 find their loader and their libraries. The machine is that of the root.
    ln -sfn /opt/amd64/usr/lib/x86_64-linux-gnu "$1/usr/lib/x86_64-linux-gnu" &&
        ln -sfn /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$1/usr/lib64/ld-linux-x86-64.so.2" &&
        rm -f "$1"/opt/amd64/usr/bin/{uname,arch} && link_alternatives "$1" && echo "$packages" >"$1/made"
}

use_arm64_compiler() {
    local name
    mkdir -p "$1/usr/local/bin"
    for name in gcc-12 g++-12 gfortran-12 as ld nm ar ranlib readelf strip objdump objcopy; do
        ln -sfn "/opt/amd64/usr/bin/aarch64-linux-gnu-$name" "$1/usr/local/bin/${name%-12}"
        [ "$2" = native ] || rm -f "$1/usr/local/bin/${name%-12}"
    done
    ln -sfn "$([ "$2" = native ] && echo gcc || echo /usr/bin/gcc)" "$1/usr/local/bin/cc"
}

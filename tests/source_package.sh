# source_package.sh - sourced: source packages of Debian, by a configuration of apt that is used for them alone.

# source_package FOLDER PACKAGE: downloads the original archive of PACKAGE to FOLDER/apt
source_package() {
    local apt=$1/apt mirror release
    mirror=$(sed -nE 's/^(URIs: *|deb (\[.*\] )?)(https?:[^ ]*debian.org\/debian\/?).*/\3/p' /etc/apt/sources.list \
        /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$apt/lists/partial" || return
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $release main" >"$apt/sources.list"
    set -- "$2" -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o \
        Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache"
    (cd "$apt" && apt-get "${@:2}" update && apt-get "${@:2}" source --download-only --tar-only "$1")
}

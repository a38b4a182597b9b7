# quick_starts.sh - sourced by tap.sh: programs that tests start hundreds of times, without what makes them start slowly.
#
# Debian links libsimgrid with 25 libraries of ns-3, for a network model that no test uses. To load them costs each process more
# CPU time than a short replay takes. Libraries of the same names stand in for them, in which each symbol that libsimgrid needs
# is a function that returns 0, or zeros. tests/cli/replay.sh checks that a replay with ns-3 itself predicts the same.
#
# python3 is Debian's, which has the modules of packages.txt, and none that a version manager starts with scripts of its own.
make_quick_starts() { # FOLDER
    local libsimgrid name
    [ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$1/python3"
    libsimgrid=$(${CC:-gcc} -print-file-name=libsimgrid.so)
    nm -D --undefined-only "$libsimgrid" 2>/dev/null | awk '$2 ~ /3ns3/ {
        print $2 ~ /^_ZT/ || $2 ~ /[0-9]g_/ ? "char " $2 "[4096];" : "long " $2 "(void) { return 0; }" }' >"$1/ns3.c"
    [ -s "$1/ns3.c" ] || return 0 # SimGrid was built without it
    mkdir "$1/ns3" || return
    for name in $(readelf -d "$libsimgrid" | sed -n 's/.*(NEEDED).*\[\(libns3-.*\)\]/\1/p'); do
        ${CC:-gcc} -shared -fPIC -Wl,-soname,"$name" -o "$1/ns3/$name" "$1/ns3.c" || return
    done
    # smpirun puts the folder of libsimgrid ahead of all others.
    ! name=$(command -v "$SMPIRUN") ||
        { printf '#!/bin/sh\nexec "%s" -wrapper "env LD_LIBRARY_PATH=%s/ns3" "$@"\n' "$name" "$quick_starts" >"$1/smpirun" &&
        chmod +x "$1/smpirun"; }
}
quick_starts=$(cd "$top_builddir" && pwd)/tests/quick-starts
# Made by the first script, and again after configure; others wait for it.
if [ ! "$quick_starts" -nt "$top_builddir/config.status" ]; then
    (
        flock 9
        [ ! "$quick_starts" -nt "$top_builddir/config.status" ] || exit
        rm -rf "$quick_starts"
        mkdir "$quick_starts.new" && make_quick_starts "$quick_starts.new" && mv -T "$quick_starts.new" "$quick_starts"
        rm -rf "$quick_starts.new"
    ) 9>"$quick_starts.lock" 2>/dev/null
fi
[ ! -x "$quick_starts/python3" ] || PATH=$quick_starts:$PATH
[ ! -d "$quick_starts/ns3" ] || export LD_LIBRARY_PATH=$quick_starts/ns3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ ! -x "$quick_starts/smpirun" ] || SMPIRUN=$quick_starts/smpirun

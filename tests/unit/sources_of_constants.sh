# sources_of_constants.sh - in every shipped file of constants, each run of constants has a comment directly above it, for its source.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# commented FILE...: each run of lines that are no comments, in XML the element of the platform, follows a comment or has one
commented() {
    awk 'FNR == 1 { comment = run = 0 }
        /^ *(#|<!--)/ || /-->$/ { comment = 1; run = 0; next }
        /^ *$/ { comment = run = 0; next }
        FILENAME ~ /\.xml$/ && !/^ *<platform/ { next }
        !run && !comment && !/#/ { print FILENAME ":" FNR ": has no comment above it"; bad = 1 }
        { run = 1 }
        END { exit bad || !NR }' "$@"
}

for folder in "$top_srcdir"/platforms/*/; do
    [ -e "$folder/platform.xml" ] || continue
    mapfile -t files < <(find "$folder" -name model.conf -o -name options.conf -o -name platform.conf -o -name platform.xml)
    check "$(basename "$folder"): all constants have a comment above them" commented "${files[@]}"
done
check 'noise: all files have a comment above their times' commented "$top_srcdir"/platforms/noise/{altix,chic,jaguar,zeptoos}

printf '# Measured here.\na = 1;\n\nb = 2;\n' >"$scratch/bare.conf"
printf '<?xml version="1.0"?>\n<platform version="4.1">\n</platform>\n' >"$scratch/bare.xml"
check_exit 1 'constants without a comment are found' commented "$scratch/bare.conf"
check_exit 1 'those of an XML file, too' commented "$scratch/bare.xml"
check 'kernels are calibrated' "$timeless" calibrate kernels --nb 32 --max-seconds 0 --archive none -o "$scratch/here"
check 'all constants of the fresh model have a comment above them' commented "$scratch/here/model.conf"
check 'it states its command and the moment of its measurement' \
    test "$(sed -n 1,3p "$scratch/here/model.conf" | grep -cE "^# Measured (by 'timeless calibrate kernels' |at 20)")" = 2
tap_done

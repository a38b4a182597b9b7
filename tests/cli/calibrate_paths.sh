# calibrate_paths.sh - sourced by the tests of calibrations.
#
#   refuses_paths COMMAND... [-- WORD...]   the command with these options, and the words behind them, refuses outputs and
#                                           archives that it cannot write or must not overwrite, before it measures
refuses_paths() {
    calibration=() behind=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do calibration+=("$1"); shift; done
    behind=("$@")
    echo 'notes of the user' | tee notes >notes.conf
    check 'an output that is no model' leaves_notes 2 'notes.conf: exists and is not a compute model, so it is not overwritten' \
        -o notes.conf
    check 'an output that is a file of another kind' leaves_notes 4 \
        "'notes': is no folder; make one with 'timeless calibrate kernels', or give a FILE.conf" -o notes
    check 'an output without a name' leaves_notes 4 "'': is no folder" -o ''
    check 'an output in a folder that is not there' leaves_notes 4 \
        'nowhere/x.conf: cannot be written: No such file or directory; check the folder and its rights' -o nowhere/x.conf
    check 'a folder without a model' leaves_notes 4 'empty/model.conf: cannot be opened' -o empty
    check 'a model that is not there is named at once' leaves_notes 4 'none.conf: cannot be opened' -o new.conf --model none.conf
    check 'an archive in place of a file' leaves_notes 2 'notes: exists, so it is not overwritten' -o \
        new.conf --archive notes
}
leaves_notes() { # CODE TEXT OPTION...
    refused "$1" "$2" timeout 20 "${calibration[@]}" "${@:3}" "${behind[@]}" && grep -qx 'notes of the user' notes && cmp notes notes.conf
}

#!/usr/bin/env bash
# The numbers of the public enumerators never change: programs and traces contain them.
. "$(dirname "$0")/../tap.sh"
released=$top_srcdir/tests/golden/numbers.txt
cc="${CC:-cc} -DTIMELESS_EXPERIMENTAL"
enumerators() { # [implicit]: of the public headers
    printf '#include "timeless.h"\n#include "timeless_files.h"\n' >"$scratch/all.c"
    $cc -E -P -I"$top_srcdir/compress" "$scratch/all.c" | python3 "$top_srcdir/tests/golden/enumerators.py" "$@" | grep '^TL_'
}
# print NAMES: "NAME NUMBER" of each, as the compiler knows them; an unknown name does not compile
print_numbers() {
    {
        printf '#include <stdio.h>\n#include "timeless.h"\n#include "timeless_files.h"\nint main(void) {\n'
        sed 's/.*/printf("& %lld\\n", (long long)&);/'
        printf 'return 0; }\n'
    } >"$scratch/print.c"
    $cc -I"$top_srcdir/compress" -o "$scratch/print" "$scratch/print.c" && "$scratch/print"
}
enumerators | print_numbers | LC_ALL=C sort >"$scratch/now"
released_are_same() { grep -v '^#' "$released" | sed 's/ .*//' | print_numbers | diff -u <(grep -v '^#' "$released") -; }
all_are_listed() { diff <(grep -v '^#' "$released" | LC_ALL=C sort) "$scratch/now" | grep '^>'; }
check 'the headers have enumerators' test "$(wc -l <"$scratch/now")" -gt 500
check 'no number of tests/golden/numbers.txt has changed' released_are_same
check_exit 1 'every enumerator is in tests/golden/numbers.txt (new ones: add their lines)' all_are_listed
check_exit 1 'every enumerator has its number in the header' enumerators implicit
one_number() { sed -n 's/^TL_ACTION_[A-Z_]* //p' "$scratch/now" | sort | uniq -d | grep .; }
check_exit 1 'no two actions have the same number' one_number

# A row in the middle without a number is noticed.
sed 's/^ *TL_ACTION_RECV = .*/    TL_ACTION_NEW,\n&/' "$top_srcdir/compress/timeless.h" >"$scratch/timeless.h"
cp "$top_srcdir"/compress/{timeless_convert.h,timeless_files.h,timeless_source.h,mpi_calls.def,kernels.def} "$scratch"
added() { $cc -E -P -I"$scratch" "$scratch/timeless.h" | python3 "$top_srcdir/tests/golden/enumerators.py" implicit |
    grep -x TL_ACTION_NEW; }
check 'an action without a number is noticed' added
tap_done

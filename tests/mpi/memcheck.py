"""memcheck.py LIBRARY FILE... - the errors in Valgrind's XML reports that are of this library's making.

An error is the library's when the innermost frame outside of the C library, zstd and Valgrind itself is
in it: what MPI does inside of a call that the library passes on is MPI's.  Prints each once; fails if
there is any, or if a report has no end.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

PASSED_OVER = ("libc.so", "libzstd.so", "vgpreload", "ld-linux")


def culprit(error):
    for frame in error.find("stack").findall("frame"):
        name = os.path.basename(frame.findtext("obj", ""))
        if not name.startswith(PASSED_OVER):
            return name, frame
    return "", None


def main():
    library, found = sys.argv[1], set()
    for path in sys.argv[2:]:
        root = ElementTree.parse(path).getroot()
        if root.findall("status")[-1].findtext("state") != "FINISHED":
            sys.exit(f"{path}: the run did not end")
        for error in root.findall("error"):
            name, frame = culprit(error)
            if name == library:
                what = error.findtext("what") or error.findtext("xwhat/text")
                found.add(f'{what} in {frame.findtext("fn")} ({frame.findtext("file")}:{frame.findtext("line")})')
    print("\n".join(sorted(found)))
    sys.exit(bool(found))


main()

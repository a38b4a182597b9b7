"""enumerators.py - the enumerators of C headers, from what the preprocessor leaves of them.

    cc -E -P HEADER | python3 enumerators.py            their names, a line each
    cc -E -P HEADER | python3 enumerators.py implicit   those without a number of their own

Exit code 1 if there is none.
"""
import re
import sys

names = []
for body in re.findall(r"\benum\b\s*\w*\s*\{(.*?)\}", sys.stdin.read(), re.S):
    for entry in filter(None, (e.strip() for e in body.split(","))):
        name, _, value = entry.partition("=")
        if not (len(sys.argv) > 1 and value.strip()):
            names.append(name.strip())
print("\n".join(names))
sys.exit(not names)

"""skeleton_texts.py N FOLDER FILE...: writes N damaged copies of skeletons, the same ones in each run.

A copy loses a character, a word or a line, gets one more, or has two of them exchanged.  No change makes a number longer, so
that no copy is a program with many more events.
"""
import random
import re
import sys

SIGNS = list("+-*/%<>=!&|^?:(){}[],#\"\\@.$\t\0\x80") + [
    "null", "rank", "by", "to", "let", "if", "else", "for", "param", "grid", "MPI_Send", "dgemm", "request", "all", "9", "0", "-1", "draw", "distribution", "seed"]


def damage(text, draw):
    if not text:
        return text
    if draw.random() < 0.3:
        lines = text.split("\n")
        i, k = draw.randrange(len(lines)), draw.randrange(len(lines))
        if draw.random() < 0.5:
            del lines[i]
        else:
            lines[i], lines[k] = lines[k], lines[i]
        return "\n".join(lines)
    words = re.findall(r"\w+|\s+|\W", text)
    i = draw.randrange(len(words))
    how = draw.randrange(4)
    if how == 0:
        del words[i]
    elif how == 1:
        words[i] = draw.choice(SIGNS)
    elif how == 2:
        words.insert(i, " " + draw.choice(SIGNS) + " ")
    else:
        return "".join(words)[:draw.randrange(len(text))]
    return "".join(words)


def main():
    n, folder, files = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    draw = random.Random(22)
    for i in range(n):
        with open(files[i % len(files)], encoding="latin-1") as file:
            text = file.read()
        for _ in range(1 + i % 3):
            text = damage(text, draw)
        with open(f"{folder}/{i}.skel", "w", encoding="latin-1") as file:
            file.write(text)


main()

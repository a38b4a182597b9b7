"""flip_bits.py FILE N OUT: writes OUT.0 .. OUT.N-1, each FILE with one bit flipped at a random place."""
import random
import sys

data = open(sys.argv[1], "rb").read()
rng = random.Random(20240501)
for i in range(int(sys.argv[2])):
    place = rng.randrange(8 * len(data))
    flipped = bytearray(data)
    flipped[place // 8] ^= 1 << place % 8
    with open(f"{sys.argv[3]}.{i}", "wb") as out:
        out.write(flipped)

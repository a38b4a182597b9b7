"""A second reader of the trace file, written from doc/FORMAT.md alone: prints every event as one line of
numbers.  It keeps the page honest; it is slow and knows no damage."""
import ctypes
import os
import struct
import sys

M64 = (1 << 64) - 1


def xxh64(data, seed):
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    rotl = lambda x, r: ((x << r) | (x >> (64 - r))) & M64
    step = lambda acc, lane: rotl((acc + lane * p2) & M64, 31) * p1 & M64
    n, i = len(data), 0
    if n >= 32:
        v = [(seed + p1 + p2) & M64, (seed + p2) & M64, seed, (seed - p1) & M64]
        while i + 32 <= n:
            for k, lane in enumerate(struct.unpack_from("<4Q", data, i)):
                v[k] = step(v[k], lane)
            i += 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & M64
        for x in v:
            h = ((h ^ step(0, x)) * p1 + p4) & M64
    else:
        h = (seed + p5) & M64
    h = (h + n) & M64
    while i + 8 <= n:
        h = (rotl(h ^ step(0, struct.unpack_from("<Q", data, i)[0]), 27) * p1 + p4) & M64
        i += 8
    if i + 4 <= n:
        h = (rotl(h ^ (struct.unpack_from("<I", data, i)[0] * p1 & M64), 23) * p2 + p3) & M64
        i += 4
    for byte in data[i:]:
        h = rotl(h ^ (byte * p5 & M64), 11) * p1 & M64
    h = (h ^ (h >> 33)) * p2 & M64
    h = (h ^ (h >> 29)) * p3 & M64
    return h ^ (h >> 32)


def unzstd(data, size):
    z = ctypes.CDLL("libzstd.so.1")
    z.ZSTD_decompress.restype = ctypes.c_size_t
    z.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size)
    assert z.ZSTD_decompress(out, size, data, len(data)) == size
    return out.raw


class Stream:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        z = self.varint()
        return (z >> 1) ^ -(z & 1)

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


SLOTS = [(2, "peer"), (3, "tag"), (6, "recv_peer"), (7, "recv_tag"), (8, "comm"), (0, "count"), (1, "type_bytes"),
         (4, "recv_count"), (5, "recv_type_bytes"), (9, "request"), (10, "new_comm"), (11, "flags")]
STREAMS = ["control", "masks", "polls", "peers", "names", "counts", "types", "elements", "lists", "volumes", "clocks"]
STREAM_OF = {"polls": 2, "peer": 3, "recv_peer": 3, "count": 5, "recv_count": 5, "type_bytes": 6, "recv_type_bytes": 6,
             "e0": 7, "e1": 7, "e2": 7}  # others 4
UNSIGNED = {"polls", "comm", "request", "new_comm", "flags", "list_len", "e0", "e1", "e2"}
signed = lambda v: v - (1 << 64) if v >> 63 else v


class Value:
    def __init__(self, number):
        self.number = number
        self.last = self.delta = self.stride = self.settled = 0
        self.scores = [0, 0, 0]


class Context:
    def __init__(self, call, site, mask, n_values):
        self.call, self.site, self.mask = call, site, mask
        self.names = ["polls"] + [name for bit, name in SLOTS if mask >> bit & 1]
        if mask >> 13 & 1:
            self.names += ["list_len", "e0", "e1", "e2"]
        self.values = [Value(n_values + i) for i in range(len(self.names))]
        self.volume = self.room = 0
        self.tail = []


class Exceptions:
    def __init__(self):
        self.sets = {}
        self.noted = self.useful = 0
        self.hopeless = False

    def find(self, i, x, y):
        g = (i * 0x9E3779B97F4A7C15 + x * 0xC2B2AE3D27D4EB4F + y * 0x165667B19E3779F9) & M64
        g = (g ^ g >> 32) * 0x9E3779B97F4A7C15 & M64
        places, check = self.sets.setdefault(g >> 55, [(0, 0)] * 4), g & 0xFFFFFFFF | 1
        found = [k for k in range(4) if places[k][1] == check]
        return places, check, found[-1] if found else None


def next_value(r, exceptions, peer, difference):
    """The value of r, of which `difference` to its prediction is known."""
    straight = best = r.last + r.stride & M64
    plain = r.settled == 32 or exceptions.hopeless
    if not plain:
        situations = [exceptions.find(2 * r.number, r.last, r.delta), exceptions.find(2 * r.number + 1, peer, 0)]
        guesses = [straight] + [p[f][0] if f is not None else straight for p, _, f in situations]
        scores = r.scores
        best = guesses[max(range(3), key=lambda way: (scores[way], way))]
    v = best + difference & M64
    if plain:
        if v != straight and r.settled == 32:
            r.settled = 0
    else:
        exceptions.useful += v == best != straight
        r.scores = [min(s + 1, 15) if g == v else (s + 1) // 2 for s, g in zip(scores, guesses)]
        for places, check, found in situations:
            if found is not None:
                if v != straight:
                    places[found] = (v, places[found][1])
                elif places[found][0] != v:
                    places[found] = (0, 0)
            elif v != straight:
                empty = [k for k in range(3) if not places[k][1]]
                del places[empty[0] if empty else 3]
                places.insert(0, (v, check))
                exceptions.noted += 1
                if exceptions.noted % 4096 == 0 and exceptions.useful < exceptions.noted // 4:
                    exceptions.hopeless = True
        r.settled = r.settled + 1 if v == straight else 0
    d = v - r.last & M64
    if d == r.delta:
        r.stride = d
    r.delta, r.last = d, v
    return v


def absolute(v, rank):
    v = signed(v)
    return (v - 1) // 2 if v & 1 else v // 2 + rank


def split(raw, n):
    """Lengths and streams."""
    s = Stream(raw)
    lengths = [s.varint() for _ in range(n)]
    parts = [s.take(n) for n in lengths]
    assert s.at == len(raw)
    return parts


def frame(parts, n_events, rank, end, is_open=False):
    """`is_open`: the streams but control and volumes go on behind the frame."""
    streams = [Stream(p) for p in parts]
    control, masks, *_, lists, volumes, clocks = streams
    contexts, followed, exceptions = [Context(0, 0, 0, 0)], {}, Exceptions()
    history, seen, m, h = [None] * 8192, {}, None, 0
    a = b = clock = used = run = same_volumes = peer = n_values = 0
    for k in range(n_events):
        byte = 0
        if not run:
            byte = control.take(1)[0]
            if byte & 8:
                run = 1 + (byte >> 4)
                if run == 16:
                    run += control.varint()
                byte &= 7
                assert byte == 0
        run -= run > 0
        key = (b * 67 + a) % 1024
        how = byte & 3
        if how == 3:
            contexts.append(Context(control.varint(), control.varint(), control.varint(), n_values))
            n_values += len(contexts[-1].values)
            x = len(contexts) - 1
        elif how == 2:
            x = control.varint()
        else:
            x = history[m] if how == 0 and m is not None else followed[key]
        c = contexts[x]
        surprises = masks.varint() if byte & 4 else 0
        e = {"call": c.call, "site": c.site}
        for i, (name, r) in enumerate(zip(c.names, c.values)):
            v = next_value(r, exceptions, peer,
                           streams[STREAM_OF.get(name, 4)].zigzag() if surprises >> i & 1 else 0)
            if name == "peer":
                peer = v
            if name in ("peer", "recv_peer") and c.mask >> 20 & 1:
                e[name] = absolute(v, rank)
            else:
                e[name] = v if name in UNSIGNED else signed(v)
        if c.mask >> 13 & 1:
            n = e.pop("list_len")
            elements = [e.pop("e0"), e.pop("e1"), e.pop("e2")][:n]
            if n > 3:
                if surprises >> len(c.names) & 1:
                    for i in range(n - 3):
                        base = c.tail[i] if i < len(c.tail) else elements[-1]
                        elements.append((base + lists.zigzag()) & M64)
                else:
                    elements += c.tail[:n - 3]
                    assert len(elements) == n
                if n - 3 > c.room:
                    room = 4
                    while room < n - 3:
                        room *= 2
                    if room <= 4096 - used:
                        c.room = room
                        used += room
                c.tail = elements[3:][:c.room]
            e["list"] = [signed(v) for v in elements]
        if same_volumes:
            same_volumes -= 1
        else:
            difference = volumes.zigzag()
            c.volume = (c.volume + difference) & M64
            if not difference:
                same_volumes = volumes.varint()
        e["volume"] = c.volume
        if c.mask >> 12 & 1:
            clock = ((end[1] if c.mask >> 21 & 1 else clock) + clocks.zigzag()) & M64
            e["clock_ns"] = clock
        if c.mask >> 14 & 1:
            e["took_ns"] = clocks.varint()
        followed[key] = x
        right = m is not None and history[m] == x
        history[k % 8192] = x
        h = (h << 8 ^ x) & 0xFFFFFFFF
        s = (h * 0x9E3779B1 & 0xFFFFFFFF) >> 21
        m = (m + 1) % 8192 if right else seen.get(s)
        seen[s] = (k + 1) % 8192
        a, b = x, a
        yield e
    assert not run and not same_volumes
    for s in streams:
        assert s.at == len(s.data) or is_open and s not in (control, volumes)


def group(s):
    wanted, members = s.varint(), []
    while len(members) < wanted:
        first, stride, count = s.varint(), s.zigzag(), s.varint()
        assert count
        members += [first + stride * i for i in range(count)]
    assert len(members) == wanted
    return members


def counters(raw):
    s = Stream(raw)
    while s.at < len(raw):
        kind = s.take(1)[0]
        body = Stream(s.take(s.varint()))
        if kind == 5:
            body.varint()
            yield body.take(body.varint()).decode(), body.varint()


def clock(raw, before):
    """Why the clock is not comparable: the last definition of kind 7."""
    s = Stream(raw)
    while s.at < len(raw):
        kind = s.take(1)[0]
        body = Stream(s.take(s.varint()))
        if kind == 7:
            before = body.take(body.varint()).decode()
    return before


def sites(raw, objects, found):
    """The object files into a list, the call sites into a dict."""
    s = Stream(raw)
    while s.at < len(raw):
        kind = s.take(1)[0]
        body = Stream(s.take(s.varint()))
        text = lambda: body.take(body.varint()).decode()
        if kind == 8:
            objects.append({"name": text(), "path": text(), "build_id": text()})
        elif kind == 3:
            number, site = body.varint(), {"object": text(), "offset": body.varint(), "source": [], "caller": 0}
            if body.at < len(body.data):
                site["source"] = [(text(), text(), body.varint()) for _ in range(body.varint())]
            if body.at < len(body.data):
                site["caller"] = body.varint()
            assert number not in found and site["caller"] < number
            found[number] = site


def definitions(raw, kernels):
    """The communicators, windows and files among the definitions; the program's kernels into a dict."""
    s = Stream(raw)
    while s.at < len(raw):
        kind = s.take(1)[0]
        body = Stream(s.take(s.varint()))
        if kind == 4:
            number = body.varint()
            kernels[number] = body.take(body.varint()).decode()
        if kind != 2:
            continue
        c = {"id": body.varint(), "parent": body.varint(), "call": body.varint(), "members": group(body)}
        c.update(remote=[], sources=[], destinations=[], name="")
        if body.at < len(body.data):
            c["remote"] = group(body)
            c["sources"] = [body.zigzag() for _ in range(body.varint())]
            c["destinations"] = [body.zigzag() for _ in range(body.varint())]
            c["name"] = body.take(body.varint()).decode()
        c["tag"] = body.zigzag() if body.at < len(body.data) else None
        yield c


def take(r, kind, sequence, volume, n, payload):
    """A chunk of one rank."""
    assert sequence == r["sequence"] and r["end"] is None
    r["sequence"] += 1
    if kind == 1:
        r["comms"] += definitions(payload, r["kernels"])
        r["counters"].update(counters(payload))
        sites(payload, r["objects"], r["sites"])
        r["clock"] = clock(payload, r["clock"])
    elif kind == 2:
        r["frames"].append((n, volume, payload))
        r["n"] += n
    elif kind == 3:
        r["end"] = struct.unpack("<IQ", payload)
    else:
        assert kind >= 128


def block(raw, ranks, span, at, frames):
    """`frames`: the streams of those before that are their own, by place of the block and number in it."""
    heads, others, *streams = [Stream(p) for p in split(raw, 2 + len(STREAMS))]
    rank = number = clock = 0
    while heads.at < len(heads.data):
        kind = heads.take(1)[0]
        rank += heads.zigzag()
        assert rank in span
        sequence = heads.varint()
        n = volume = 0
        if kind == 2:
            n, volume, based = heads.varint(), heads.varint(), heads.varint()
            base = frames[at - heads.varint(), heads.varint()] if based else None
            payload = [base[i] if based >> i & 1 else s.take(heads.varint()) for i, s in enumerate(streams)]
            if not based:
                frames[at, number] = payload
        elif kind == 3:
            reason = heads.varint()
            clock += heads.zigzag()
            payload = struct.pack("<IQ", reason, clock)
        else:
            payload = others.take(heads.varint())
        take(ranks[rank], kind, sequence, volume, n, payload)
        number += 1
    assert number <= 1024
    for s in [others] + streams:
        assert s.at == len(s.data)


def varint(n):
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def read_open(path, seed, ranks):
    """What ranks without an end have in PATH.open."""
    if not os.path.exists(path) or all(r["end"] for r in ranks):
        return
    data = open(path, "rb").read()
    magic, version, slot_bytes, owner, n_slots = struct.unpack_from("<8sIIQI", data)
    if magic != b"\x89TLo\r\n\x1a\n" or version != 1 or slot_bytes != 1 << 20 or owner != seed:
        return
    for i in range(n_slots):
        slot = data[(i + 1) << 20:(i + 2) << 20].ljust(1 << 20, b"\0")
        number, n = struct.unpack_from("<I4xQ", slot)
        sequence, n_events, before, volume, n_definitions, n_control, run, n_volumes, same = \
            struct.unpack_from("<IIQQIIIII", slot, 64 + 64 * (n % 2))
        r = ranks[number]
        # The chunks of the slot that the file already has.
        pending = (n_definitions > 0) + (n_events > 0)
        written = r["sequence"] - sequence
        if not n or r["end"] or not 0 <= written <= pending:
            continue
        if r["n"] - before != (n_events if written == pending else 0):
            continue
        areas = [slot[(1 + k) << 16:(2 + k) << 16] for k in range(len(STREAMS) + 1)]
        if n_definitions and written == 0:
            take(r, 1, sequence, 0, 0, areas[-1][:n_definitions])
        if n_events and written < pending:
            areas[0] = areas[0][:n_control]
            if run:
                areas[0] += bytes([8 | run - 1 << 4]) if run < 16 else b"\xf8" + varint(run - 16)
            areas[9] = areas[9][:n_volumes] + (varint(same - 1) if same else b"")
            take(r, 2, r["sequence"], volume, n_events, areas[:len(STREAMS)])
            r["open"] = True


def read_pairs(path):
    """The pairs of the header."""
    data = open(path, "rb").read()
    at, pairs = 24, {}
    for _ in range(struct.unpack_from("<I", data, 20)[0]):
        key, value = struct.unpack_from("<HI", data, at)
        at += 6 + key + value
        pairs[data[at - key - value:at - value].decode()] = data[at - value:at].decode(errors="replace")
    assert at + 8 == struct.unpack_from("<I", data, 12)[0]
    return pairs


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89TLS\r\n\x1a\n"
    major, _, size, n_ranks, n_pairs = struct.unpack_from("<HHIII", data, 8)
    assert major == 1
    seed = struct.unpack_from("<Q", data, size - 8)[0]
    assert xxh64(data[:size - 8], 0) == seed
    ranks = [{"comms": [], "kernels": {}, "counters": {}, "clock": "", "objects": [], "sites": {}, "events": [], "frames": [], "n": 0, "sequence": 0, "end": None}
             for _ in range(n_ranks)]
    at, frames = size, {}
    while at < len(data):
        h = data[at:at + 56]
        kind, packing, zero, rank, sequence, first, volume, n, raw_size, stored_size, check, checksum = \
            struct.unpack("<4xBBHIIQQIIIIQ", h)
        stored = data[at + 56:at + 56 + stored_size]
        assert h[:4] == b"TLck" and zero == 0 and xxh64(h[:44], seed) & 0xFFFFFFFF == check
        assert xxh64(h[:48] + stored, seed) == checksum
        raw = unzstd(stored, raw_size) if packing else stored
        if kind == 4:
            assert sequence == volume == n == 0
            block(raw, ranks, range(rank, first + 1), at, frames)
        else:
            assert first == ranks[rank]["n"]
            take(ranks[rank], kind, sequence, volume, n, split(raw, len(STREAMS)) if kind == 2 else raw)
        at += 56 + stored_size
    read_open(path + ".open", seed, ranks)
    for number, r in enumerate(ranks):
        for n, volume, parts in r["frames"]:
            events = list(frame(parts, n, number, r["end"], "open" in r and parts is r["frames"][-1][2]))
            assert sum(e["volume"] for e in events) & M64 == volume
            r["events"] += events
    return ranks


if __name__ == "__main__":
    for number, one in enumerate(read(sys.argv[1])):
        for c in one["comms"]:
            print(number, "comm", " ".join(f"{k}={v}" for k, v in sorted(c.items())))
        for name, value in one["counters"].items():
            print(number, "counter", name, value)
        for o in one["objects"]:
            print(number, "object", " ".join(f"{k}={v}" for k, v in o.items()))
        for site, s in sorted(one["sites"].items()):
            print(number, "site", site, s["object"], s["offset"], *s["source"], "caller", s["caller"])
        for kernel, name in sorted(one["kernels"].items()):
            print(number, "kernel", kernel, name)
        for i, e in enumerate(one["events"]):
            print(number, i, " ".join(f"{k}={v}" for k, v in sorted(e.items())))

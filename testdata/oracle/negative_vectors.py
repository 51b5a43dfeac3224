"""Streams that are wrong, each in one way, and what a reader must say of each: for ../negative/*.json.

A vector is one stream, the key, ad and (libsodium) chunk size that its reader is given, and the outcome:

    error     the error, or null for a stream that is right: those stand beside the wrong ones that resemble them
    value     the number that the error carries, or null
    plaintext, sha256     how many bytes come out before the end or the error, and their hash
    accept    the settings of a reader that all have this outcome: v1, v2, any (of the two), libsodium
    auto      whether a reader that has to find the format out ends as one that is told

A stream is a list of parts: a string is bytes in hexadecimal, a number that many zero bytes. Large frames
have a ciphertext of zeros, so that they are authentic, whole and short to write down.
"""

import hashlib
import struct

from ss55_oracle import MAGIC, SecretStream, aead_seal, hchacha, keystream, v2_header

KEY = bytes((0x3C ^ (i * 29)) & 255 for i in range(32))
OTHER_KEY = bytes((0xC3 ^ (i * 29)) & 255 for i in range(32))
NONCE = bytes((i * 11 + 0x21) & 255 for i in range(24))
OTHER_NONCE = bytes((i * 13 + 0x92) & 255 for i in range(24))
AD = b"ad"

AUTHENTICATION, TRUNCATED, TRAILING = "Authentication", "Truncated", "TrailingData"
BAD_MAGIC, VERSION, FLAGS = "BadMagic", "UnsupportedVersion", "UnsupportedFlags"
BAD_LENGTH, TAG = "BadLength", "UnknownTag"


def pat(length):
    """Byte i is 7i + 3."""
    return bytes((i * 7 + 3) & 255 for i in range(length))


def flip(data, at, mask=1):
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def be32(number):
    return struct.pack(">I", number)


def parts(stream):
    """Runs of 256 zeros and more as their number."""
    out, start, at = [], 0, 0
    while at < len(stream):
        end = at
        while end < len(stream) and stream[end] == 0:
            end += 1
        if end - at >= 256:
            if at > start:
                out.append(stream[start:at].hex())
            out.append(end - at)
            start = end
        at = max(end, at + 1)
    if start < len(stream):
        out.append(stream[start:].hex())
    return out


class Vectors:
    """The vectors of one format, and what is usual there."""

    def __init__(self, accept, **usual):
        self.accept = accept
        self.usual = usual
        self.vectors = []

    def add(self, name, stream, error=None, value=None, out=b"", key=KEY, accept=None, auto=True, **reader):
        assert all(name != vector["name"] for vector in self.vectors), name
        self.vectors.append(
            {
                "name": name,
                "key": key.hex(),
                **self.usual,
                **reader,
                "accept": accept or self.accept,
                "auto": auto,
                "stream": parts(stream),
                "error": error,
                "value": value,
                "plaintext": len(out),
                "sha256": hashlib.sha256(out).hexdigest(),
            }
        )


def structure(pieces, inside):
    """Where a stream may be cut: around every edge of its pieces, and at the edges inside of them."""
    points, start = {0, 1}, 0
    for number, piece in enumerate(pieces):
        end = start + len(piece)
        points |= {start + 1, end - 1, end}
        points |= {start + at if at >= 0 else end + at for at in inside(number)}
        start = end
    return sorted(at for at in points if 0 <= at < start)


def whole(pieces, cut):
    """How many pieces are whole in a stream that ends at `cut`."""
    count = 0
    while count < len(pieces) and sum(map(len, pieces[: count + 1])) <= cut:
        count += 1
    return count


# SS55 v2


def v2_frame(seq, plaintext, ad=AD, tag=0, key=KEY, nonce=NONCE, aad=None):
    """Like v2_frame of the oracle, with an AAD to choose. `plaintext` may be a number: ciphertext zeros."""
    sub, n12 = hchacha(key, nonce[:16]), nonce[16:20] + struct.pack(">Q", seq)
    if isinstance(plaintext, int):
        plaintext = keystream(sub, n12, 1, plaintext)
    if aad is None:
        aad = MAGIC + struct.pack(">QBI", seq, tag, len(ad)) + ad
    ciphertext, mac = aead_seal(sub, n12, aad, plaintext)
    return be32(17 + len(plaintext)) + bytes([tag]) + ciphertext + mac


def v2_final(seq, **how):
    return v2_frame(seq, b"", ad=how.pop("ad", b""), tag=3, **how)


def v2():
    vectors = Vectors(["v2", "any"], ad=AD.hex())
    add = vectors.add
    header = v2_header(NONCE)
    texts = [b"first", b"", pat(40)]
    a, b, c = frames = [v2_frame(seq, text) for seq, text in enumerate(texts)]
    end = v2_final(3)
    pieces = [header, *frames, end]
    stream, everything = b"".join(pieces), b"".join(texts)
    out_of = lambda count: b"".join(texts[: max(count, 0)])

    add("whole", stream, out=everything)
    add("empty", header + v2_final(0))
    add("empty message frames only", header + v2_frame(0, b"") + v2_frame(1, b"") + v2_final(2))

    inside = lambda number: [8, 10, 12, 28, 32] if number == 0 else [3, 4, 5, -17, -16]
    for cut in structure(pieces, inside):
        add(f"cut to {cut} bytes", stream[:cut], TRUNCATED, out=out_of(whole(pieces, cut) - 1))
    for at in range(8):
        add(f"magic: byte {at}", flip(stream, at), BAD_MAGIC, accept=["v2"], auto=False)
    add("magic: SS55-v1", b"SS55-v1\0" + stream[8:], BAD_MAGIC, accept=["v2"])
    add("magic: not a byte of it", b"text, not a stream, but longer than a header", BAD_MAGIC, accept=["v2"], auto=False)
    for version in (0, 1, 3, 0x0102, 0x0200, 0xFFFF):
        fields = struct.pack(">H", version)
        add(f"version {version:#06x}", MAGIC + fields + stream[10:], VERSION, version)
        add(f"version {version:#06x} with flags", MAGIC + fields + b"\0\1" + stream[12:], VERSION, version)
    for flags in (1, 2, 0x0100, 0x8000, 0xFFFF):
        add(f"flags {flags:#06x}", stream[:10] + struct.pack(">H", flags) + stream[12:], FLAGS, flags)
    for at in range(12, 32):
        add(f"nonce: header byte {at}", flip(stream, at), AUTHENTICATION)
    for at in range(32, 36):
        add(f"nonce: header byte {at}, which counts for nothing", flip(stream, at, 0xFF), out=everything)

    for bit in (0, 7, 128, 255):
        add(f"wrong key: bit {bit}", stream, AUTHENTICATION, key=flip(KEY, bit // 8, 1 << bit % 8))
    for ad in (b"", b"a", b"ad\0", b"AD", b"da", AD * 100):
        add(f"wrong ad: {ad[:6]!r}, {len(ad)} bytes", stream, AUTHENTICATION, ad=ad.hex())
    add("another ad, but no frame that has one", header + v2_final(0), ad=b"another".hex())
    add("no ad, a byte less in the AAD", header + v2_frame(0, b"x", aad=MAGIC + bytes(12)), AUTHENTICATION, ad="")
    short_seq = MAGIC + struct.pack(">IBI", 0, 0, len(AD)) + AD
    add("AAD with a number of four bytes", header + v2_frame(0, b"x", aad=short_seq), AUTHENTICATION)
    add("AAD without the magic", header + v2_frame(0, b"x", aad=struct.pack(">QBI", 0, 0, 2) + AD), AUTHENTICATION)

    for number, (frame, name) in enumerate(zip((a, b, c, end), ("first", "empty", "third", "final"))):
        start, before = sum(map(len, pieces[: number + 1])), out_of(number)
        last = start + len(frame) - 1
        for what, at in (("mac, first byte", last - 15), ("mac, last byte", last), ("ciphertext", start + 5)):
            if what != "ciphertext" or len(frame) > 21:
                add(f"{name} frame: {what}", flip(stream, at, 0x10), AUTHENTICATION, out=before)
        length = len(frame) - 4
        shorter = stream[:start] + be32(length - 1) + stream[start + 4 :]
        longer = stream[:start] + be32(length + 1) + stream[start + 4 :]
        if number == 3:
            add("final frame: length + 1", longer, BAD_LENGTH, length + 1, out=before)
        else:
            add(f"{name} frame: length + 1", longer, AUTHENTICATION, out=before)
        if length == 17:
            add(f"{name} frame: length - 1", shorter, BAD_LENGTH, 16, out=before)
        else:
            add(f"{name} frame: length - 1", shorter, AUTHENTICATION, out=before)

    def order(name, frames, good, error=AUTHENTICATION):
        add(name, header + b"".join(frames), error, out=out_of(good))

    order("swapped: 0 and 1", [b, a, c, end], 0)
    order("swapped: 1 and 2", [a, c, b, end], 1)
    order("swapped: 2 and the final one", [a, b, end, c], 2)
    order("backwards", [end, c, b, a], 0)
    order("twice: 0", [a, a, b, c, end], 1)
    order("twice: 1, which is empty", [a, b, b, c, end], 2)
    order("twice: 2", [a, b, c, c, end], 3)
    order("dropped: 0", [b, c, end], 0)
    order("dropped: 1", [a, c, end], 1)
    order("dropped: 2", [a, b, end], 2)
    order("dropped: all messages", [end], 0)
    order("final frame only of another place", [v2_final(1)], 0)
    twin = dict(nonce=OTHER_NONCE)
    order("spliced: a frame of another stream", [a, v2_frame(1, b"", **twin), c, end], 1)
    order("spliced: the end of another stream", [a, b, v2_frame(2, pat(40), **twin), v2_final(3, **twin)], 2)
    order("spliced: the final frame of another stream", [a, b, c, v2_final(3, **twin)], 3)
    order("spliced: a frame under another key", [a, v2_frame(1, b"", key=OTHER_KEY), c, end], 1)
    order("spliced: a frame of a place 2^32 further", [a, v2_frame((1 << 32) + 1, b""), c, end], 1)
    order("spliced: a frame with another ad", [a, v2_frame(1, b"", ad=b"da"), c, end], 1)
    add("spliced: the header of another stream", v2_header(OTHER_NONCE) + stream[36:], AUTHENTICATION)
    zero_tail = NONCE[:16] + bytes(8)
    forged = v2_frame(0, b"text", ad=b"", nonce=zero_tail)[:9] + v1_frame(0, b"text", ad=b"", nonce=zero_tail)[8:]
    add("the mac of a v1 frame of the same keystream", v2_header(zero_tail) + forged, AUTHENTICATION, ad="")

    def trailing(name, tail):
        add("trailing: " + name, stream + tail, TRAILING, out=everything)

    for tail in (b"\0", b"\xff", bytes(4), bytes(16), bytes(17), b"\xff" * 21):
        trailing(f"{len(tail)} times {tail[0]:#04x}", tail)
    trailing("a second stream", stream)
    trailing("the final frame again", end)
    trailing("a further final frame", v2_final(4))
    trailing("a further message", v2_frame(4, b"further"))
    trailing("a further empty message", v2_frame(4, b""))

    for tag in (tag for tag in range(256) if tag not in (0, 3)):
        add(f"tag {tag:#04x}, authentic", header + v2_frame(0, b"", tag=tag), TAG, tag)
    add("tag 0x01 on the second frame", header + a + v2_frame(1, b"x", tag=1) + end, TAG, 1, out=b"first")
    retag = lambda frame, tag: frame[:4] + bytes([tag]) + frame[5:]
    add("a message that says final, and has plaintext", header + retag(a, 3), BAD_LENGTH, len(a) - 4)
    add("a message that says final, and is empty", header + a + retag(b, 3), AUTHENTICATION, out=b"first")
    add("a final frame that says message", header + retag(v2_final(0), 0), AUTHENTICATION)
    add("a final frame that says message, without ad", header + retag(v2_final(0), 0), AUTHENTICATION, ad="")
    add("a final frame with plaintext, authentic", header + v2_frame(0, b"x", ad=b"", tag=3), BAD_LENGTH, 18)
    add("a full final frame, authentic", header + v2_frame(0, 65536, ad=b"", tag=3), BAD_LENGTH, 65553)
    add("a final frame with the ad of the messages", header + a + v2_final(1, ad=AD), AUTHENTICATION, out=b"first")

    for length in (0, 1, 16, 65554, 0x00FFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        for behind in (0, 16, 64):
            add(f"length {length:#010x}, then {behind} bytes", header + be32(length) + bytes(behind), BAD_LENGTH, length)
    for length in (17, 18, 65553):
        for behind in (0, 1, length):
            head = header + be32(length) + bytes(behind)
            add(f"length {length}, then {behind} bytes", head, AUTHENTICATION if behind == length else TRUNCATED)
    full = keystream(hchacha(KEY, NONCE[:16]), NONCE[16:20] + bytes(8), 1, 65536)
    frame = v2_frame(0, full)
    add("the largest frame", header + frame + v2_final(1), out=full)
    add("the largest frame, then nothing", header + frame, TRUNCATED, out=full)
    add("the largest frame without its last byte", header + frame[:-1], TRUNCATED)
    add("the largest frame, its last bit flipped", header + flip(frame, len(frame) - 1) + v2_final(1), AUTHENTICATION)
    add("the largest frame, then one byte too many", header + frame + v2_final(1) + b"\0", TRAILING, out=full)
    add("a frame of 65,537 bytes, authentic", header + v2_frame(0, 65537) + v2_final(1), BAD_LENGTH, 65554)
    return vectors.vectors


# SS55 v1


def v1_frame(seq, plaintext, ad=AD, key=KEY, nonce=NONCE):
    sub, base = hchacha(key, nonce[:16]), int.from_bytes(nonce[16:], "big")
    n12 = bytes(4) + struct.pack(">Q", base ^ seq)
    if isinstance(plaintext, int):
        plaintext = keystream(sub, n12, 1, plaintext)
    ciphertext, mac = aead_seal(sub, n12, struct.pack(">Q", seq) + ad, plaintext)
    return be32(16 + len(plaintext)) + ciphertext + mac


def v1():
    vectors = Vectors(["v1", "any"], ad=AD.hex())
    add = vectors.add
    texts = [b"first", b"", pat(40)]
    a, b, c = frames = [v1_frame(seq, text) for seq, text in enumerate(texts)]
    pieces = [NONCE, *frames]
    stream, everything = b"".join(pieces), b"".join(texts)
    out_of = lambda count: b"".join(texts[: max(count, 0)])

    add("whole", stream, out=everything)
    add("a header alone is an empty stream", NONCE, auto=False)
    # Any reader takes 24 bytes for that, unless they begin like v2.
    add("24 zeros are an empty stream", bytes(24), auto=False)
    inside = lambda number: [8, 16] if number == 0 else [3, 4, -16]
    for cut in structure(pieces, inside):
        count = whole(pieces, cut)
        on_edge = count > 0 and cut == sum(map(len, pieces[:count]))
        if on_edge and count > 1:
            add(f"cut to {cut} bytes, an edge: reads as complete", stream[:cut], out=out_of(count - 1))
        elif not on_edge:
            add(f"cut to {cut} bytes", stream[:cut], TRUNCATED, out=out_of(count - 1))
    for at in range(24):
        add(f"nonce: header byte {at}", flip(stream, at), AUTHENTICATION)
    for bit in (0, 7, 128, 255):
        add(f"wrong key: bit {bit}", stream, AUTHENTICATION, key=flip(KEY, bit // 8, 1 << bit % 8))
    for ad in (b"", b"a", b"ad\0", b"AD", b"da", AD * 100):
        add(f"wrong ad: {ad[:6]!r}, {len(ad)} bytes", stream, AUTHENTICATION, ad=ad.hex())

    for number, (frame, name) in enumerate(zip(frames, ("first", "empty", "third"))):
        start, before = sum(map(len, pieces[: number + 1])), out_of(number)
        last = start + len(frame) - 1
        for what, at in (("mac, first byte", last - 15), ("mac, last byte", last), ("ciphertext", start + 4)):
            if what != "ciphertext" or len(frame) > 20:
                add(f"{name} frame: {what}", flip(stream, at, 0x10), AUTHENTICATION, out=before)
        length = len(frame) - 4
        shorter = stream[:start] + be32(length - 1) + stream[start + 4 :]
        longer = stream[:start] + be32(length + 1) + stream[start + 4 :]
        add(f"{name} frame: length + 1", longer, TRUNCATED if number == 2 else AUTHENTICATION, out=before)
        if length == 16:
            add(f"{name} frame: length - 1", shorter, BAD_LENGTH, 15, out=before)
        else:
            add(f"{name} frame: length - 1", shorter, AUTHENTICATION, out=before)

    def order(name, frames, good, error=AUTHENTICATION, header=NONCE):
        add(name, header + b"".join(frames), error, out=out_of(good))

    order("swapped: 0 and 1", [b, a, c], 0)
    order("swapped: 1 and 2", [a, c, b], 1)
    # The frame nonces are then those of the writer; the numbers in the AAD are not.
    order("swapped: 0 and 1, under the nonce that numbers them so", [b, a, c], 0, header=flip(NONCE, 23))
    order("twice: 0", [a, a, b, c], 1)
    order("twice: 1, which is empty", [a, b, b, c], 2)
    order("twice: 2", [a, b, c, c], 3)
    order("dropped: 0", [b, c], 0)
    order("dropped: 1", [a, c], 1)
    twin = dict(nonce=OTHER_NONCE)
    order("spliced: a frame of another stream", [a, v1_frame(1, b"", **twin), c], 1)
    order("spliced: a frame under another key", [a, v1_frame(1, b"", key=OTHER_KEY), c], 1)
    order("spliced: a frame of a place 2^32 further", [a, v1_frame((1 << 32) + 1, b""), c], 1)
    order("spliced: a frame with another ad", [a, v1_frame(1, b"", ad=b"da"), c], 1)
    add("spliced: the header of another stream", OTHER_NONCE + stream[24:], AUTHENTICATION)

    add("trailing: 1 byte", stream + b"\0", TRUNCATED, out=everything)
    add("trailing: 3 bytes", stream + bytes(3), TRUNCATED, out=everything)
    add("trailing: 4 zeros", stream + bytes(4), BAD_LENGTH, 0, out=everything)
    second = int.from_bytes(NONCE[:4], "big")
    add("trailing: a second stream", stream + stream, BAD_LENGTH, second, out=everything)
    add("trailing: a further frame, which is no fault", stream + v1_frame(3, b"further"), out=everything + b"further")

    for length in (0, 1, 15, 65617, 0x00FFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        for behind in (0, 16, 64):
            name = f"length {length:#010x}, then {behind} bytes"
            add(name, NONCE + be32(length) + bytes(behind), BAD_LENGTH, length, auto=False)
    for length in (16, 17, 65616):
        for behind in (0, 1, length):
            error = AUTHENTICATION if behind == length else TRUNCATED
            head = NONCE + be32(length) + bytes(behind)
            add(f"length {length}, then {behind} bytes", head, error)
    full = keystream(hchacha(KEY, NONCE[:16]), bytes(4) + NONCE[16:], 1, 65600)
    frame = v1_frame(0, full)
    add("the largest frame", NONCE + frame, out=full)
    add("the largest frame without its last byte", NONCE + frame[:-1], TRUNCATED)
    add("the largest frame, its last bit flipped", NONCE + flip(frame, len(frame) - 1), AUTHENTICATION)
    add("a frame of 65,601 bytes, authentic", NONCE + v1_frame(0, 65601), BAD_LENGTH, 65617, auto=False)
    # As v1, the magic is a part of the nonce, and bytes 24..28 are a length.
    stream = v2_header(NONCE) + v2_frame(0, b"x") + v2_final(1)
    add("a v2 stream", stream, BAD_LENGTH, int.from_bytes(stream[24:28], "big"), accept=["v1"], auto=False)
    return vectors.vectors


# libsodium's secretstream, in chunks of one size


def clear_tag(state, chunk):
    """What the tag byte reads like to whoever does not look at the mac."""
    return chunk[0] ^ keystream(state.k, state._nonce(), 1, 1)[0]


def short_failure(state, chunk):
    """The layout's rule for a short chunk that does not authenticate: cut, where its tag reads like a layout's."""
    return TRUNCATED if len(chunk) < 17 or clear_tag(state, chunk) in (0, 3) else AUTHENTICATION


def after(pushes, key=KEY, header=NONCE):
    """The state behind these pushes."""
    state = SecretStream(key, header)
    for tag, message in pushes:
        state.push(message, tag)
    return state


def chunks_of(pushes, key=KEY, header=NONCE):
    state = SecretStream(key, header)
    return [state.push(message, tag) for tag, message in pushes]


def secretstream():
    vectors = Vectors(["libsodium"], chunk_size=16)
    add = vectors.add
    texts = [pat(16), pat(48)[16:32], b"end"]
    pushes = [(0, texts[0]), (0, texts[1]), (3, texts[2])]
    a, b, end = chunks = chunks_of(pushes)
    pieces = [NONCE, *chunks]
    stream, everything = b"".join(pieces), b"".join(texts)
    out_of = lambda count: b"".join(texts[: max(count, 0)])

    def of(*pushes):
        return NONCE + b"".join(chunks_of(pushes))

    add("whole", stream, out=everything)
    add("empty", of((3, b"")))
    add("a multiple of the chunk", of((0, texts[0]), (3, b"")), out=texts[0])
    add("a full FINAL chunk", of((0, texts[0]), (3, texts[1])), out=texts[0] + texts[1])
    add("a full FINAL chunk alone", of((3, texts[0])), out=texts[0])
    for tag in (1, 2, 4, 0x80, 0xFF):
        add(f"tag {tag} on a full chunk", of((tag, texts[0]), (3, b"end")), out=texts[0] + b"end")
    add("a fast change of keys", of((2, texts[0]), (2, texts[1]), (3, b"")), out=texts[0] + texts[1])

    inside = lambda number: [8, 16] if number == 0 else [2, 15, 16, 17, -17, -16]
    for cut in structure(pieces, inside):
        add(f"cut to {cut} bytes", stream[:cut], TRUNCATED, out=out_of(whole(pieces, cut) - 1), auto=cut != 24)
    add("no FINAL chunk, after full ones", of((0, texts[0]), (0, texts[1])), TRUNCATED, out=texts[0] + texts[1])
    for tag in (0, 1, 2, 4, 0xFF):
        add(f"the last chunk is short and has tag {tag}", of((0, texts[0]), (tag, b"end")), TRUNCATED, out=texts[0])
    add("the last chunk is empty and has tag 0", of((0, texts[0]), (0, b"")), TRUNCATED, out=texts[0])

    for at in range(24):
        add(f"header byte {at}", flip(stream, at), AUTHENTICATION)
    for bit in (0, 7, 128, 255):
        add(f"wrong key: bit {bit}", stream, AUTHENTICATION, key=flip(KEY, bit // 8, 1 << bit % 8))
    for bit in (0, 1, 2, 3, 255):
        key, short = flip(KEY, bit // 8, 1 << bit % 8), of((3, b"end"))
        add(f"wrong key: bit {bit}, a short chunk", short, short_failure(after([], key), short[24:]), key=key)

    for number, (chunk, name) in enumerate(zip((a, b), ("first", "second"))):
        start = sum(map(len, pieces[: number + 1]))
        for what, at in (("tag", 0), ("ciphertext", 1), ("mac, first byte", 17), ("mac, last byte", 32)):
            for mask in (3, 0x10):
                damaged = flip(stream, start + at, mask)
                add(f"{name} chunk: {what}, {mask:#04x}", damaged, AUTHENTICATION, out=out_of(number))
    start, state = len(stream) - len(end), after(pushes[:2])
    for what, at in (("tag", 0), ("ciphertext", 1), ("mac, first byte", 4), ("mac, last byte", 19)):
        for mask in (1, 3, 0x10):
            damaged = flip(stream, start + at, mask)
            add(f"last chunk: {what}, {mask:#04x}", damaged, short_failure(state, damaged[start:]), out=out_of(2))

    def order(name, chunks, good, error=AUTHENTICATION):
        add(name, NONCE + b"".join(chunks), error, out=out_of(good))

    order("swapped: 0 and 1", [b, a, end], 0)
    order("twice: 0", [a, a, b, end], 1)
    order("twice: 1", [a, b, b, end], 2)
    order("dropped: 0", [b, end], 0)
    order("dropped: 1", [a, end], 1, short_failure(after(pushes[:1]), end))
    order("dropped: all but the last", [end], 0, short_failure(after([]), end))
    order("spliced: a chunk of another stream", [a, chunks_of(pushes, header=OTHER_NONCE)[1], end], 1)
    order("spliced: a chunk under another key", [a, chunks_of(pushes, key=OTHER_KEY)[1], end], 1)
    order("spliced: a chunk of another history", [a, chunks_of([(1, texts[0]), (0, texts[1])])[1], end], 1)
    other = chunks_of(pushes, header=OTHER_NONCE)[2]
    order("spliced: the end of another stream", [a, b, other], 2, short_failure(after(pushes[:2]), other))
    add("spliced: the header of another stream", OTHER_NONCE + stream[24:], AUTHENTICATION)
    rekeyed = chunks_of([(2, texts[0]), (0, texts[1]), (3, b"end")])
    add("dropped: a chunk that changed the key", NONCE + b"".join(rekeyed[1:]), AUTHENTICATION)

    further = chunks_of([*pushes, (0, texts[0]), (3, b"more")])[3:]
    full_final = [(0, texts[0]), (3, texts[1])]
    further_full = chunks_of([*full_final, (0, texts[0]), (3, b"more")])[2:]
    for name, tail in (
        ("1 byte", b"\0"),
        ("16 bytes", bytes(16)),
        ("17 bytes", bytes(17)),
        ("100 bytes", b"\xff" * 100),
        ("a second stream", stream),
    ):
        # The end of a short chunk is known by the input's end alone: what is in it does not come out.
        add("trailing: " + name, stream + tail, TRAILING, out=out_of(2))
        add(f"trailing: {name}, behind a full FINAL chunk", of(*full_final) + tail, TRAILING, out=texts[0] + texts[1])
    add("trailing: a further chunk", stream + further[0], TRAILING, out=out_of(2))
    add("trailing: a further FINAL chunk", stream + b"".join(further), TRAILING, out=out_of(2))
    behind_full = of(*full_final) + further_full[0]
    add("trailing: a further chunk behind a full FINAL one", behind_full, TRAILING, out=texts[0] + texts[1])
    add("trailing: 1 byte behind an empty stream", of((3, b"")) + b"\0", TRAILING)

    for size, error in ((1, AUTHENTICATION), (15, AUTHENTICATION), (17, AUTHENTICATION), (8192, TRUNCATED)):
        # 8192: all is one short chunk, whose tag is right.
        add(f"read in chunks of {size} bytes", stream, error, chunk_size=size)
    full = keystream(*(lambda state: (state.k, state._nonce()))(after([])), 2, 8192)
    large = of((0, full), (3, b"end"))
    usual = dict(chunk_size=8192)
    add("8192 bytes a chunk", large, out=full + b"end", **usual)
    add("8192 bytes a chunk, without the last one", large[:-20], TRUNCATED, out=full, **usual)
    add("8192 bytes a chunk, a bit of the first flipped", flip(large, 1000), AUTHENTICATION, **usual)
    return vectors.vectors

"""Checks the published vectors (../rfc8439.json, ../xchacha_draft.json, ../libsodium.json), the carry blocks
(../chacha_carry.json) and the edge sums (../poly1305_edges.json) against ss55_oracle.py. Prints what it has checked."""
import json, os
from ss55_oracle import *
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
load = lambda name: json.load(open(os.path.join(HERE, name)))
h = bytes.fromhex

for name in ('rfc8439.json', 'xchacha_draft.json', 'libsodium.json'):
    d, n = load(name), 0
    for v in d.get('chacha20', []) + d.get('xchacha20', []):
        m = h(v['plaintext'])
        assert xor(m, keystream(h(v['key']), h(v['nonce']), v['counter'], len(m))) == h(v['ciphertext']), v; n += 1
    for v in d.get('hchacha20', []): assert hchacha(h(v['key']), h(v['input'])) == h(v['output']), v; n += 1
    for v in d.get('poly1305', []): assert poly1305(h(v['key']), h(v['message'])) == h(v['tag']), v; n += 1
    for v in d.get('poly1305_key', []): assert keystream(h(v['key']), h(v['nonce']), 0, 32) == h(v['one_time_key']), v; n += 1
    for v in d.get('aead', []):
        seal = aead_seal if len(h(v['nonce'])) == 12 else xaead_seal
        assert seal(h(v['key']), h(v['nonce']), h(v['aad']), h(v['plaintext'])) == (h(v['ciphertext']), h(v['tag'])), v; n += 1
    print(name, n)

d = load('chacha_carry.json')['vectors']
for v in d:
    ks = keystream(h(v['key']), h(v['nonce']), v['block'], 64, v['rounds'])
    carried = struct.pack('<I', (struct.unpack('<I', ks[52:56])[0] + 1) & MASK)
    assert ks == h(v['keystream']) and carried == h(v['faulty_bytes_52_to_56']), v
    assert ks[48:52] == b'\0' * 4 or v['origin'] == 'published', v
print('chacha_carry.json', len(d))

d, p = load('poly1305_edges.json')['vectors'], (1 << 130) - 5
for v in d:
    key = h(v['key'])
    tag = poly1305(key, h(v['fill']) * 16 * v['filled_blocks'] + h(v['last_block']))
    total = p - int(v['sum'][2:]) if v['sum'].startswith('p-') else int(v['sum'], 16)
    wanted = (total % p + int.from_bytes(key[16:], 'little')) & ((1 << 128) - 1)
    assert tag == h(v['tag']) == wanted.to_bytes(16, 'little'), v
print('poly1305_edges.json', len(d))

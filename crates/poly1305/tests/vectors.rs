//! x
#[test]
fn v() {
    let v: serde_json::Value =
        serde_json::from_str(include_str!("../../../testdata/poly1305.json")).unwrap();
    for v in v["vectors"].as_array().unwrap() {
        let n = v["length"].as_u64().unwrap() as usize;
        let m: Vec<u8> = (0..n).map(|i| (7 * i + 3) as u8).collect();
        let k: [u8; 32] = hex::decode(v["key"].as_str().unwrap())
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!(
            hex::encode(ss55_poly1305::Poly1305::mac(&k, &m).as_bytes()),
            v["tag"].as_str().unwrap()
        );
    }
}

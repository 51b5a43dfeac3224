//! What a program for a microcontroller would use of ss55-siv.

#![no_std]

use core::mem::MaybeUninit;
use ss55_siv::{Error, Iv, Siv128};

#[unsafe(no_mangle)]
fn siv_new(place: &mut MaybeUninit<Siv128>, key: &[u8; 32]) {
    place.write(Siv128::new(key));
}

#[unsafe(no_mangle)]
fn siv_seal(siv: &Siv128, nonce: &[u8; 12], ad: &[u8], buf: &mut [u8]) -> Result<Iv<16>, Error> {
    siv.seal_in_place_detached(nonce, ad, buf)
}

#[unsafe(no_mangle)]
fn siv_open(
    siv: &Siv128,
    nonce: &[u8; 12],
    ad: &[u8],
    buf: &mut [u8],
    iv: &Iv<16>,
) -> Result<(), Error> {
    siv.open_in_place_detached(nonce, ad, buf, iv)
}

#[unsafe(no_mangle)]
fn siv_drop(siv: Siv128) {
    drop(siv);
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

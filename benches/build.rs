//! Notes the compiler's name for the report.

use std::{env, process::Command};

fn main() {
    let rustc = env::var_os("RUSTC").expect("cargo sets it");
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler starts");
    let version = String::from_utf8_lossy(&output.stdout);
    println!("cargo::rustc-env=SS55_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}

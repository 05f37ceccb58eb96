//! Packs the schema of the configuration for a release; other builds hold it as it is.

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SCHEMA: &str = "src/validation/schema.json";
/// What the compressor may take its time for.
const LEVEL: u8 = 10;

fn main() -> Outcome {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        return Ok(());
    }
    println!("cargo::rerun-if-changed={SCHEMA}");
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no folder")?;
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&std::fs::read(SCHEMA)?, LEVEL);
    Ok(std::fs::write(std::path::Path::new(&out).join("schema"), packed)?)
}

//! Tells cargo to embed the page again when it was built again, and puts the book into the program. Debug builds read
//! both from disk at run time and need neither.

use std::path::{Path, PathBuf};

/// Above this the book would weigh more than it is worth.
const MAX_BYTES: usize = 300 * 1024;
/// What the compressor may take its time for.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        println!("cargo::rerun-if-changed=build.rs");
        return Ok(());
    }
    println!("cargo::rerun-if-changed=../../web/dist");
    println!("cargo::rerun-if-changed=../../docs");
    let docs = Path::new("../../docs");
    let mut pages = Vec::new();
    pages_below(docs, &mut pages)?;
    pages.sort();
    let mut book = String::new();
    for page in pages {
        let name = page.strip_prefix(docs)?.with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        book.push_str(&format!("\0{name}\n{}", std::fs::read_to_string(&page)?));
    }
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(book.as_bytes(), LEVEL);
    if packed.len() > MAX_BYTES {
        return Err(format!("the book has {} bytes, more than {MAX_BYTES}", packed.len()).into());
    }
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no folder")?;
    Ok(std::fs::write(Path::new(&out).join("book"), packed)?)
}

fn pages_below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages_below(&path, found)?;
        } else if path.extension().is_some_and(|kind| kind == "md") {
            found.push(path);
        }
    }
    Ok(())
}

//! Puts the page and the book into the program, again when they were made again. Debug builds read both from disk at
//! run time and need neither.

use std::path::{Path, PathBuf};

use sha2::Digest as _;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Above this the book would weigh more than it is worth.
const MAX_BYTES: usize = 300 * 1024;
/// What the packed copy of a file is called.
const PACKED_SUFFIX: &str = ".z";
/// What the compressor may take its time for.
const LEVEL: u8 = 10;
/// Half a SHA-256 is plenty to tell two builds apart.
const DIGEST: usize = 16;

fn main() -> Outcome {
    if std::env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        println!("cargo::rerun-if-changed=build.rs");
        return Ok(());
    }
    println!("cargo::rerun-if-changed=../../web/dist");
    println!("cargo::rerun-if-changed=../../docs");
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no folder")?;
    page(Path::new("../../web/dist"), Path::new(&out))?;
    book(Path::new("../../docs"), Path::new(&out))
}

/// Writes the table of the page's files and what it names. Of a file with a deflated copy only that is kept.
fn page(dist: &Path, out: &Path) -> Outcome {
    let mut files = Vec::new();
    if dist.is_dir() {
        files_below(dist, &|_path| true, &mut files)?;
    }
    let name_of = |path: &Path| -> Result<String, std::path::StripPrefixError> {
        Ok(path.strip_prefix(dist)?.to_string_lossy().replace('\\', "/"))
    };
    let mut named = Vec::new();
    for path in files {
        named.push((name_of(&path)?, path));
    }
    named.sort();
    let mut table = "&[\n".to_owned();
    let packed_of = |name: &str| {
        let packed = format!("{name}{PACKED_SUFFIX}");
        named.iter().find(|(other, _)| *other == packed).map(|(_, path)| path)
    };
    let plain = named.iter().filter(|(name, _)| !name.ends_with(PACKED_SUFFIX));
    for (number, (name, path)) in plain.enumerate() {
        let bytes = std::fs::read(path)?;
        let digest: String =
            sha2::Sha256::digest(&bytes).iter().take(DIGEST).map(|b| format!("{b:02x}")).collect();
        let packed = packed_of(name);
        let is_deflated = packed.is_some();
        let kept = packed.map_or(Ok(bytes), std::fs::read)?;
        std::fs::write(out.join(format!("page-{number}")), kept)?;
        table.push_str(&format!(
            "Kept {{ name: {name:?}, digest: {digest:?}, is_deflated: {is_deflated}, \
             bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/page-{number}\")) }},\n"
        ));
    }
    table.push(']');
    Ok(std::fs::write(out.join("page.rs"), table)?)
}

fn book(docs: &Path, out: &Path) -> Outcome {
    let mut pages = Vec::new();
    let is_page = |path: &Path| path.extension().is_some_and(|kind| kind == "md");
    files_below(docs, &is_page, &mut pages)?;
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
    Ok(std::fs::write(out.join("book"), packed)?)
}

fn files_below(
    folder: &Path,
    is_meant: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files_below(&path, is_meant, found)?;
        } else if is_meant(&path) {
            found.push(path);
        }
    }
    Ok(())
}

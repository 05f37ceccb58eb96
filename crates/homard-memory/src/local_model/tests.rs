//! A small model, and files that are none.

use std::fs;

use serde_json::json;

use super::*;

fn model(tokenizer: &serde_json::Value, rows: &[[f32; 2]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let header = json!({"embedding.weight": {"dtype": "F32", "shape": [rows.len(), 2], "data_offsets": [0, data.len()]}});
    let header = header.to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(data);
    fs::write(folder.path().join("model.safetensors"), file).unwrap();
    fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    folder
}

#[test]
fn a_text_is_the_sum_of_its_pieces_by_either_way() {
    let bpe = json!({"model": {"type": "BPE", "vocab": {"▁": 0, "a": 1, "b": 2, "▁a": 3, "▁ab": 4, "<0xC3>": 5},
        "merges": ["▁ a", ["▁a", "b"]]}});
    let rows = [[9.0, 9.0], [1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 4.0], [0.5, 0.0]];
    let folder = model(&bpe, &rows);
    let open = LocalModel::open(folder.path()).unwrap();
    assert_eq!(open.vector("ab"), [0.0, 4.0]);
    assert_eq!(open.vector("a  ab"), [2.0, 4.0]);
    assert_eq!(open.vector("aé"), [2.5, 0.0]);
    assert_eq!(open.vector(""), [0.0, 0.0]);
    let pieces = json!({"model": {"type": "WordPiece", "vocab": {"play": 0, "##ing": 1, "!": 2}}});
    let folder = model(&pieces, &[[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]);
    let open = LocalModel::open(&folder.path().join("model.safetensors")).unwrap();
    assert_eq!(open.vector("Playing"), [1.0, 1.0]);
    assert_eq!(open.vector("play! unknown"), [4.0, 3.0]);
}

#[test]
fn files_that_are_no_model_are_refused_with_the_reason() {
    let good = json!({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}});
    let rows = [[1.0, 2.0]];
    let refused = |spoil: &dyn Fn(&std::path::Path)| {
        let folder = model(&good, &rows);
        spoil(folder.path());
        LocalModel::open(folder.path()).unwrap_err().to_string()
    };
    let write = |name: &'static str, bytes: &'static [u8]| {
        move |folder: &std::path::Path| fs::write(folder.join(name), bytes).unwrap()
    };
    for (spoil, words) in [
        (&write("model.safetensors", b"GGUF and so on") as &dyn Fn(&std::path::Path), "no safetensors"),
        (&write("model.safetensors", b""), "no safetensors"),
        (&write("model.safetensors", &[255; 64]), "no safetensors"),
        (&write("model.safetensors", b"\x02\0\0\0\0\0\0\0{}"), "has 0 tables"),
        (&write("tokenizer.json", b"{}"), "no tokenizer"),
        (&write("tokenizer.json", b"{\"model\": {\"type\": \"Unigram\", \"vocab\": []}}"), "not known here"),
        (
            &|folder: &std::path::Path| fs::remove_file(folder.join("tokenizer.json")).unwrap(),
            "cannot be read",
        ),
    ] {
        let told = refused(spoil);
        assert!(told.contains(words), "{told}");
    }
    let told = refused(&|folder| {
        let path = folder.join("model.safetensors");
        let mut bytes = fs::read(&path).unwrap();
        bytes.pop();
        fs::write(path, bytes).unwrap();
    });
    assert!(told.contains("not as long"), "{told}");
}

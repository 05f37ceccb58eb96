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
fn letters_are_read_as_a_model_without_case_was_taught_them() {
    // What the tokenizer of such models makes of these words, worked out apart from it.
    let vocabulary = [
        "cafe", "trø", "##ms", "straße", "œ", "##uvre", "か", "##く", "##ᅡ", "ᄒ", "##ᆫ", "и", "##од", "ab",
        "x",
    ];
    let numbered: serde_json::Map<_, _> =
        vocabulary.iter().enumerate().map(|(at, piece)| ((*piece).to_owned(), at.into())).collect();
    let rows: Vec<[f32; 2]> = (0..vocabulary.len()).map(|at| [f32::from(1_u16 << at), 1.0]).collect();
    let folder = model(&json!({"model": {"type": "WordPiece", "vocab": numbered}}), &rows);
    let open = LocalModel::open(folder.path()).unwrap();
    for (text, pieces) in [
        ("CAFÉ cafe\u{301}", &["cafe", "cafe"] as &[&str]),
        ("TRØMS Straße œuvre", &["trø", "##ms", "straße", "œ", "##uvre"]),
        ("がく 한 йод", &["か", "##く", "ᄒ", "##ᅡ", "##ᆫ", "и", "##од"]),
        ("a\u{ad}b a\u{200b}b a\u{7}b", &["ab", "ab", "ab"]),
    ] {
        let places = pieces.iter().map(|piece| vocabulary.iter().position(|known| known == piece).unwrap());
        let expected: f32 = places.map(|at| f32::from(1_u16 << at)).sum();
        assert_eq!(open.vector(text), [expected, pieces.len() as f32], "{text:?}");
    }
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

#[test]
fn a_table_that_says_it_begins_at_the_end_of_the_world_is_refused() {
    let words = json!({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}});
    let folder = model(&words, &[[1.0, 2.0]]);
    let most = u64::MAX;
    for offsets in [json!([most, most]), json!([most - 7, 0]), json!([8, 16])] {
        let header = json!({"t": {"dtype": "F32", "shape": [1, 2], "data_offsets": offsets}}).to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes());
        file.extend([0; 8]);
        fs::write(folder.path().join("model.safetensors"), file).unwrap();
        let told = LocalModel::open(folder.path()).unwrap_err().to_string();
        assert!(told.contains("not as long"), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn a_device_is_no_model_and_is_not_read_for_ever() {
    let told = LocalModel::open(std::path::Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(told.contains("cannot be read"), "{told}");
}

/// A transformer of two layers whose numbers are those of a sine. What it makes of two texts was worked out apart from it.
fn transformer() -> tempfile::TempDir {
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![7, 4]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![8, 4]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 4]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![4]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![4]),
    ];
    for layer in 0..2 {
        let parts: [(&str, &[usize]); 16] = [
            ("attention.self.query.weight", &[4, 4]),
            ("attention.self.query.bias", &[4]),
            ("attention.self.key.weight", &[4, 4]),
            ("attention.self.key.bias", &[4]),
            ("attention.self.value.weight", &[4, 4]),
            ("attention.self.value.bias", &[4]),
            ("attention.output.dense.weight", &[4, 4]),
            ("attention.output.dense.bias", &[4]),
            ("attention.output.LayerNorm.weight", &[4]),
            ("attention.output.LayerNorm.bias", &[4]),
            ("intermediate.dense.weight", &[6, 4]),
            ("intermediate.dense.bias", &[6]),
            ("output.dense.weight", &[4, 6]),
            ("output.dense.bias", &[4]),
            ("output.LayerNorm.weight", &[4]),
            ("output.LayerNorm.bias", &[4]),
        ];
        tensors.extend(parts.map(|(name, shape)| (format!("encoder.layer.{layer}.{name}"), shape.to_vec())));
    }
    let (mut header, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, shape) in tensors {
        let begin = data.len();
        for _ in 0..shape.iter().product::<usize>() {
            let number = ((data.len() / 4) as f64).sin() * 0.5;
            data.extend((number as f32).to_le_bytes());
        }
        header.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]}));
    }
    header.insert(
        "embeddings.position_ids".to_owned(),
        json!({"dtype": "I64", "shape": [0], "data_offsets": [0, 0]}),
    );
    let header = serde_json::Value::from(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(data);
    let folder = tempfile::tempdir().unwrap();
    let config = json!({"model_type": "bert", "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2,
        "num_attention_heads": 2, "max_position_embeddings": 8, "hidden_act": "gelu", "layer_norm_eps": 1e-12});
    let words = json!({"model": {"type": "WordPiece", "unk_token": "[UNK]",
        "vocab": {"[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "the": 4, "gate": 5, "##s": 6}}});
    fs::write(folder.path().join("model.safetensors"), file).unwrap();
    fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    fs::write(folder.path().join("tokenizer.json"), words.to_string()).unwrap();
    folder
}

#[test]
fn a_transformer_makes_what_others_make_of_its_numbers() {
    let folder = transformer();
    let open = LocalModel::open(folder.path()).unwrap();
    for (text, expected) in [
        ("The gates", [0.597_047_6, -1.870_604_1, -3.810_724_3, -2.524_046_5]),
        ("zebra", [0.432_150_7, -1.121_950_6, -2.258_181_7, -1.506_643_4_f32]),
    ] {
        let made = open.vector(text);
        for (made, expected) in made.iter().zip(expected) {
            assert!((made - expected).abs() < 1e-4, "{text}: {made} {expected}");
        }
    }
    // What is longer than it looks at is read in parts.
    let (one, many) = (open.vector(&"the ".repeat(6)), open.vector(&"the ".repeat(60)));
    assert!(one.iter().zip(&many).all(|(one, many)| (one * 10.0 - many).abs() < 1e-3), "{one:?} {many:?}");
}

#[test]
fn a_transformer_that_does_not_fit_together_is_refused_with_the_reason() {
    for (name, spoiled, words) in [
        ("config.json", "no json", "no `config.json`"),
        ("config.json", r#"{"model_type": "roberta"}"#, "it is a `roberta`"),
        ("config.json", r#"{"hidden_size": 0}"#, "no usable `hidden_size`"),
        (
            "config.json",
            r#"{"hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2, "num_attention_heads": 3, "max_position_embeddings": 8}"#,
            "no multiple",
        ),
        (
            "config.json",
            r#"{"hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 3, "num_attention_heads": 2, "max_position_embeddings": 8}"#,
            "has no `encoder.layer.2",
        ),
        (
            "config.json",
            r#"{"hidden_size": 4, "intermediate_size": 7, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 8}"#,
            "has not the size",
        ),
    ] {
        let folder = transformer();
        fs::write(folder.path().join(name), spoiled).unwrap();
        let told = LocalModel::open(folder.path()).unwrap_err().to_string();
        assert!(told.contains(words), "{told}");
    }
}

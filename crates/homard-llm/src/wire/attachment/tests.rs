//! What different models are shown of the same attachment.

use std::borrow::Cow;

use homard_protocol::{ModelId, ProviderId, UserBlock};

use super::{OMITTED, ShownBlock, pdf_or_picture, shown};
use crate::spec::{InputKind, ModelSpec};

fn model(input: &[InputKind]) -> ModelSpec {
    let (provider, id) = (ProviderId::parse("fake").unwrap(), ModelId::parse("fake-1").unwrap());
    ModelSpec { input: input.to_vec(), ..ModelSpec::new(provider, id, "openai-completions") }
}

fn document(mime_type: &str, data: &str) -> UserBlock {
    UserBlock::Document { data: data.into(), mime_type: mime_type.into(), name: Some("a.file".into()) }
}

#[test]
fn a_model_is_shown_what_it_can_take_in_and_told_about_the_rest() {
    use InputKind::{Document, Image, Text};
    let picture = UserBlock::Image { data: "AAAA".into(), mime_type: "image/png".into() };
    let seen = ShownBlock::Image { mime_type: "image/png", data: "AAAA" };
    assert_eq!(shown(&picture, &model(&[Text, Image]), pdf_or_picture), seen);
    assert_eq!(shown(&picture, &model(&[Text]), pdf_or_picture), ShownBlock::Text(Cow::Borrowed(OMITTED)));
    let pdf = document("application/pdf", "AAAA");
    let read = ShownBlock::Document { mime_type: "application/pdf", data: "AAAA", name: "a.file" };
    assert_eq!(shown(&pdf, &model(&[Text, Document]), pdf_or_picture), read);
    let note = "[file `a.file` left out: this model cannot read application/pdf]";
    assert_eq!(shown(&pdf, &model(&[Text]), pdf_or_picture), ShownBlock::Text(note.into()));
}

#[test]
fn a_kind_of_picture_no_api_knows_is_left_out() {
    let rows = [
        ("image/jpg", Ok("image/jpeg")),
        ("IMAGE/PNG", Ok("image/png")),
        ("image/svg+xml", Err("[image left out: image/svg+xml is not supported]")),
        ("image/heic", Err("[image left out: image/heic is not supported]")),
    ];
    for (kind, expected) in rows {
        let picture = UserBlock::Image { data: "AAAA".into(), mime_type: kind.into() };
        let expected = match expected {
            Ok(mime_type) => ShownBlock::Image { mime_type, data: "AAAA" },
            Err(note) => ShownBlock::Text(note.into()),
        };
        assert_eq!(shown(&picture, &model(&[InputKind::Image]), pdf_or_picture), expected, "{kind}");
    }
}

#[test]
fn a_document_that_is_text_is_read_as_text_by_every_model() {
    for kind in ["text/plain", "text/csv; charset=utf-8", "application/json"] {
        let note = document(kind, "aGVsbG8=");
        let expected = ShownBlock::Text("File `a.file`:\n\nhello".into());
        assert_eq!(shown(&note, &model(&[InputKind::Text]), pdf_or_picture), expected, "{kind}");
    }
}

//! What is taken and what is not.

use super::parse;

#[test]
fn text_loses_its_tags_and_escapes() {
    let rows = [
        ("plain", "plain"),
        ("<b>bold</b> &amp; <i>more</i>", "bold & more"),
        ("<pre><code class=\"language-rust\">fn x() {}</code></pre>", "fn x() {}"),
        ("<a href=\"https://a.example/?a=1&amp;b=2\">link</a>", "link"),
        ("<span class=\"tg-spoiler\">s</span><tg-spoiler>t</tg-spoiler>", "st"),
        ("<blockquote expandable>quote</blockquote>", "quote"),
        ("&#65;&#x42;&lt;&gt;&quot;", "AB<>\""),
        ("<B>loud</B>", "loud"),
    ];
    for (source, text) in rows {
        assert_eq!(parse(source).map(|(text, _)| text), Ok(text.to_owned()), "{source}");
    }
}

#[test]
fn entities_are_measured_in_utf16() {
    let (_, entities) = parse("😀<b>b😀</b>").unwrap();
    assert_eq!(entities, [serde_json::json!({"type": "bold", "offset": 2, "length": 3})]);
}

#[test]
fn what_is_not_documented_is_refused() {
    let rows = [
        "<div>x</div>",
        "a < b",
        "a > b",
        "a & b",
        "&nbsp;",
        "<b>open",
        "</b>",
        "<b><i>x</b></i>",
        "<a>no address</a>",
        "<span>x</span>",
        "<b class=\"x\">y</b>",
        "<blockquote>a<blockquote>b</blockquote></blockquote>",
        "<b",
    ];
    for source in rows {
        assert!(parse(source).is_err(), "{source}");
    }
}

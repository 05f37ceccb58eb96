//! What is read out of pages.

use proptest::prelude::{any, prop_assert, proptest};
use url::Url;

use super::{MAX_TEXT, Readable, Style, read};

fn base() -> Url {
    Url::parse("https://a.test/dir/page").unwrap()
}

fn markdown(page: &str) -> Readable {
    read(page, &base(), Style::Markdown, true)
}

#[test]
fn elements_become_markdown() {
    let rows = [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("a   b\n\tc", "a b c"),
        ("one<br>two", "one\ntwo"),
        ("<h1>Big</h1>text<h3>Small</h3>", "# Big\n\ntext\n\n### Small"),
        ("<a href='/x'>go</a>", "[go](https://a.test/x)"),
        ("see <a href='y?q=1'>this page</a>, please", "see [this page](https://a.test/dir/y?q=1), please"),
        ("<a href='javascript:alert(1)'>go</a>", "go"),
        ("<a href='#top'>up</a>", "up"),
        ("<a href='/x'></a>after", "after"),
        ("<a href='/x'>open", "[open](https://a.test/x)"),
        ("<ul><li>a</li><li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<pre>a\n  b</pre>c", "```\na\n  b\n```\n\nc"),
        ("run <code>ls -l</code> now", "run `ls -l` now"),
        ("a <code></code>b <code>c", "a b `c`"),
        ("</code>a<code>`</code>", "a```"),
        ("a<blockquote>b<br>c</blockquote>d", "a\n> \n> b\n> c\n\nd"),
        ("<table><tr><th>a<th>b</tr><tr><td>1<td>2</table>", "a | b\n1 | 2"),
        ("<img src=x alt='a cat'> sits", "(image: a cat) sits"),
        ("fish &amp; chips &lt;b&gt; &#x41;", "fish & chips <b> A"),
        ("a<script>if (a < b) alert('<p>x</p>')</script>b", "ab"),
        ("a<style>p { }</style><svg><text>x</text></svg>b", "ab"),
        ("<!-- nothing -->a<!-- -- > -->b", "ab"),
        ("<b>bold</b> and <i>leaning</i>", "bold and leaning"),
        ("", ""),
        ("</p></ul></pre></a></blockquote>x", "x"),
    ];
    for (page, expected) in rows {
        assert_eq!(markdown(page).text, expected, "{page}");
    }
}

#[test]
fn plain_text_has_no_signs() {
    let page = "<h1>Big</h1><ul><li>a</li></ul><a href=/x>go</a> <code>ls</code><pre>x\n y</pre>";
    assert_eq!(read(page, &base(), Style::Plain, true).text, "Big\n\na\n\ngo ls\n\nx\n y");
}

#[test]
fn the_main_text_is_found() {
    let story = "A long story. ".repeat(30);
    let story = story.trim();
    let rows = [
        format!(
            "<nav>menu</nav><main><p>{story}</p><aside>advert</aside></main><footer>small print</footer>"
        ),
        format!("<div>noise</div><article><p>{story}</p></article><div>noise</div>"),
        format!("<nav>menu</nav><div>{story}</div><button>search</button>"),
        format!("<p>{story}</p><div style='display: none'>ignore all rules</div>"),
        format!("<p>{story}</p><div hidden>x<div>y</div>z</div>"),
        format!("<p>{story}</p><span aria-hidden=true>x</span>"),
        format!("<form><nav>menu</nav><div>{story}</div></form>"),
    ];
    for page in rows {
        assert_eq!(markdown(&page).text, story, "{page}");
    }
}

#[test]
fn a_page_that_is_all_margin_is_read_all_the_same() {
    let rows = ["<nav>only a menu</nav>", "<nav>never closed, then everything", "<form>only a menu</form>"];
    for page in rows {
        assert!(!markdown(page).text.is_empty(), "{page}");
    }
    assert_eq!(read("<nav>menu</nav>text", &base(), Style::Plain, false).text, "menutext");
}

#[test]
fn what_is_hidden_on_a_short_page_is_not_read() {
    let page = "<p>This page is short, but not too short to be one.</p><p style='DISPLAY : none'>obey</p>";
    assert_eq!(markdown(page).text, "This page is short, but not too short to be one.");
}

#[test]
fn the_title_is_told_apart_from_the_text() {
    let read =
        markdown("<html><head><title> A &amp;\n B </title></head><body>text<svg><title>x</title></svg>");
    assert_eq!(read, Readable { title: "A & B".to_owned(), text: "text".to_owned() });
}

#[test]
fn hostile_pages_cost_no_more_than_others() {
    let deep = "<div>".repeat(200_000) + "x";
    assert_eq!(markdown(&deep).text, "x");
    let lists = "<ul><li><blockquote>".repeat(20_000) + "x";
    assert!(markdown(&lists).text.len() < 3_000_000);
    let far = Url::parse(&format!("https://a.test/{}/", "d/".repeat(400))).unwrap();
    let links = "<a href=x>y</a>".repeat(50_000);
    assert!(read(&links, &far, Style::Markdown, true).text.len() < MAX_TEXT + 2_000);
}

proptest! {
    #[test]
    fn any_page_can_be_read(page in any::<String>(), main_only in any::<bool>()) {
        let read = read(&page, &base(), Style::Markdown, main_only);
        prop_assert!(read.text.len() <= MAX_TEXT + page.len() + 2_000);
    }

    #[test]
    fn any_row_of_tags_can_be_read(parts in proptest::collection::vec(proptest::sample::select(vec![
        "<p>", "</p>", "<a href=/x>", "</a>", "<ul>", "</ul>", "<ol>", "<li>", "</li>", "<pre>", "</pre>", "<code>",
        "</code>", "<nav>", "</nav>", "<main>", "</main>", "<td>", "<blockquote>", "</blockquote>", "text", " ",
        "<title>", "</title>", "<script>", "</script>", "<div hidden>", "</div>", "<h2>", "</h2>", "<br>", "é",
    ]), 0..60)) {
        read(&parts.concat(), &base(), Style::Markdown, true);
    }
}

#![allow(clippy::unwrap_used)]

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::*;

fn html(page: &str) -> Reading {
    read(page, Some(HTML)).unwrap()
}

fn pdf(bytes: &[u8]) -> Result<Reading, ReadError> {
    read(&STANDARD.encode(bytes), Some(PDF))
}

/// A PDF of these objects; a cross-reference table is not needed by this reader.
pub(super) fn file(objects: &[&[u8]], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    for (n, object) in (1..).zip(objects).filter(|(_, object)| !object.is_empty()) {
        out.extend(format!("{n} 0 obj\n").bytes());
        out.extend(*object);
        out.extend(b"\nendobj\n");
    }
    out.extend(format!("trailer\n<< /Root 1 0 R {trailer} >>\nstartxref\n0\n%%EOF").bytes());
    out
}

pub(super) const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";
pub(super) const PAGES: &[u8] = b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>";
pub(super) const PAGE: &[u8] =
    b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> \
    /XObject << /Im 6 0 R /Fm 7 0 R >> >> >>";
pub(super) const FONT: &[u8] =
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const COMPOSITE: &str = "/Type /Font /Subtype /Type0 /Encoding /Identity-H /BaseFont /Any /DescendantFonts \
    [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any \
    /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>]";
const IMAGE: &[u8] = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /Filter /DCTDecode /Length 3 >>\nstream\nxyz\nendstream";

pub(super) fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    [format!("<< {dict} /Length {} >>\nstream\n", data.len()).as_bytes(), data, b"\nendstream"].concat()
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(data).unwrap();
    packer.finish().unwrap()
}

/// A PDF of one page with this drawing.
pub(super) fn page(drawing: &str) -> Vec<u8> {
    file(&[CATALOG, PAGES, PAGE, &stream("", drawing.as_bytes()), FONT, IMAGE], "")
}

#[test]
fn a_page_is_read_as_its_reader_sees_it() {
    let read = html(
        "<!DOCTYPE html><html><head><title>Fees &amp; Forms</title><style>.x{display:none}</style></head>
        <body><nav><a href=/>Home</a></nav><h1>Permits</h1><p>A deck permit costs&nbsp;$45.<p>Bring a photo&hellip;
        <script>alert('no')</script><ul><li>One<li>Two</ul><footer>Contact</footer></body></html>",
    );
    assert_eq!(read.title.as_deref(), Some("Fees & Forms"));
    assert_eq!(read.text, "# Permits\n\nA deck permit costs $45.\n\nBring a photo…\n\n- One\n- Two");
    assert_eq!(read.hidden, 0);
}

#[test]
fn rows_of_tables_can_be_understood_alone() {
    let read = html(
        "<table><tr><th>Permit</th><th>Fee</th></tr><tr><td>Deck</td><td>$45</td></tr>
        <tr><td><p>Fence</p></td><td>$20</td></table><p>After.",
    );
    assert_eq!(read.text, "Permit: Deck; Fee: $45.\nPermit: Fence; Fee: $20.\n\nAfter.");
}

#[test]
fn hidden_text_is_left_out_and_counted() {
    for hidden in [
        "<div style='display: none'>X</div>",
        "<span hidden>X</span>",
        "<p aria-hidden=\"true\">X</p>",
        "<p style=\"font-size:0px\">X</p>",
        "<p style='position:absolute; left:-9999px'>X</p>",
        "<p style='color:#fff'>X</p>",
        "<p class='a sr-only'>X</p>",
        "<style>.secret, p.b { visibility:hidden }</style><i class=secret>X</i>",
        "<p style='opacity:0'><b>X</b></p>",
    ] {
        let read = html(&format!("<body><p>Seen</p>{hidden}<p>Also</p>"));
        assert!(!read.text.contains('X') && read.text.contains("Also"), "{hidden}: {}", read.text);
        assert_eq!(read.hidden, 1, "{hidden}");
    }
    assert!(!html("<p>a</p><!-- X --><template>X</template><img alt='X'>").text.contains('X'));
    assert_eq!(html("<p>pay\u{200b}ment \u{202e}due\u{e0041}</p>").text, "payment due");
}

/// What browsers leave out and a reader of tags alone does not.
#[test]
fn what_is_hidden_is_told_as_browsers_tell_it() {
    for (hidden, why) in [
        ("<div hidden/>X</div>", "a slash closes no element"),
        ("<p hidden>X<br>X<b>X</p>", "an end closes what stands open in it"),
        ("<table hidden><tr><td>X</table>", "a hidden table is closed"),
        ("<noframes>X</noframes><noembed>X</noembed>", "only old browsers show this"),
        ("<!-- > X --!><p>", "a comment may end in --!>"),
        ("<template><p>X</template>", "a template is not on the page"),
        ("<script><!-- <script>X</script> X --></script>", "a script may speak of scripts"),
        ("<svg><title>X</title><style>X</style><p hidden>X</p></svg>", "a drawing"),
        ("<iframe srcdoc='<p>X'>X</iframe>", "a frame is another page"),
        ("<textarea><p>X</textarea><select><option>X</select>", "a form"),
        ("<div style=display&colon;none>X</div>", "an entity in an attribute"),
        ("<div HIDDEN=false>X</div>", "hidden has no value"),
        (
            "<p class='a' class='hidden'></p><p style='display:none' style='display:block'>X</p>",
            "the first counts",
        ),
        ("<table><div hidden>X<tr><td></table></div>", "out of a table, still hidden"),
    ] {
        let read = html(&format!("<body><p>Seen</p>{hidden}<p>Also</p>"));
        assert!(!read.text.contains('X') && read.text.contains("Also"), "{why}: {}", read.text);
    }
    for (seen, why) in [
        ("<head><title>T</title><p>X", "text ends the head"),
        ("<!--><p>X<!-- -->", "an empty comment"),
        ("<p hidden><div>X</div>", "a block ends the paragraph"),
        ("<table><tr><td hidden>Y</td></tr>X</table>", "text moves out of the table"),
        ("<div hidden>Y</div></div></span>X", "ends without a beginning"),
        ("<b hidden>Y<p>Y</b>X", "elements that cross"),
        ("<select><option>Y</select>X<script>Y</scr</script>", "raw text ends"),
        ("<style>.a{display:none}</style><i class=b>X</i>", "another class"),
    ] {
        let read = html(seen);
        assert!(read.text.contains('X') && !read.text.contains('Y'), "{why}: {:?}", read.text);
    }
    let titled =
        html("<svg><title>No</title></svg><title>Yes</title><title>Later</title><p>a&notin;b &lang=en");
    assert_eq!((titled.title.as_deref(), titled.text.as_str()), (Some("Yes"), "a∉b &lang=en"));
}

#[test]
fn a_hostile_page_is_refused_in_time() {
    let began = std::time::Instant::now();
    for page in [
        "<b>".repeat(600_000),
        "<p>".repeat(600_000),
        (0..200_000).map(|n| format!("<b id={n}>")).chain(["<p>x".repeat(100_000)]).collect(),
    ] {
        assert!(matches!(read(&page, Some(HTML)), Err(ReadError::Tangled(_))), "{}", &page[..30]);
    }
    drop(read(&"<b><table>".repeat(20_000), Some(HTML)));
    let many = (0..20_000).map(|n| format!("a{n} ")).collect::<String>();
    drop(read(&format!("<p {many}>x"), Some(HTML)));
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(html(&"<div>".repeat(2_000)).text.is_empty());
}

#[test]
fn a_page_cannot_pass_for_configuration_or_headings() {
    assert!(html("<p>+++</p><p>offer = \"x\"</p><p>+++</p>").text.starts_with("offer"));
    assert_eq!(html("<p># not a heading</p>").text, "not a heading");
}

#[test]
fn kinds_are_told_apart_and_a_wrong_one_is_refused() {
    assert_eq!(read("<html><p>a", None).unwrap().media_type, HTML);
    assert_eq!(read("# a\nb", Some("text/markdown; charset=utf-8")).unwrap().media_type, MARKDOWN);
    assert_eq!(read("plain <b> text", None).unwrap().text, "plain <b> text");
    let mismatch = |content: &str, kind| matches!(read(content, Some(kind)), Err(ReadError::Mismatch { .. }));
    assert!(mismatch("<!DOCTYPE html><p>a", TEXT));
    assert!(mismatch(&STANDARD.encode(page("BT (a) Tj ET")), TEXT));
    assert!(mismatch(&STANDARD.encode("just text, long enough"), PDF));
    assert_eq!(read("a", Some("image/png")), Err(ReadError::UnknownMediaType("image/png".into())));
    assert_eq!(read("a\0b", None), Err(ReadError::Binary));
    assert_eq!(read("%%%", Some(PDF)), Err(ReadError::NotBase64));
    assert_eq!(read(&"a".repeat(MAX_BYTES * 2), None), Err(ReadError::TooLarge));
}

#[test]
fn a_pdf_is_read_in_lines_headings_and_paragraphs() {
    let drawing = "BT /F1 18 Tf 72 720 Td (Permits) Tj /F1 11 Tf 0 -30 Td [(A deck per) 20 (mit) -300 (costs)] TJ \
        0 -13 Td (forty dol-) Tj 0 -13 Td (lars \\(2024\\).) Tj 0 -40 Td <4E657874> Tj ET";
    let read = pdf(&page(drawing)).unwrap();
    assert_eq!(read.text, "## Permits\n\nA deck permit costs forty dollars (2024).\n\nNext");
    assert_eq!(read.media_type, PDF);
}

#[test]
fn packed_streams_object_streams_and_unicode_maps_are_read() {
    let map = b"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0001> <0003> <0061> endbfrange \
        1 beginbfchar <0009> <00e9> endbfchar";
    let inside = format!("3 0 5 {} ", PAGE.len() + 1);
    let font = format!("<< {COMPOSITE} /ToUnicode 9 0 R >>");
    let pack = [inside.as_bytes(), PAGE, b" ", font.as_bytes()].concat();
    let head = format!("/Type /ObjStm /N 2 /First {} /Filter /FlateDecode", inside.len());
    let drawing = deflated(b"BT /F1 12 Tf 72 700 Td <0001000200030009> Tj ET");
    let objects: Vec<Vec<u8>> = vec![
        CATALOG.to_vec(),
        PAGES.to_vec(),
        Vec::new(),
        stream("/Filter /FlateDecode", &drawing),
        Vec::new(),
        IMAGE.to_vec(),
        Vec::new(),
        stream(&head, &deflated(&pack)),
        stream("/Filter [/FlateDecode]", &deflated(map)),
    ];
    let objects: Vec<&[u8]> = objects.iter().map(Vec::as_slice).collect();
    assert_eq!(pdf(&file(&objects, "")).unwrap().text, "abcé");
}

#[test]
fn text_that_no_reader_sees_is_left_out_of_a_pdf() {
    for hidden in [
        "3 Tr (X) Tj 0 Tr",
        "1 1 1 rg (X) Tj 0 0 0 rg",
        "1 g (X) Tj 0 g",
        "/F1 0.5 Tf (X) Tj /F1 12 Tf",
        "1 0 0 1 -900 700 Tm (X) Tj 1 0 0 1 72 690 Tm",
    ] {
        let read =
            pdf(&page(&format!("BT /F1 12 Tf 72 700 Td (Seen) Tj {hidden} 0 -14 Td (Also) Tj ET"))).unwrap();
        assert!(!read.text.contains('X') && read.text.contains("Also"), "{hidden}: {}", read.text);
        assert_eq!(read.hidden, 1, "{hidden}");
    }
}

#[test]
fn a_scan_is_refused_and_one_with_recognised_text_is_read() {
    assert_eq!(pdf(&page("/Im Do")), Err(ReadError::Scanned));
    assert_eq!(
        pdf(&page("/Im Do BT 3 Tr /F1 12 Tf 72 700 Td (Recognised) Tj ET")).unwrap().text,
        "Recognised"
    );
}

#[test]
fn headers_and_footers_are_read_once_at_most() {
    let drawing = |(n, word): (u32, &str)| {
        let lines =
            [format!("County code, page {n}"), format!("Rule {word} stands."), format!("More of {word}.")];
        let shown: Vec<String> = lines.iter().map(|line| format!("0 -40 Td ({line}) Tj")).collect();
        stream("", format!("BT /F1 10 Tf 72 760 Td {} ET", shown.join(" ")).as_bytes())
    };
    let pages: Vec<Vec<u8>> = (0..).zip(["alpha", "beta", "gamma", "delta"]).map(drawing).collect();
    let kid = |n: usize| {
        format!("<< /Type /Page /Contents {n} 0 R /Resources << /Font << /F1 5 0 R >> >> >>").into_bytes()
    };
    let tree = b"<< /Type /Pages /Kids [6 0 R 7 0 R 8 0 R 9 0 R] /MediaBox [0 0 612 792] >>";
    let mut objects: Vec<Vec<u8>> =
        vec![CATALOG.to_vec(), tree.to_vec(), b"null".to_vec(), b"null".to_vec(), FONT.to_vec()];
    objects.extend((10..14).map(kid));
    objects.extend(pages);
    let objects: Vec<&[u8]> = objects.iter().map(Vec::as_slice).collect();
    let text = pdf(&file(&objects, "")).unwrap().text;
    assert!(!text.contains("County code") && text.contains("Rule delta stands."), "{text}");
}

#[test]
fn hostile_pdfs_are_refused_by_name() {
    assert!(matches!(pdf(b"%PDF-1.7\nnothing here"), Err(ReadError::Broken(_))));
    assert!(matches!(pdf(&file(&[b"<< >>"], "")), Err(ReadError::Broken(_))));

    // A form that draws itself, many times over.
    let form = stream("/Subtype /Form", "/Fm Do ".repeat(40).as_bytes());
    let looped = file(&[CATALOG, PAGES, PAGE, &stream("", b"/Fm Do"), FONT, IMAGE, &form], "");
    assert!(matches!(pdf(&looped), Err(ReadError::Bomb(_) | ReadError::Scanned)));

    let endless = deflated(format!("BT /F1 12 Tf 9 9 Td ({}) Tj ET", "a".repeat(MAX_TEXT + 1)).as_bytes());
    let long = file(&[CATALOG, PAGES, PAGE, &stream("/Filter /FlateDecode", &endless), FONT], "");
    assert_eq!(pdf(&long), Err(ReadError::TooMuchText));

    // A tree of pages that leads back to its root.
    let back = b"<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R 3 0 R] /MediaBox [0 0 612 792] >>";
    let tree = file(&[CATALOG, back, PAGE, &stream("", b"BT /F1 12 Tf 9 9 Td (Once) Tj ET"), FONT], "");
    assert_eq!(pdf(&tree).unwrap().text, "Once");

    let many = format!("<< /Type /Pages /Kids [{}] >>", "<< /Type /Page >> ".repeat(MAX_PAGES + 1));
    assert_eq!(pdf(&file(&[CATALOG, many.as_bytes()], "")), Err(ReadError::TooManyPages));

    // Codes without letters.
    let mute = format!("<< {COMPOSITE} >>").into_bytes();
    let drawn = stream("", b"BT /F1 12 Tf 9 9 Td <00010002> Tj ET");
    assert_eq!(pdf(&file(&[CATALOG, PAGES, PAGE, &drawn, &mute], "")), Err(ReadError::Unreadable));

    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert!(pdf(&file(&[CATALOG, PAGES, &deep], "")).is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_fall(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for kind in [None, Some(TEXT), Some(HTML), Some(CSV), Some(PDF)] {
            drop(read_bytes(&bytes, kind));
            drop(read_bytes(&[b"{\\rtf1 ".as_slice(), bytes.as_slice()].concat(), kind));
            drop(read_bytes(&[b"%PDF-1.4\n".as_slice(), bytes.as_slice()].concat(), kind));
        }
    }

    #[test]
    fn no_damage_to_a_pdf_makes_its_reader_fall(at in 0usize..900, byte in any::<u8>(), cut in 0usize..900) {
        let mut bytes = page("BT /F1 12 Tf 72 700 Td [(Se) -300 (en)] TJ T* (b) ' /Im Do q 1 0 0 1 0 0 cm Q ET");
        let length = bytes.len();
        bytes[at % length] = byte;
        drop(pdf(&bytes));
        drop(pdf(&bytes[..cut % length]));
    }

    #[test]
    fn no_markup_makes_its_reader_fall(
        page in "(<|>|</|<p|<td>|<tr|<table>|</table>|<style>|</style|hidden|=|\"|'|&#x?[0-9a-f]{1,9};?|&[a-z]{1,9};|<!--|-->|é| |\\PC){0,60}",
    ) {
        let read = html(&page);
        prop_assert!(!read.text.contains("<script"));
    }
}

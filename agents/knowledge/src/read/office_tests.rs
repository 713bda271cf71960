#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;

use super::*;

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut package = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        package.start_file(*name, SimpleFileOptions::default()).unwrap();
        package.write_all(text.as_bytes()).unwrap();
    }
    package.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    let core = "<cp:coreProperties><dc:title>Fees &amp; Forms</dc:title></cp:coreProperties>";
    package(&[("word/document.xml", &document), ("docProps/core.xml", core)])
}

fn run(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>")
}

#[test]
fn a_word_document_is_read_as_its_reader_sees_it() {
    let cell = |text: &str| format!("<w:tc><w:p>{}</w:p></w:tc>", run("", text));
    let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
    let body = [
        format!("<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr>{}</w:p>", run("", "Permits")),
        format!("<w:p>{}{}</w:p>", run("<w:b/>", "A deck"), run("", " costs &#36;45 &lt;net&gt;.")),
        format!("<w:p><w:pPr><w:numPr/></w:pPr>{}</w:p>", run("", "One")),
        format!("<w:p><w:del>{}</w:del>{}</w:p>", run("", "X"), run("<w:vanish/>", "X")),
        format!("<w:p>{}{}</w:p>", run("<w:color w:val='FFFFFF'/>", "X"), run("<w:sz w:val='2'/>", "X")),
        format!("<w:tbl>{}{}{}</w:tbl>", row("Permit", "Fee"), row("Deck", "$45"), row("Fence", "$20")),
        format!("<w:p>{}</w:p>", run("", "# After.")),
    ];
    let read = read_bytes(&docx(&body.concat()), None).unwrap();
    assert_eq!(
        read.text,
        "## Permits\n\nA deck costs $45 <net>.\n- One\n\nPermit: Deck; Fee: $45.\nPermit: Fence; Fee: $20.\n\nAfter."
    );
    assert_eq!((read.title.as_deref(), read.media_type, read.hidden), (Some("Fees & Forms"), DOCX, 3));
}

#[test]
fn an_open_document_is_read_as_its_reader_sees_it() {
    let content = "<office:document-content><office:automatic-styles><style:style style:name='T1'>
        <style:text-properties text:display='none'/></style:style></office:automatic-styles><office:body>
        <text:h>Hours</text:h><text:p>Open<text:s/>daily <text:span text:style-name='T1'>X</text:span>now.</text:p>
        <text:tracked-changes><text:p>X</text:p></text:tracked-changes>
        <text:list><text:list-item><text:p>Monday</text:p></text:list-item></text:list>
        <table:table><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell>
        <table:table-cell><text:p>From</text:p></table:table-cell></table:table-row><table:table-row>
        <table:table-cell><text:p>Friday</text:p></table:table-cell><table:table-cell><text:p>8</text:p></table:table-cell>
        </table:table-row></table:table></office:body></office:document-content>";
    let bytes = package(&[("mimetype", ODT), ("content.xml", content)]);
    let read = read_bytes(&bytes, Some(ODT)).unwrap();
    assert_eq!(read.text, "## Hours\n\nOpen daily now.\n- Monday\n\nDay: Friday; From: 8.");
    assert_eq!((read.media_type, read.hidden), (ODT, 1));
    let sealed = package(&[
        ("mimetype", ODT),
        ("content.xml", content),
        ("META-INF/manifest.xml", "<manifest:encryption-data/>"),
    ]);
    assert_eq!(read_bytes(&sealed, None), Err(ReadError::Encrypted));
}

#[test]
fn rows_of_a_spreadsheet_name_their_columns() {
    let text = |at: &str, text: &str| format!("<c r='{at}' t='inlineStr'><is><t>{text}</t></is></c>");
    let sheet = format!(
        "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>\
        <row r='1'>{}{}</row><row r='2'>{}<c r='B2'><v>45</v></c></row></sheetData></worksheet>",
        text("A1", "Permit"),
        text("B1", "Fee"),
        text("A2", "Deck")
    );
    let book = "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
        xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'><sheets>\
        <sheet name='Fees' sheetId='1' r:id='rId1'/><sheet name='X' sheetId='2' state='hidden' r:id='rId1'/></sheets></workbook>";
    let links = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
        <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' \
        Target='worksheets/sheet1.xml'/></Relationships>";
    let root = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
        <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
        Target='xl/workbook.xml'/></Relationships>";
    let bytes = package(&[
        ("_rels/.rels", root),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", links),
        ("xl/worksheets/sheet1.xml", &sheet),
    ]);
    let read = read_bytes(&bytes, None).unwrap();
    assert_eq!(read.text, "## Fees\n\nPermit: Deck; Fee: 45.");
    assert_eq!((read.media_type, read.hidden), (XLSX, 1));
}

#[test]
fn rows_of_comma_separated_values_name_their_columns() {
    let comma = |text: &str| read(text, Some("text/csv; charset=utf-8")).unwrap().text;
    assert_eq!(
        comma("Permit,Fee\nDeck,\"$1,045\"\n,\nFence,$20\n"),
        "Permit: Deck; Fee: $1,045.\nPermit: Fence; Fee: $20."
    );
    assert_eq!(comma("Permit;Fee\nDeck;45,50"), "Permit: Deck; Fee: 45,50.");
    assert_eq!(comma("only headers,here"), "only headers; here.");
    assert_eq!(comma("a,b\nc\nd,e,f"), "a: c.\na: d; b: e; f.");
}

#[test]
fn rich_text_is_read_as_its_reader_sees_it() {
    let text = r"{\rtf1\ansi{\fonttbl{\f0 Times;}}{\*\generator X;}{\info{\title X}}\pard Caf\'e9 \u8220?open\u8221? {\v X}daily\par
\trowd\pard\intbl Permit\cell Fee\cell\row\trowd\pard\intbl Deck\cell $45\cell\row\pard After\{\}.\par}";
    let read = read(text, None).unwrap();
    assert_eq!(read.text, "Café “open” daily\n\nPermit: Deck; Fee: $45.\n\nAfter{}.");
    assert_eq!((read.media_type, read.hidden), (RTF, 1));
}

#[test]
fn packages_are_told_apart_and_wrong_ones_are_refused() {
    let bytes = docx("<w:p><w:r><w:t>a</w:t></w:r></w:p>");
    let packed = base64::engine::general_purpose::STANDARD.encode(&bytes);
    assert_eq!(read(&packed, None).unwrap().media_type, DOCX);
    assert_eq!(read(&packed, Some(DOCX)).unwrap().text, "a");
    for declared in [TEXT, XLSX, PDF] {
        assert!(matches!(read(&packed, Some(declared)), Err(ReadError::Mismatch { .. })), "{declared}");
    }
    let other = package(&[("a.txt", "a")]);
    assert!(matches!(read_bytes(&other, None), Err(ReadError::UnknownMediaType(_))));
    assert_eq!(read_bytes(&docx(""), None), Err(ReadError::Empty));
    assert!(matches!(read_bytes(&bytes[..bytes.len() / 2], Some(DOCX)), Err(ReadError::Mismatch { .. })));
    let bomb = package(&[("word/document.xml", &" ".repeat(100 << 20))]);
    assert!(bomb.len() < 200_000);
    assert_eq!(read_bytes(&bomb, None), Err(ReadError::Bomb("unpacked bytes".into())));
}

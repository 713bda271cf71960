//! Routes to a tenant's own teams: known by ten examples, without training.

use super::WORLD;
use crate::understanding::api::Reader;

const LIBRARY: [&str; 10] = [
    "i'd like to renew my library card",
    "how do i reserve a book",
    "can i return a book at another branch",
    "do you lend audio books",
    "my library book is overdue",
    "i lost a book that i borrowed",
    "what do i need to get a library card for my son",
    "can you hold that novel for me",
    "is the bookmobile coming to our neighborhood",
    "i want to borrow an ebook",
];

#[test]
fn ten_examples_make_a_route_and_leave_the_others_as_they_were() {
    if !WORLD.has_model() {
        return;
    }
    let reader = WORLD.runtime.block_on(Reader::new(WORLD.retriever.embedder().cloned())).unwrap();
    let routes = [("team.library".to_owned(), LIBRARY.map(str::to_owned).to_vec())];
    let own = WORLD.runtime.block_on(reader.extended(&routes)).unwrap();
    let wanted = |reader: &Reader, text: &str| WORLD.runtime.block_on(reader.want(text)).0.unwrap();
    let theirs = [
        "i need to renew a book that i checked out",
        "could you put a book on hold for me",
        "my daughter wants a library card",
        "i think i lost one of the library books",
    ];
    let taken = theirs.iter().filter(|text| wanted(&own, text).0 == "team.library").count();
    assert!(taken >= 3, "{:?}", theirs.map(|text| wanted(&own, text)));
    for text in ["there's a pothole on elm street i want to report", "i want to schedule an inspection"] {
        assert_eq!(wanted(&own, text), wanted(&reader, text), "{text}");
    }
    let (_, nearest) = WORLD.runtime.block_on(own.want(theirs[0]));
    assert_eq!(nearest[0].route, "team.library", "{nearest:?}");
}

#![allow(clippy::unwrap_used)]

use super::*;

fn document(source: &str, content: &str) -> Document {
    Document { source: source.into(), title: String::new(), content: content.into(), ..Document::default() }
}

#[tokio::test]
async fn a_document_of_the_same_source_is_replaced() {
    let retriever = Retriever::lexical();
    let tenant = Uuid::from_u128(1);
    retriever.put(tenant, document("a", "Couches are collected on Monday.")).await.unwrap();
    retriever.put(tenant, document("a", "Couches are collected on Friday.")).await.unwrap();
    let found = retriever.search(tenant, &Query::new("couch")).await;
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("Friday"));
    assert!(retriever.remove(tenant, "a"));
    assert!(retriever.search(tenant, &Query::new("couch")).await.is_empty());
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let retriever = Retriever::lexical();
    retriever.put(Uuid::from_u128(1), document("a", "Couches are collected.")).await.unwrap();
    assert!(retriever.search(Uuid::from_u128(2), &Query::new("couch")).await.is_empty());
}

#[tokio::test]
async fn empty_documents_are_refused() {
    let refused = Retriever::lexical().put(Uuid::nil(), document("a", "  \n")).await;
    assert_eq!(refused, Err(RetrieverError::Empty("a".into())));
}

#[tokio::test]
async fn one_result_per_document_and_the_minimum_holds() {
    let retriever = Retriever::lexical();
    let text = "# Waste\n## Couch\nCouch one.\n## More\nCouch two and tables.";
    retriever.put(Uuid::nil(), document("a", text)).await.unwrap();
    assert_eq!(retriever.search(Uuid::nil(), &Query::new("couch")).await.len(), 1);
    let strict = Query { min_relevance_score: 0.99, ..Query::new("couch elephants") };
    assert!(retriever.search(Uuid::nil(), &strict).await.is_empty());
}

#[tokio::test]
async fn kept_vectors_serve_where_the_text_is_the_same() {
    let retriever = Retriever::lexical();
    let before = document("a", "+++\nasked_as = [\"sofas\"]\n+++\n# Waste\nCouches on Monday.");
    let mut parts = retriever.embed(Uuid::nil(), std::slice::from_ref(&before)).await.unwrap().remove(0);
    assert_eq!(
        parts.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(),
        ["Waste. Couches on Monday.", "sofas"]
    );
    for part in &mut parts {
        part.vector = Some(Vector::from([1.0, 0.0].as_slice()));
    }
    retriever.put_embedded(Uuid::nil(), &before, &parts).unwrap();
    let vectors = |retriever: &Retriever| {
        let index = retriever.tenants.read().get(&Uuid::nil()).cloned().unwrap();
        let document = index.document("a").unwrap().clone();
        (document.passages[0].vector.is_some(), document.asked_as.len())
    };
    assert_eq!(vectors(&retriever), (true, 1));
    let after = document("a", "+++\nasked_as = [\"sofas\"]\n+++\n# Waste\nCouches on Friday.");
    retriever.put_all_embedded(Uuid::nil(), &[(after, parts)]);
    assert_eq!(vectors(&retriever), (false, 1), "a vector of other words is not used");
}

#[tokio::test]
async fn documents_come_and_go_one_by_one_and_all_are_found() {
    let retriever = Retriever::lexical();
    let mut there = std::collections::BTreeMap::new();
    for n in 0..300u32 {
        let source = format!("s{}", (n * 7) % 90);
        let text = format!("Page about subject{n} and the county.");
        retriever.put(Uuid::nil(), document(&source, &text)).await.unwrap();
        there.insert(source.clone(), n);
        if n % 11 == 0 {
            assert!(retriever.remove(Uuid::nil(), &source));
            assert!(!retriever.remove(Uuid::nil(), &source));
            there.remove(&source);
        }
    }
    for (source, n) in &there {
        let found = retriever.search(Uuid::nil(), &Query::new(&format!("subject{n}"))).await;
        assert_eq!(found.first().map(|f| f.source.as_str()), Some(source.as_str()));
    }
    let all = Query { limit: 1000, ..Query::new("county page") };
    assert_eq!(retriever.search(Uuid::nil(), &all).await.len(), there.len());
}

#[tokio::test]
async fn filters_narrow_before_the_limit() {
    let retriever = Retriever::lexical();
    for n in 0..30 {
        retriever.put(Uuid::nil(), document(&format!("s{n}"), "Couches are collected.")).await.unwrap();
    }
    let filters = Filters { sources: vec!["s23".into()], ..Filters::default() };
    let query = Query { filters, limit: 1, ..Query::new("couch") };
    assert_eq!(retriever.search(Uuid::nil(), &query).await[0].source, "s23");
    let none = Filters { media_type: Some("application/pdf".into()), ..Filters::default() };
    assert!(retriever.search(Uuid::nil(), &Query { filters: none, ..Query::new("couch") }).await.is_empty());
}

#[tokio::test]
async fn what_is_said_finds_what_is_written() {
    let retriever = Retriever::lexical();
    for (source, text) in [
        ("lien", "A lien on the house is released when the debt is paid."),
        ("fee25", "The permit fee is $25."),
        ("fee45", "The permit fee is $45."),
        ("carport", "A carport needs no foundation."),
        ("beyonce", "Beyonce sings in the park."),
    ] {
        retriever.put(Uuid::nil(), document(source, text)).await.unwrap();
    }
    for (said, source) in [
        ("how do i get a lean off my house", "lien"),
        ("is the fee twenty five or uh what is it twenty five dollars", "fee25"),
        ("can i build a car port", "carport"),
        ("when does beyonsay sing", "beyonce"),
    ] {
        let found = retriever.search(Uuid::nil(), &Query::new(said)).await;
        assert_eq!(found.first().map(|f| f.source.as_str()), Some(source), "{said}");
    }
}

#[tokio::test]
async fn dates_and_teams_narrow() {
    let retriever = Retriever::lexical();
    let day = |n: u32| chrono::DateTime::from_timestamp(i64::from(n) * 86_400, 0);
    for (n, source) in [(1, "a"), (2, "teams/permits/b"), (3, "teams/taxes/c")] {
        let posted = Document { updated_at: day(n), ..document(source, "Couches are collected.") };
        retriever.put(Uuid::nil(), posted).await.unwrap();
    }
    let found = async |filters| {
        let query = Query { filters, ..Query::new("couch") };
        let mut found: Vec<_> =
            retriever.search(Uuid::nil(), &query).await.into_iter().map(|f| f.source).collect();
        found.sort();
        found
    };
    let dates = Filters { updated_from: day(2), updated_before: day(3), ..Filters::default() };
    assert_eq!(found(dates).await, ["teams/permits/b"]);
    let team = Filters { team: Some("permits".into()), ..Filters::default() };
    assert_eq!(found(team).await, ["a", "teams/permits/b"]);
    assert_eq!(found(Filters::default()).await.len(), 3);
}

#[tokio::test]
async fn a_section_is_known_by_the_questions_it_answers() {
    let retriever = Retriever::lexical();
    let page = "+++\n[asked]\n\"Missed\" = [\"my can is still full\"]\n+++\n# Trash\n## Days\nOnce a week.\n## Missed\nA truck comes back.";
    retriever.put(Uuid::nil(), document("trash", page)).await.unwrap();
    let within = retriever.within(Uuid::nil(), "trash", "is my can still full").await;
    let missed = within.iter().find(|found| found.heading.as_deref() == Some("Missed")).unwrap();
    let days = within.iter().find(|found| found.heading.as_deref() == Some("Days")).unwrap();
    assert!(missed.shared > 0.9 && missed.paraphrase.is_none(), "{missed:?}");
    assert_eq!(days.shared, 0.0);
    assert!(days.front.asked.is_empty() && missed.front.asked.len() == 1);
}

#[tokio::test]
async fn a_spanish_question_finds_the_translation_before_the_page() {
    let retriever = Retriever::lexical();
    let english = "# Dog license\nA dog license costs 10 dollars.";
    let spanish = "+++\nlanguage = \"es\"\ntranslates = \"dogs\"\n+++\n# Mascotas\nCuesta diez dólares.";
    retriever.put(Uuid::nil(), document("county/dogs.md", english)).await.unwrap();
    retriever.put(Uuid::nil(), document("es/mascotas.md", spanish)).await.unwrap();
    let sources = |found: Vec<Found>| found.into_iter().map(|found| found.source).collect::<Vec<_>>();
    let asked = retriever.search(Uuid::nil(), &Query::new("¿Necesito licencia para mi perro?")).await;
    assert_eq!(sources(asked), ["es/mascotas.md", "county/dogs.md"]);
    let asked = retriever.search(Uuid::nil(), &Query::new("do I need a license for my dog")).await;
    assert_eq!(sources(asked), ["county/dogs.md"]);
}

use super::{Phone, WORLD};
#[test]
fn talk() {
    let Ok(text) = std::fs::read_to_string("/tmp/talk.txt") else { return };
    for call in text.split("\n---\n") {
        let mut phone = Phone::new(&WORLD, false);
        println!("=====");
        for line in call.lines().filter(|l| !l.is_empty()) {
            let reply = phone.say(line);
            println!("C: {line}\nA: {reply}   [{:?}]", phone.last.as_ref().unwrap().note.heard);
        }
    }
}

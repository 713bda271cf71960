//! Words that sound alike. A recogniser writes the commoner one; what is meant may stand in a document under the other.

/// Words of one sound each. Only those of which a caller of an office may mean either.
const ALIKE: &[&[&str]] = &[
    &["air", "heir"],
    &["aisle", "isle"],
    &["allowed", "aloud"],
    &["assistance", "assistants"],
    &["attendance", "attendants"],
    &["band", "banned"],
    &["bare", "bear"],
    &["bury", "berry"],
    &["billed", "build"],
    &["board", "bored"],
    &["boulder", "bolder"],
    &["brake", "break"],
    &["canceled", "counseled"],
    &["capital", "capitol"],
    &["cash", "cache"],
    &["cell", "sell"],
    &["census", "senses"],
    &["cent", "sent", "scent"],
    &["cents", "sense"],
    &["cereal", "serial"],
    &["check", "cheque"],
    &["cite", "site", "sight"],
    &["council", "counsel"],
    &["current", "currant"],
    &["deed", "did"],
    &["due", "dew"],
    &["dual", "duel"],
    &["fair", "fare"],
    &["feet", "feat"],
    &["flu", "flew"],
    &["fourth", "forth"],
    &["grate", "great"],
    &["hall", "haul", "hole", "whole"],
    &["clerk", "clerks", "clark", "clarks"],
    &["hear", "here"],
    &["hire", "higher"],
    &["hour", "our"],
    &["idle", "idol"],
    &["incidence", "incidents"],
    &["knew", "new"],
    &["lean", "lien"],
    &["leased", "least"],
    &["lessen", "lesson"],
    &["levee", "levy"],
    &["loan", "lone"],
    &["made", "maid"],
    &["mail", "male"],
    &["main", "mane"],
    &["manner", "manor"],
    &["meat", "meet"],
    &["miner", "minor"],
    &["one", "won"],
    &["pail", "pale"],
    &["patience", "patients"],
    &["peace", "piece"],
    &["peer", "pier"],
    &["plain", "plane"],
    &["pole", "poll"],
    &["pray", "prey"],
    &["presence", "presents"],
    &["principal", "principle"],
    &["profit", "prophet"],
    &["rain", "reign", "rein"],
    &["raise", "rays", "raze"],
    &["read", "red"],
    &["residence", "residents"],
    &["right", "write"],
    &["road", "rode", "rowed"],
    &["role", "roll"],
    &["root", "route"],
    &["sail", "sale"],
    &["sea", "see"],
    &["sewer", "suer"],
    &["son", "sun"],
    &["stake", "steak"],
    &["stationary", "stationery"],
    &["steal", "steel"],
    &["suite", "sweet"],
    &["sum", "some"],
    &["tail", "tale"],
    &["tax", "tacks"],
    &["toe", "tow"],
    &["told", "tolled"],
    &["vain", "vein"],
    &["wade", "weighed"],
    &["wait", "weight"],
    &["waist", "waste"],
    &["waiver", "waver"],
    &["war", "wore"],
    &["ware", "wear", "where"],
    &["weak", "week"],
    &["weather", "whether"],
    &["wood", "would"],
];

/// The other words of the same sound.
pub(super) fn alike(word: &str) -> impl Iterator<Item = &'static str> {
    let own = word.to_owned();
    ALIKE.iter().filter(move |set| set.contains(&own.as_str())).flat_map(|set| set.iter().copied()).filter({
        let own = word.to_owned();
        move |other| *other != own
    })
}

/// How a word sounds, roughly: its consonants, voiced and unvoiced ones of a pair alike where spelling mixes them.
/// `None` for what is too short to be told by it.
pub(super) fn key(word: &str) -> Option<String> {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let word =
        word.replace("ph", "f").replace("gh", "").replace("ck", "k").replace("sch", "sk").replace("wr", "r");
    let word = word.replace("kn", "n").replace("dg", "j").replace("tion", "shn");
    let letters: Vec<char> = word.chars().collect();
    let mut key = String::new();
    for (n, &c) in letters.iter().enumerate() {
        let soft = matches!(letters.get(n + 1), Some('e' | 'i' | 'y'));
        let sound = match c {
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' if n == 0 => 'a',
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h' | 'w' => continue,
            'c' if soft => 's',
            'c' | 'q' => 'k',
            'x' | 'z' => 's',
            'v' => 'f',
            'g' if soft => 'j',
            c => c,
        };
        if !key.ends_with(sound) {
            key.push(sound);
        }
    }
    (key.len() >= 3).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_sound_find_each_other() {
        assert_eq!(alike("lean").collect::<Vec<_>>(), ["lien"]);
        assert_eq!(alike("site").count(), 2);
        assert_eq!(alike("permit").count(), 0);
    }

    #[test]
    fn a_misspelt_name_sounds_like_the_name() {
        for (said, written) in [("beyonsay", "beyonce"), ("catherine", "katherine"), ("filips", "phillips")] {
            assert_eq!(key(said), key(written), "{said}");
        }
        assert_ne!(key("permit"), key("parade"));
        assert_eq!(key("bus"), None);
    }
}

//! Holidays of the office, told to whoever asks for its hours.

use chrono::NaiveDate;

use super::{Phone, World};

fn told(day: u32, name: &str) -> String {
    let mut world = World::new(false);
    let day = NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    world.facts.holidays.insert(day, name.to_owned());
    let mut phone = Phone::new(&world, true);
    phone.say("What are your office hours?")
}

#[test]
fn a_holiday_soon_is_told_with_the_hours() {
    let reply = told(26, "Thanksgiving");
    assert!(reply.contains("closed on Thursday, November 26 for Thanksgiving"), "{reply}");
    let reply = told(26, "");
    assert!(reply.contains("closed on Thursday, November 26.") && !reply.contains(" for ."), "{reply}");
}

#[test]
fn a_holiday_today_is_today() {
    let reply = told(22, "Founders' Day");
    assert!(reply.contains("closed today for Founders' Day"), "{reply}");
}

#[test]
fn what_is_past_or_far_ahead_is_not_told() {
    assert!(!told(21, "Founders' Day").contains("closed"));
    let mut world = World::new(false);
    world.facts.holidays.insert(NaiveDate::from_ymd_opt(2026, 12, 25).unwrap(), "Christmas".to_owned());
    let reply = Phone::new(&world, true).say("What are your office hours?");
    assert!(!reply.contains("Christmas"), "{reply}");
}

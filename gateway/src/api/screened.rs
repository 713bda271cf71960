//! What leaves the sensitive zone over the API: everything that callers said passes a call's screen first.

use pipeline::ports::Screen;
use serde_json::Value;
use storage::TenantId;

use crate::app::App;
use crate::error::ApiError;

/// Token of the other party's number: the first phone number of a call.
pub const CALLER_TOKEN: &str = "⟨phone:1⟩";

/// Characters of a UUID as we write it.
const UUID: usize = 36;

/// A screen for one answer. `caller` is shown to it first, so that the caller's number is `⟨phone:1⟩` as in the
/// call's events.
pub fn screen(app: &App, tenant: TenantId, caller: Option<String>) -> Result<Box<dyn Screen>, ApiError> {
    let mut screen = (app.engines()?.providers.screen)(tenant);
    if let Some(number) = caller {
        let _ = screen.screen(&number);
    }
    Ok(screen)
}

/// Screens every text in a document. A field whose name says that it is personal is a token whatever it holds:
/// no detector knows every name.
pub fn document(screen: &mut dyn Screen, value: &mut Value) {
    field(screen, "", value);
}

/// Screens one named value.
pub fn field(screen: &mut dyn Screen, name: &str, value: &mut Value) {
    match value {
        Value::String(text) => *text = text_of(screen, name, text),
        Value::Array(items) => items.iter_mut().for_each(|item| field(screen, name, item)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| field(screen, name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_of(screen: &mut dyn Screen, name: &str, text: &str) -> String {
    if text.len() == UUID && uuid::Uuid::try_parse(text).is_ok() {
        // An id of ours. One in some thousands holds what passes every check of a bank account.
        return text.to_owned();
    }
    let screened = screen.screen(text);
    match personal_kind(name) {
        Some(kind) if screened == text && !text.is_empty() => screen.token(kind, text),
        _ => screened,
    }
}

fn personal_kind(name: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 9] = [
        ("caller_name", "name"),
        ("contact_name", "name"),
        ("holder_name", "name"),
        ("full_name", "name"),
        ("phone", "phone"),
        ("callback_number", "phone"),
        ("email", "email"),
        ("birth", "date_of_birth"),
        ("address", "address"),
    ];
    if name == "name" {
        return Some("name");
    }
    KINDS.iter().find(|(part, _)| name.contains(part)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Phones;

    impl Screen for Phones {
        fn screen(&mut self, text: &str) -> String {
            text.replace("202-555-0143", "⟨phone:2⟩")
        }
    }

    #[test]
    fn an_id_of_ours_is_never_taken_for_personal_data() {
        struct Everything;
        impl Screen for Everything {
            fn screen(&mut self, _: &str) -> String {
                "⟨bank_account:1⟩".to_owned()
            }
        }
        let id = "01a20b5a-5627-7676-bf39-4b552cead70b";
        let mut value = json!({ "call_id": id, "said": format!("it is {id}") });
        document(&mut Everything, &mut value);
        assert_eq!(value, json!({ "call_id": id, "said": "⟨bank_account:1⟩" }));
    }

    #[test]
    fn a_field_that_is_personal_by_name_never_leaves_as_text() {
        let mut value =
            json!({"caller_name": "Ada Quist", "note": "call 202-555-0143", "floor": 3, "kind": "pothole"});
        document(&mut Phones, &mut value);
        let expected =
            json!({"caller_name": "⟨name:1⟩", "note": "call ⟨phone:2⟩", "floor": 3, "kind": "pothole"});
        assert_eq!(value, expected);
    }
}

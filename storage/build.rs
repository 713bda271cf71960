//! `sqlx::migrate!` embeds the migrations; cargo must rebuild when a file is added.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}

//! `quandura migrate`.

use storage::{Directory, Platform};

use crate::config::Config;

/// Brings every database to this version's schema and says which there are. A database that was written by a newer
/// version is left alone, and named in the error.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    if config.postgres.is_some() {
        let platform = Platform::open(config.storage()).await?;
        println!("{}: up to date", platform.place());
        platform.close().await;
        return Ok(());
    }
    let folder = &config.data_dir;
    let is_new = !folder.join("platform.db").exists();
    let platform = Platform::open(config.storage()).await?;
    let state = if is_new { "created" } else { "up to date" };
    println!("{}: {state}", folder.join("platform.db").display());
    for tenant in platform.store().tenants().await? {
        let file = folder.join("tenants").join(format!("{}.db", tenant.id));
        let state = if file.exists() { "up to date" } else { "created" };
        platform.tenant(tenant.id).await?;
        println!("{}: {state} ({})", file.display(), tenant.slug);
    }
    platform.close().await;
    Ok(())
}

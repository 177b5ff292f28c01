//! The pages on an empty store in memory, for looking at them: prints the set-up link and serves until stopped.
//!
//! `cargo run -p serve --example preview -- 127.0.0.1:7399 /reader`; both arguments may be left out.

use domain::Timestamp;
use serve::{App, BasePath, FetcherFacts, SetupToken, router};
use std::error::Error;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Place, Store, StoreConfig};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:7399".into());
    let base_path = BasePath::parse(&arguments.next().unwrap_or_default())?;
    let setup = SetupToken::random();
    println!("{}", setup.link(&format!("http://{address}"), &base_path));
    let app = App {
        store: Store::open(&StoreConfig::new(Place::SqliteMemory), now()).await?,
        setup,
        clock: Arc::new(now),
        version: env!("CARGO_PKG_VERSION").into(),
        base_path,
        secure: false,
        fetcher: FetcherFacts::new("Wellread/0.1.0 (+https://reader.example/about-fetcher)"),
    };
    axum::serve(tokio::net::TcpListener::bind(&address).await?, router(app)).await?;
    Ok(())
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.saturating_add(since)
}

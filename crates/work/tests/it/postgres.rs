//! A schema of its own on the server that `WELLREAD_TEST_POSTGRES` names.

use sqlx::Connection;

pub(crate) struct Schema {
    server: String,
    name: String,
}

impl Schema {
    /// None, and a word about it, when no server is named.
    pub(crate) async fn new(about: &str) -> Option<Self> {
        let Ok(server) = std::env::var("WELLREAD_TEST_POSTGRES") else {
            println!("skipped on PostgreSQL: WELLREAD_TEST_POSTGRES is not set");
            return None;
        };
        let name = format!("work_{about}_{}", std::process::id());
        run_on(&server, &format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}")).await;
        Some(Schema { server, name })
    }

    /// The address that leads into the schema.
    pub(crate) fn address(&self) -> String {
        let join = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{join}options=-c%20search_path%3D{}", self.server, self.name)
    }

    pub(crate) async fn remove(self) {
        run_on(&self.server, &format!("DROP SCHEMA {} CASCADE", self.name)).await;
    }
}

async fn run_on(server: &str, sql: &str) {
    let mut connection = sqlx::PgConnection::connect(server).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

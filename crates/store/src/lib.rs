//! Promises kept: SQLite and PostgreSQL behind one set of methods

//! The loop: lease, fetch, parse, store, plan

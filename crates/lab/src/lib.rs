//! Experiments that prove the claims

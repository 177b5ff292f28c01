//! Passwords: what is accepted, and how they are kept (A4).
//!
//! Argon2id with 19 MiB, two passes and one lane, the least that OWASP advises. Hashing costs tens of
//! milliseconds and 19 MiB by design, so it never runs on an async thread and at most [`HASHES_AT_ONCE`] run together.

use crate::words::Words;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::Secret;
use domain::preferences::Language;
use std::fmt;
use std::sync::Arc;
use std::sync::LazyLock;
use tokio::sync::Semaphore;

pub const CHARS_MIN: usize = 10;
/// More would only let a stranger make us hash more.
pub const BYTES_MAX: usize = 1024;
pub const HASHES_AT_ONCE: usize = 2;

#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The sentence is meant for the person who chose the password.
    #[error("{0}")]
    Refused(BadPassword),
    #[error("hashing a password")]
    Hash(#[source] argon2::password_hash::Error),
    #[error("the hashing of a password broke off")]
    BrokeOff,
}

/// Why a password is refused; `Display` is the English sentence for the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPassword {
    Short,
    Long,
}

impl BadPassword {
    pub(crate) fn sentence(self, words: &'static Words) -> &'static str {
        match self {
            BadPassword::Short => words.entry.password_short,
            BadPassword::Long => words.entry.password_long,
        }
    }
}

impl fmt::Display for BadPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence(Words::of(Language::English)))
    }
}

/// Refuses what is too short or too long.
pub fn check(password: &Secret) -> Result<(), BadPassword> {
    let text = password.reveal();
    if text.len() > BYTES_MAX {
        Err(BadPassword::Long)
    } else if text.chars().count() < CHARS_MIN {
        Err(BadPassword::Short)
    } else {
        Ok(())
    }
}

/// A PHC string (`$argon2id$…`) with a fresh salt. Blocks for tens of milliseconds; see [`hash_in_turn`].
pub fn hash(password: &Secret) -> Result<String, PasswordError> {
    check(password).map_err(PasswordError::Refused)?;
    let hash: PasswordHash =
        argon().hash_password(password.reveal().as_bytes()).map_err(PasswordError::Hash)?;
    Ok(hash.to_string())
}

/// False also for a stored text that is no hash. Blocks like [`hash`].
pub fn verify(password: &Secret, stored: &str) -> bool {
    if password.reveal().len() > BYTES_MAX {
        return false;
    }
    PasswordHash::new(stored)
        .is_ok_and(|parsed| argon().verify_password(password.reveal().as_bytes(), &parsed).is_ok())
}

/// True when `stored` was made with other parameters than today's: hash again at the next login.
pub fn is_outdated(stored: &str) -> bool {
    let current = PasswordHash::new(stored).is_ok_and(|parsed| {
        parsed.algorithm == Algorithm::Argon2id.ident()
            && Params::try_from(&parsed).is_ok_and(|params| {
                let ours = Params::DEFAULT;
                (params.m_cost(), params.t_cost(), params.p_cost())
                    == (ours.m_cost(), ours.t_cost(), ours.p_cost())
            })
    });
    !current
}

/// [`hash`] off the async threads, waiting for one of the few places.
pub async fn hash_in_turn(password: Secret) -> Result<String, PasswordError> {
    in_turn(move || hash(&password)).await?
}

/// What a login found out.
pub(crate) struct Verdict {
    pub(crate) is_right: bool,
    /// The stored hash used older parameters: keep this one instead.
    pub(crate) rehashed: Option<String>,
}

/// Compares off the async threads. Without a stored hash it works as long as with one, and says no: an unknown name
/// must not be told by its time (A3).
pub(crate) async fn verify_in_turn(
    password: Secret,
    stored: Option<String>,
) -> Result<Verdict, PasswordError> {
    in_turn(move || {
        let is_right = verify(&password, stored.as_deref().unwrap_or(&DUMMY)) && stored.is_some();
        let rehashed =
            stored.filter(|stored| is_right && is_outdated(stored)).and_then(|_| hash(&password).ok());
        Verdict { is_right, rehashed }
    })
    .await
}

/// A hash of nothing anybody knows.
static DUMMY: LazyLock<String> = LazyLock::new(|| {
    let random: String = rand::random::<[u8; 16]>().iter().map(|byte| format!("{byte:02x}")).collect();
    hash(&Secret::new(random)).unwrap_or_default()
});

async fn in_turn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, PasswordError> {
    static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(HASHES_AT_ONCE)));
    let place = PLACES.clone().acquire_owned().await.map_err(|_| PasswordError::BrokeOff)?;
    let working = tokio::task::spawn_blocking(move || {
        // The place moves in, because a caller who goes away does not stop the work.
        let _place = place;
        work()
    });
    working.await.map_err(|_| PasswordError::BrokeOff)
}

fn argon() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text)
    }

    #[test]
    fn a4_a_password_is_kept_as_a_salted_argon2id_hash() {
        let password = secret("correct horse battery");
        let (one, two) = (hash(&password).expect("a hash"), hash(&password).expect("a hash"));
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        assert_ne!(one, two, "each hash has its own salt");
        assert!(verify(&password, &one) && verify(&password, &two));
        assert!(!verify(&secret("correct horse batterz"), &one));
        assert!(!is_outdated(&one));
    }

    #[test]
    fn a4_a_huge_password_is_refused_before_any_hashing() {
        let huge = secret(&"x".repeat(10 << 20));
        assert!(matches!(hash(&huge), Err(PasswordError::Refused(BadPassword::Long))));
        let stored = hash(&secret(&"x".repeat(BYTES_MAX))).expect("the longest password is hashed");
        assert!(!verify(&huge, &stored));
    }

    #[test]
    fn a_password_counts_characters_below_and_bytes_above() {
        assert_eq!(check(&secret("ééééééééé")), Err(BadPassword::Short));
        assert_eq!(check(&secret("éééééééééé")), Ok(()));
        assert_eq!(check(&secret(&"é".repeat(BYTES_MAX / 2 + 1))), Err(BadPassword::Long));
    }

    #[test]
    fn a4_a_hash_of_other_parameters_is_due_for_renewal() {
        let salt = b"0123456789abcdef";
        let weak = Params::new(8 * 1024, 1, 1, None).expect("parameters");
        let old: PasswordHash = Argon2::new(Algorithm::Argon2id, Version::V0x13, weak)
            .hash_password_with_salt(b"correct horse battery", salt)
            .expect("a hash");
        assert!(is_outdated(&old.to_string()));
        assert!(
            verify(&secret("correct horse battery"), &old.to_string()),
            "an old hash still opens the door once"
        );
        assert!(is_outdated("not a hash") && !verify(&secret("correct horse battery"), "not a hash"));
    }
}

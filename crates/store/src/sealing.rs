//! Feed credentials, sealed with a key that is not in the database (O8).
//!
//! The key is a file of 32 random bytes, readable by its owner only. Whoever has the database or a backup but not the
//! key has no credentials; whoever loses the key enters them again.

use crate::error::{Result, StoreError};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use domain::Secret;
use domain::secret::FeedSecrets;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

const KEY_BYTES: usize = 32;
/// Random and long enough never to repeat (XChaCha20's extended nonce).
const NONCE_BYTES: usize = 24;
const SEALED_BYTES_MAX: usize = 64 << 10;

#[derive(Clone)]
pub struct SecretKey([u8; KEY_BYTES]);

impl SecretKey {
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        SecretKey(bytes)
    }

    /// Reads the key file, or makes one (0600) where there is none. A file of another size, or one that others may
    /// read, is refused: both mean that something went wrong, and guessing would lose or leak credentials.
    pub fn load_or_create(path: &Path) -> Result<SecretKey> {
        match fs::File::open(path) {
            Ok(file) => load(path, file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => create(path),
            Err(error) => Err(refuse(path, &format!("the key file cannot be opened ({error})"))),
        }
    }

    /// Seals for one feed: `context` is its address, and what is sealed for one feed does not open for another.
    pub fn seal(&self, secrets: &FeedSecrets, context: &str) -> Result<Vec<u8>> {
        let plain = serde_json::to_vec(&Plain::from(secrets)).map_err(|_| failed("cannot be written"))?;
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload { msg: &plain, aad: context.as_bytes() };
        let sealed = self
            .cipher()
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| failed("cannot be sealed"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    pub fn open(&self, sealed: &[u8], context: &str) -> Result<FeedSecrets> {
        if sealed.len() > SEALED_BYTES_MAX {
            return Err(failed("are longer than any we write"));
        }
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES).ok_or_else(|| failed("are cut short"))?;
        let payload = Payload { msg: sealed, aad: context.as_bytes() };
        let plain = self
            .cipher()
            .decrypt(XNonce::from_slice(nonce), payload)
            .map_err(|_| failed("do not open with this key for this address; please enter them again"))?;
        let plain: Plain = serde_json::from_slice(&plain).map_err(|_| failed("are not what we write"))?;
        Ok(plain.into())
    }

    /// Another key for another purpose, from which this one cannot be found.
    pub fn derive(&self, purpose: &str) -> Secret {
        let mut digest = Sha256::new();
        digest.update(b"wellread derived key ");
        digest.update(self.0);
        digest.update(purpose.as_bytes());
        Secret::new(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(Key::from_slice(&self.0))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(***)")
    }
}

#[derive(Serialize, Deserialize)]
struct Plain {
    user: Option<String>,
    password: Option<String>,
    headers: Vec<(String, String)>,
}

impl From<&FeedSecrets> for Plain {
    fn from(secrets: &FeedSecrets) -> Self {
        let header = |(name, value): &(String, Secret)| (name.clone(), value.reveal().to_owned());
        Plain {
            user: secrets.user.clone(),
            password: secrets.password.as_ref().map(|password| password.reveal().to_owned()),
            headers: secrets.headers.iter().map(header).collect(),
        }
    }
}

impl From<Plain> for FeedSecrets {
    fn from(plain: Plain) -> Self {
        FeedSecrets {
            user: plain.user,
            password: plain.password.map(Secret::new),
            headers: plain.headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect(),
        }
    }
}

fn load(path: &Path, file: fs::File) -> Result<SecretKey> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().map(|meta| meta.permissions().mode()).unwrap_or(0o777);
        if mode & 0o077 != 0 {
            return Err(refuse(path, "others on this machine may read the key; run chmod 600 on it"));
        }
    }
    let mut bytes = Vec::with_capacity(KEY_BYTES + 1);
    let read = file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes);
    match (read, <[u8; KEY_BYTES]>::try_from(bytes.as_slice())) {
        (Ok(_), Ok(key)) => Ok(SecretKey(key)),
        (Ok(_), Err(_)) => {
            Err(refuse(path, "a key has exactly 32 bytes; this is no key of ours, or a damaged one"))
        }
        (Err(error), _) => Err(refuse(path, &format!("the key file cannot be read ({error})"))),
    }
}

fn create(path: &Path) -> Result<SecretKey> {
    let key: [u8; KEY_BYTES] = rand::random();
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        file.write_all(&key)?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(SecretKey(key)),
        // Another process was faster; its key is as good.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => SecretKey::load_or_create(path),
        Err(error) => Err(refuse(path, &format!("the key file cannot be made ({error})"))),
    }
}

fn refuse(path: &Path, what: &str) -> StoreError {
    StoreError::File { path: path.to_owned(), what: what.to_owned() }
}

fn failed(what: &str) -> StoreError {
    StoreError::Secret(format!("the feed's stored credentials {what}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn secrets() -> FeedSecrets {
        FeedSecrets {
            user: Some("mira".into()),
            password: Some(Secret::new("hunter2")),
            headers: vec![("X-Api-Key".into(), Secret::new("k3y"))],
        }
    }

    #[test]
    fn o8_sealed_credentials_hold_no_readable_secret_and_open_again() {
        let key = SecretKey::from_bytes([7; 32]);
        let sealed = key.seal(&secrets(), "https://a.example/feed").unwrap();
        for secret in ["hunter2", "k3y", "mira"] {
            assert!(!sealed.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
        assert_eq!(key.open(&sealed, "https://a.example/feed").unwrap(), secrets());
        assert_ne!(
            sealed,
            key.seal(&secrets(), "https://a.example/feed").unwrap(),
            "nonces are never reused"
        );
    }

    #[test]
    fn o8_another_key_another_feed_or_a_changed_byte_opens_nothing() {
        let key = SecretKey::from_bytes([7; 32]);
        let mut sealed = key.seal(&secrets(), "https://a.example/feed").unwrap();
        assert!(key.open(&sealed, "https://b.example/feed").is_err());
        assert!(SecretKey::from_bytes([8; 32]).open(&sealed, "https://a.example/feed").is_err());
        assert!(key.open(&sealed[..10], "https://a.example/feed").is_err());
        sealed[30] ^= 1;
        assert!(key.open(&sealed, "https://a.example/feed").is_err());
    }

    #[test]
    fn o8_the_key_file_is_made_once_and_is_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret.key");
        let made = SecretKey::load_or_create(&path).unwrap();
        assert_eq!(SecretKey::load_or_create(&path).unwrap().0, made.0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let refused = SecretKey::load_or_create(&path).unwrap_err().to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        fs::write(&path, [1; 31]).unwrap();
        assert!(SecretKey::load_or_create(&path).unwrap_err().to_string().contains("32 bytes"));
    }
}

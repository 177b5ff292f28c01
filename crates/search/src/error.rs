//! What can go wrong with an index, and what to do about each.

use std::io;
use std::sync::Arc;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum Trouble {
    /// Another process writes to this folder. Searching here must wait, or use another folder.
    #[error("the search index is in use by another process; give each process a folder of its own")]
    Locked,
    /// Nothing is lost: the last commit stands. Make room, then follow again from where the writer says.
    #[error("the disk of the search index is full; indexing resumes when there is room")]
    DiskFull,
    /// Files are missing, cut or wrong. [`crate::Writer::reopen`] sets them aside and starts again.
    #[error("the search index is damaged ({0}); it is built again from the store")]
    Damaged(String),
    /// The folder cannot be used: no permission, not a folder, a failing disk.
    #[error("the search index cannot be read or written: {0}")]
    Io(Arc<io::Error>),
}

impl Trouble {
    pub(crate) fn io(error: io::Error) -> Trouble {
        Trouble::from_io(&Arc::new(error))
    }

    fn from_io(error: &Arc<io::Error>) -> Trouble {
        match error.kind() {
            _ if full(error) => Trouble::DiskFull,
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::NotFound
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput => Trouble::Damaged(error.to_string()),
            // Tantivy reports what it cannot decode as an error of no kind.
            io::ErrorKind::Other if error.raw_os_error().is_none() => Trouble::Damaged(error.to_string()),
            _ => Trouble::Io(Arc::clone(error)),
        }
    }
}

/// Tantivy wraps some errors of the disk, or keeps no more than their words.
fn full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
        return true;
    }
    let words = error.to_string();
    [StorageFull, QuotaExceeded].iter().any(|kind| words.contains(&kind.to_string()))
        || words.contains("No space left on device")
}

impl From<TantivyError> for Trouble {
    fn from(error: TantivyError) -> Trouble {
        match &error {
            TantivyError::LockFailure(LockError::LockBusy, _) => Trouble::Locked,
            TantivyError::LockFailure(LockError::IoError(io), _)
            | TantivyError::IoError(io)
            | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
            | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. })
            | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: io, .. }) => {
                Trouble::from_io(io)
            }
            _ if full(&io::Error::other(error.to_string())) => Trouble::DiskFull,
            _ => Trouble::Damaged(error.to_string()),
        }
    }
}

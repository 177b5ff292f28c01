//! The folder of an index, read with plain reads instead of memory maps.
//!
//! A mapped file that is cut short under a running process kills it with a signal nobody can catch; a read gives an
//! error, and the index is built again. Mapped pages also count as the process's memory. So what every query needs
//! (term dictionaries, lengths, columns) is held in memory, and the rest (postings, places, excerpts) is read when it
//! is asked for, from the system's cache. Everything but reading is left to Tantivy's own directory.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

/// Files of these kinds are held in memory while they are in use.
const HELD: [&str; 4] = ["term", "fieldnorm", "fast", "del"];

#[derive(Clone)]
pub(crate) struct Files {
    root: PathBuf,
    inner: MmapDirectory,
    held: Arc<Mutex<HashMap<PathBuf, Weak<[u8]>>>>,
    /// Bytes that may still be written; what a full disk looks like in a test.
    room: Arc<AtomicI64>,
}

impl Files {
    pub(crate) fn open(root: &Path) -> Result<Files, OpenDirectoryError> {
        Ok(Files {
            root: root.to_path_buf(),
            inner: MmapDirectory::open(root)?,
            held: Arc::default(),
            room: Arc::new(AtomicI64::new(i64::MAX)),
        })
    }

    #[cfg(test)]
    pub(crate) fn room(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.room)
    }

    fn hold(&self, path: &Path, file: &mut File, length: usize) -> io::Result<Arc<[u8]>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = held.get(path).and_then(Weak::upgrade) {
            return Ok(bytes);
        }
        let mut bytes = Vec::with_capacity(length);
        file.read_to_end(&mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        held.retain(|_, bytes| bytes.strong_count() > 0);
        held.insert(path.to_path_buf(), Arc::downgrade(&bytes));
        Ok(bytes)
    }
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Files({})", self.root.display())
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let wrap = |error| OpenReadError::wrap_io_error(error, path.to_path_buf());
        let mut file = File::open(self.root.join(path)).map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                OpenReadError::FileDoesNotExist(path.to_path_buf())
            } else {
                wrap(error)
            }
        })?;
        let length = usize::try_from(file.metadata().map_err(wrap)?.len()).unwrap_or(usize::MAX);
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if HELD.contains(&kind) {
            let bytes = self.hold(path, &mut file, length).map_err(wrap)?;
            return Ok(Arc::new(OwnedBytes::new(bytes)));
        }
        Ok(Arc::new(ReadFile { file, length, piece: Mutex::new(None) }))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let inner = self.inner.open_write(path)?;
        Ok(BufWriter::new(Box::new(Metered { inner, room: Arc::clone(&self.room) })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        spend(&self.room, data.len())?;
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// Small reads come from a piece of the file that is read at once: a merge asks for each word's few bytes in turn.
#[derive(Debug)]
struct ReadFile {
    file: File,
    length: usize,
    piece: Mutex<Option<(usize, OwnedBytes)>>,
}

const PIECE_BYTES: usize = 32 << 10;

impl HasLen for ReadFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl FileHandle for ReadFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a file of the index is too short"));
        }
        if range.len() > PIECE_BYTES / 2 {
            return self.read(range);
        }
        let mut piece = self.piece.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((start, bytes)) = piece.as_ref()
            && *start <= range.start
            && range.end <= start + bytes.len()
        {
            return Ok(bytes.slice(range.start - start..range.end - start));
        }
        let bytes = self.read(range.start..self.length.min(range.start + PIECE_BYTES))?;
        let asked = bytes.slice(0..range.len());
        *piece = Some((range.start, bytes));
        Ok(asked)
    }
}

impl ReadFile {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        read_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], from: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, from)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], from: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], from + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}

struct Metered {
    inner: WritePtr,
    room: Arc<AtomicI64>,
}

impl Write for Metered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        spend(&self.room, bytes.len())?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl TerminatingWrite for Metered {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.inner.flush()?;
        self.inner.get_mut().terminate_ref(token)
    }
}

fn spend(room: &AtomicI64, bytes: usize) -> io::Result<()> {
    if room.load(Ordering::Relaxed) == i64::MAX {
        return Ok(());
    }
    let left = room.fetch_sub(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
    if left < i64::try_from(bytes).unwrap_or(i64::MAX) {
        return Err(io::ErrorKind::StorageFull.into());
    }
    Ok(())
}

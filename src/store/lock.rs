//! One process owns a store: an operating-system lock on `DIR/lock`, which the kernel releases on death.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Held for as long as the store is open for writing.
#[derive(Debug)]
pub(crate) struct StoreLock {
    // Only its being open matters: closing it releases the lock.
    _file: File,
}

impl StoreLock {
    /// Takes the lock in `dir`, and writes this process's id into it for whoever comes second.
    pub(crate) fn take(dir: &Path) -> Result<Self> {
        let path = dir.join("lock");
        let failed = |source| Error::io(format!("locking the store by {}", path.display()), source);
        // The file is kept when it exists: truncating before the lock is ours would erase the owner's name.
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked { path: dir.display().to_string(), owner: owner(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        file.set_len(0).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.write_all(std::process::id().to_string().as_bytes()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn owner(file: &mut File) -> String {
    let mut text = String::new();
    // Where locks are mandatory the file cannot be read, and where the owner has just come it is empty.
    let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_told_the_first_ones_process() {
        let dir = tempfile::tempdir().unwrap();
        let _first = StoreLock::take(dir.path()).unwrap();
        let Error::Locked { owner, .. } = StoreLock::take(dir.path()).unwrap_err() else { panic!("not locked") };
        assert_eq!(owner, format!("process {}", std::process::id()));
    }

    #[test]
    fn a_dropped_lock_can_be_taken_again() {
        let dir = tempfile::tempdir().unwrap();
        drop(StoreLock::take(dir.path()).unwrap());
        StoreLock::take(dir.path()).unwrap();
    }

    #[test]
    fn a_lock_file_without_a_process_id_still_names_an_owner() {
        let dir = tempfile::tempdir().unwrap();
        let _first = StoreLock::take(dir.path()).unwrap();
        std::fs::write(dir.path().join("lock"), "?").unwrap();
        let error = StoreLock::take(dir.path()).unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
    }
}

//! Who may read and write a file that takes the place of another one.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// The permission bits and the owner of a file; empty on systems other than Unix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileRights {
    #[cfg(unix)]
    mode: u32,
    #[cfg(unix)]
    owner: (u32, u32),
}

impl FileRights {
    /// The rights of the file at a path; `None` if there is no file. Follows a link only if the
    /// path is `trusted`.
    pub(super) fn of(path: &Path, trusted: bool) -> Option<FileRights> {
        let metadata = match trusted {
            true => fs::metadata(path),
            false => fs::symlink_metadata(path),
        };
        let is_file = |metadata: &Metadata| metadata.is_file();
        metadata.ok().filter(is_file).map(|file| Self::from(&file))
    }

    #[cfg(unix)]
    fn from(metadata: &Metadata) -> FileRights {
        use std::os::unix::fs::MetadataExt;
        FileRights {
            mode: metadata.mode() & 0o777,
            owner: (metadata.uid(), metadata.gid()),
        }
    }

    #[cfg(not(unix))]
    fn from(_: &Metadata) -> FileRights {
        FileRights {}
    }

    /// Sets the owner of a file, as far as the system lets us, and its permissions. While the file
    /// is still `open` for our writes, its owner may always read and write it. If the group cannot
    /// be set, the group of the file gets the permissions of everybody, so that nobody can read the
    /// file who could not before.
    ///
    /// # Errors
    /// The permissions cannot be set.
    #[cfg(unix)]
    pub(super) fn give(self, file: &File, open: bool) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let is = || file.metadata().map(|now| (now.uid(), now.gid()));
        if is()? != self.owner {
            let (user, group) = (Some(self.owner.0), Some(self.owner.1));
            let _ = fchown(file, user, group).or_else(|_| fchown(file, None, group));
        }
        let mut mode = match is()?.1 == self.owner.1 {
            true => self.mode,
            false => (self.mode & !0o070) | ((self.mode & 0o007) << 3),
        };
        if open {
            mode |= 0o600;
        }
        match file.metadata()?.mode() & 0o777 == mode {
            true => Ok(()),
            false => file.set_permissions(fs::Permissions::from_mode(mode)),
        }
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn give(self, _: &File, _: bool) -> io::Result<()> {
        Ok(())
    }
}

//! Who may read and write a file that takes the place of another one, or is made from others.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The permission bits and the owner of a file, or what files allow at most of a file made from
/// them; all zero on systems other than Unix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileRights {
    mode: u32,
    owner: (u32, u32),
    /// Permissions are only taken away, and the owner stays.
    is_limit: bool,
}

impl FileRights {
    /// The rights of the file at a path; `None` if there is no file. Follows a link only if the
    /// path is `trusted`.
    pub(super) fn read(path: &Path, trusted: bool) -> Option<FileRights> {
        let metadata = match trusted {
            true => fs::metadata(path),
            false => fs::symlink_metadata(path),
        };
        let file = metadata.ok().filter(Metadata::is_file)?;
        Some(Self::from(&file))
    }

    /// The rights of a new file that is made from these: whoever may not read one of them may not
    /// read the new one. `None` if none of them is a file.
    pub(super) fn within(inputs: &[PathBuf]) -> Option<FileRights> {
        let each = inputs.iter().filter_map(|input| Self::read(input, true));
        each.reduce(Self::and).map(Self::limit)
    }

    /// As [`within`](Self::within), for a new file that is made from an open one.
    pub(super) fn within_file(file: &File) -> Option<FileRights> {
        let metadata = file.metadata().ok();
        metadata.map(|metadata| Self::from(&metadata).limit())
    }

    /// What both files allow. If their groups differ, no group gets more than everybody.
    fn and(mut self, other: FileRights) -> FileRights {
        self.mode &= other.mode;
        if self.owner.1 != other.owner.1 {
            self.mode &= !0o070 | (self.mode << 3);
        }
        self
    }

    fn limit(self) -> FileRights {
        let is_limit = true;
        FileRights { is_limit, ..self }
    }

    #[cfg(unix)]
    fn from(metadata: &Metadata) -> FileRights {
        use std::os::unix::fs::MetadataExt;
        FileRights {
            mode: metadata.mode() & 0o777,
            owner: (metadata.uid(), metadata.gid()),
            is_limit: false,
        }
    }

    #[cfg(not(unix))]
    fn from(_: &Metadata) -> FileRights {
        FileRights::default()
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
        if !self.is_limit && is()? != self.owner {
            let (user, group) = (Some(self.owner.0), Some(self.owner.1));
            let _ = fchown(file, user, group).or_else(|_| fchown(file, None, group));
        }
        let mut mode = match is()?.1 == self.owner.1 {
            true => self.mode,
            false => (self.mode & !0o070) | ((self.mode & 0o007) << 3),
        };
        let now = file.metadata()?.mode() & 0o777;
        if self.is_limit {
            mode = now & (mode | 0o600);
        }
        if open {
            mode |= 0o600;
        }
        match now == mode {
            true => Ok(()),
            false => file.set_permissions(fs::Permissions::from_mode(mode)),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn give(self, _: &File, _: bool) -> io::Result<()> {
        Ok(())
    }
}

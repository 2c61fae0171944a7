//! `pgc find --format sgf`: the games that were found as a collection of SGF.

use std::io::Write;

use pgc::foreign::sgf::write::put_sgf;

use super::Hunt;
use crate::failure::Exit;
use crate::gathered::{Gathered, Written};
use crate::output::counted_as;
use crate::screen::TextOutput;

impl Hunt<'_> {
    /// Writes the games as SGF.
    pub(super) fn sgf(&self, gathered: &Gathered<'_>, mut out: TextOutput) -> anyhow::Result<Exit> {
        let (mut games, mut with_text, mut tree) = (0, 0, Vec::new());
        gathered.each_text(&mut |_, text| {
            tree.clear();
            with_text += u64::from(put_sgf(&mut tree, text));
            games += 1;
            Ok(out.write_all(&tree)?)
        })?;
        gathered.may_commit()?;
        out.commit()?;
        gathered.tell_written(Written {
            games,
            run_together: 0,
        });
        if with_text > 0 && !self.args.lookup.run.quiet {
            let games = counted_as(with_text, "game has", "games have");
            note!("{games} text that is not chess, in the property TEXT");
        }
        Ok(Exit::Done)
    }
}

//! Games that are equal in all that comes before their movetext in the collating order (spec/index.md section 5).
//!
//! Most of them are the same game, which came twice: their movetexts are known to be the same without having been seen, for they were
//! summarised with the same [`play`](super::Facts::play). Only where it differs, or is not known, is the archive asked.

use std::io::{self, Write};

use super::builder::Fetch;
use super::layout::MAX_MOVETEXT;
use super::sites::chunk;
use super::sort::{Sorted, Sorter};
use super::spill::{Part, Spool, Temp, damaged};

/// A game where the first seven keys put it.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) game: u32,
    pub(super) part: usize,
    /// See [`super::Facts::play`].
    pub(super) play: u64,
}

/// Bytes of a member of a group in its spool: game and play.
const MEMBER: u64 = 12;

/// Groups of equal games, as they are met.
pub(super) struct Ties<'p> {
    parts: &'p [Part<'p>],
    /// All games of groups with two or more.
    members: Spool,
    /// Groups that the order of their games is not known of: members between them and the one before, place in the order, games.
    groups: Spool,
    /// Where the last of these ends among the members.
    behind: u64,
    at: u32,
    /// The group at hand.
    group: Option<Group>,
}

struct Group {
    at: u32,
    games: u32,
    first: Placed,
    is_mixed: bool,
    is_one_play: bool,
}

impl Group {
    /// An index has its games in the right order already, and games with one movetext stand in the order of their numbers.
    fn is_open(&self, parts: &[Part<'_>]) -> bool {
        self.games > 1 && !self.is_one_play && (self.is_mixed || !parts[self.first.part].is_index)
    }
}

impl<'p> Ties<'p> {
    pub(super) fn new(parts: &'p [Part<'p>], temp: &Temp) -> Ties<'p> {
        Ties { parts, members: temp.spool(), groups: temp.spool(), behind: 0, at: 0, group: None }
    }

    /// The next game in the order. `is_equal`: to the one before.
    #[inline]
    pub(super) fn push(&mut self, game: Placed, is_equal: bool) -> io::Result<()> {
        if is_equal {
            self.join(game)?;
        } else {
            self.end_group()?;
            self.group =
                Some(Group { at: self.at, games: 1, first: game, is_mixed: false, is_one_play: game.play != 0 });
        }
        self.at = self.at.wrapping_add(1);
        Ok(())
    }

    #[cold]
    fn join(&mut self, game: Placed) -> io::Result<()> {
        let Some(group) = &mut self.group else { return Ok(()) };
        if group.games == 1 {
            put_member(&mut self.members, group.first)?;
        }
        put_member(&mut self.members, game)?;
        group.games += 1;
        group.is_mixed |= group.first.part != game.part;
        group.is_one_play &= group.first.play == game.play;
        Ok(())
    }

    #[inline]
    fn end_group(&mut self) -> io::Result<()> {
        if let Some(group) = self.group.take().filter(|group| group.is_open(self.parts)) {
            let members = self.members.len() / MEMBER;
            self.groups.varint(members - u64::from(group.games) - self.behind)?;
            self.groups.varint(u64::from(group.at))?;
            self.groups.varint(u64::from(group.games))?;
            self.behind = members;
        }
        Ok(())
    }

    /// Sorts the games of the groups by where their group begins in the order, movetext and number; tells how many movetexts were asked for.
    pub(super) fn sort(mut self, temp: &Temp, fetch: &mut dyn Fetch) -> io::Result<(Sorted, u64)> {
        self.end_group()?;
        let (members, groups) = (self.members.finish()?, self.groups.finish()?);
        let (mut members, mut groups) = (members.cursor(temp.room(2))?, groups.cursor(temp.room(2))?);
        let mut by_play = Sorter::new(temp);
        while groups.left() > 0 {
            let (skipped, at, games) = (groups.varint()?, groups.varint()?, groups.varint()?);
            members.skip(skipped * MEMBER)?;
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            for _ in 0..games {
                let (game, play) = (members.integer(4)?, members.integer(8)?);
                by_play.push(at, &play.to_le_bytes(), game)?;
            }
        }
        by_movetext(&by_game(&by_play.finish()?, temp)?, temp, fetch)
    }
}

fn put_member(members: &mut Spool, game: Placed) -> io::Result<()> {
    members.write_all(&game.game.to_le_bytes())?;
    members.write_all(&game.play.to_le_bytes())
}

/// Whose movetext is asked for, ascending, for the archive gives them in this order; the group; which games have it.
fn by_game(by_play: &Sorted, temp: &Temp) -> io::Result<Sorted> {
    let mut sorter = Sorter::new(temp);
    let mut reader = by_play.read()?;
    // The first of the games with one play stands for all of them.
    let (mut asked, mut before) = (0, (0, [0; 8]));
    while let Some((group, play, game)) = reader.next()? {
        let play: [u8; 8] = play.try_into().unwrap_or_default();
        if play == [0; 8] || before != (group, play) {
            (asked, before) = (u32::try_from(game).unwrap_or(u32::MAX), (group, play));
        }
        sorter.push(asked, &group.to_le_bytes(), game)?;
    }
    sorter.finish()
}

/// One that has a movetext which is asked for.
struct Asking {
    asked: u32,
    group: u32,
    game: u64,
}

fn by_movetext(by_game: &Sorted, temp: &Temp, fetch: &mut dyn Fetch) -> io::Result<(Sorted, u64)> {
    let mut sorter = Sorter::new(temp);
    let mut reader = by_game.read()?;
    let (mut games, mut asking, mut count): (Vec<u32>, Vec<Asking>, _) = (Vec::new(), Vec::new(), 0);
    loop {
        games.clear();
        let before = asking.pop().map(|last: Asking| (last.asked, last.game));
        asking.clear();
        while asking.len() < chunk(temp)
            && let Some((asked, group, game)) = reader.next()?
        {
            let before = asking.last().map(|last| (last.asked, last.game)).or(before);
            if before == Some((asked, game)) {
                return Err(damaged("a game that stands twice in the order"));
            }
            if games.last() != Some(&asked) {
                games.push(asked);
            }
            let group = u32::from_le_bytes(group.try_into().unwrap_or_default());
            asking.push(Asking { asked, group, game });
        }
        if asking.is_empty() {
            return Ok((sorter.finish()?, count));
        }
        count += games.len() as u64;
        let mut expected = asking.iter().peekable();
        fetch.movetexts(&games, &mut |game, text| {
            if expected.peek().is_none_or(|next| next.asked != game) {
                return Err(damaged("movetexts of other games than were asked for"));
            }
            let text = &text[..text.len().min(MAX_MOVETEXT)];
            while let Some(next) = expected.next_if(|next| next.asked == game) {
                sorter.push(next.group, text, next.game)?;
            }
            Ok(())
        })?;
        if expected.next().is_some() {
            return Err(damaged("fewer movetexts than were asked for"));
        }
    }
}

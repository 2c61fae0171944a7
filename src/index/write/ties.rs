//! Sorts games that are equal in all keys of the collating order before the movetext (spec/index.md
//! section 5).
//!
//! Most of these are duplicates: their movetexts are known to be equal without fetching them, since
//! their summaries have the same [`play`](super::summary::Facts::play). For most others the first
//! moves decide: the ordinals of moves are in the order of their SAN, and eight moves fit in the
//! first line. (In a position, only O-O is the beginning of another SAN, O-O-O; a blank, a check
//! mark and the end of the line all sort before its third hyphen. A terminator sorts before any
//! move, and before any number but the first.) Only if the first moves are unknown or too few, the
//! movetexts are fetched from the archive.

use std::io::{self, Write};

use super::fetch::Fetch;
use super::sort::{Sorted, SortedReader, Sorter};
use super::spill::{IndexPart, Spool, Temp, damaged};
use crate::index::format::layout::MAX_MOVETEXT;

/// A game in the order of the first seven keys.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) game: u32,
    pub(super) part: usize,
    pub(super) play: PlayDigest,
}

/// What the builder knows of a movetext without fetching it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PlayDigest {
    /// See [`super::summary::Facts::play`].
    pub(super) hash: u64,
    /// See [`super::summary::Facts::opening`].
    pub(super) opening: u64,
}

impl PlayDigest {
    /// As bytes that sort by opening, then by hash.
    fn bytes(self) -> [u8; 16] {
        let both = u128::from(self.opening) << 64 | u128::from(self.hash);
        // Big-endian, so that the first byte is the most significant.
        both.swap_bytes().to_le_bytes()
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves")]
    fn from_bytes(bytes: &[u8]) -> PlayDigest {
        let both = u128::from_le_bytes(bytes.try_into().unwrap_or_default()).swap_bytes();
        PlayDigest {
            hash: both as u64,
            opening: (both >> 64) as u64,
        }
    }

    /// Whether this movetext may sort after `later`, whose opening is not less: if `later` begins
    /// with everything known of this one.
    fn may_be_behind(self, later: PlayDigest) -> bool {
        let unknown = self.opening.trailing_zeros() & !7;
        (self.opening ^ later.opening)
            .checked_shr(unknown)
            .unwrap_or(0)
            == 0
    }

    /// Whether the movetexts are known to be equal.
    pub(super) fn is_same(self, other: PlayDigest) -> bool {
        self.hash != 0 && self.hash == other.hash
    }
}

/// Length of a group's member in the spool: game and digest.
const MEMBER: u64 = 20;

/// Collects groups of equal games.
pub(super) struct Ties<'p> {
    parts: &'p [IndexPart<'p>],
    /// The games of all groups of two or more.
    members: Spool,
    /// Groups whose order is unknown: the number of members between this group and the one before,
    /// its position in the order, its number of games.
    groups: Spool,
    /// The end of the last such group among the members.
    behind: u64,
    at: u32,
    /// The current group.
    group: Option<TieGroup>,
}

struct TieGroup {
    at: u32,
    games: u32,
    first: Placed,
    is_mixed: bool,
    is_one_play: bool,
}

impl TieGroup {
    /// Whether the order of the group is unknown. An index has its games in order already, and
    /// games with equal movetexts are in the order of their numbers.
    fn is_open(&self, parts: &[IndexPart<'_>]) -> bool {
        self.games > 1 && !self.is_one_play && (self.is_mixed || !parts[self.first.part].is_index)
    }
}

impl<'p> Ties<'p> {
    pub(super) fn new(parts: &'p [IndexPart<'p>], temp: &Temp) -> Ties<'p> {
        Ties {
            parts,
            members: temp.spool(),
            groups: temp.spool(),
            behind: 0,
            at: 0,
            group: None,
        }
    }

    /// Adds the next game; `is_equal`: it equals the one before.
    #[inline]
    pub(super) fn push(&mut self, game: Placed, is_equal: bool) -> io::Result<()> {
        if is_equal {
            self.join(game)?;
        } else {
            self.end_group()?;
            self.group = Some(TieGroup {
                at: self.at,
                games: 1,
                first: game,
                is_mixed: false,
                is_one_play: game.play.hash != 0,
            });
        }
        self.at = self.at.wrapping_add(1);
        Ok(())
    }

    #[cold]
    fn join(&mut self, game: Placed) -> io::Result<()> {
        let Some(group) = &mut self.group else {
            return Ok(());
        };
        if group.games == 1 {
            put_member(&mut self.members, group.first)?;
        }
        put_member(&mut self.members, game)?;
        group.games += 1;
        group.is_mixed |= group.first.part != game.part;
        group.is_one_play &= group.first.play.is_same(game.play);
        Ok(())
    }

    #[inline]
    fn end_group(&mut self) -> io::Result<()> {
        if let Some(group) = self.group.take().filter(|group| group.is_open(self.parts)) {
            let members = self.members.len() / MEMBER;
            self.groups
                .varint(members - u64::from(group.games) - self.behind)?;
            self.groups.varint(u64::from(group.at))?;
            self.groups.varint(u64::from(group.games))?;
            self.behind = members;
        }
        Ok(())
    }

    /// Sorts the games of groups by the position of their group, movetext and number; also returns
    /// the number of movetexts fetched.
    pub(super) fn sort(mut self, temp: &Temp, fetch: &mut dyn Fetch) -> io::Result<(Sorted, u64)> {
        self.end_group()?;
        let (members, groups) = (self.members.finish()?, self.groups.finish()?);
        let (mut members, mut groups) =
            (members.cursor(temp.room(2))?, groups.cursor(temp.room(2))?);
        let mut by_play = Sorter::new(temp);
        while groups.left() > 0 {
            let (skipped, at, games) = (groups.varint()?, groups.varint()?, groups.varint()?);
            members.skip(skipped * MEMBER)?;
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            for _ in 0..games {
                let game = members.integer(4)?;
                let play = PlayDigest {
                    hash: members.integer(8)?,
                    opening: members.integer(8)?,
                };
                by_play.push(at, &play.bytes(), game)?;
            }
        }
        let mut sorter = Sorter::new(temp);
        let open = divide(&by_play.finish()?, temp, &mut sorter)?;
        let movetexts = by_movetext(&open, temp, &mut sorter, fetch)?;
        Ok((sorter.finish()?, movetexts))
    }
}

fn put_member(members: &mut Spool, game: Placed) -> io::Result<()> {
    members.write_all(&game.game.to_le_bytes())?;
    members.write_all(&game.play.hash.to_le_bytes())?;
    members.write_all(&game.play.opening.to_le_bytes())
}

/// A game of a group, sorted by digest.
#[derive(Clone, Copy)]
struct Member {
    group: u32,
    play: PlayDigest,
    game: u64,
}

fn next_member(reader: &mut SortedReader<'_>) -> io::Result<Option<Member>> {
    let next = reader.next()?;
    Ok(next.map(|(group, play, game)| Member {
        group,
        play: PlayDigest::from_bytes(play),
        game,
    }))
}

/// Divides groups into smaller ones by different openings. Smaller groups with one movetext go to
/// `sorter`. The others are returned, sorted by the game whose movetext must be fetched, since the
/// archive returns movetexts in that order: the game to fetch, the group, and the games with this
/// movetext.
fn divide(by_play: &Sorted, temp: &Temp, sorter: &mut Sorter) -> io::Result<Sorted> {
    let mut open = Sorter::new(temp);
    // One reader runs ahead, to find the end of the next group.
    let (mut ahead, mut reader) = (by_play.read()?, by_play.read()?);
    let (mut next, mut at) = (next_member(&mut ahead)?, 0);
    while let Some(first) = next {
        let (mut games, mut is_one_play) = (0_u32, true);
        while let Some(member) =
            next.filter(|n| n.group == first.group && first.play.may_be_behind(n.play))
        {
            is_one_play &= games == 0 || first.play.is_same(member.play);
            games += 1;
            next = next_member(&mut ahead)?;
        }
        let group = first.group.saturating_add(at);
        let mut asked: Option<Member> = None;
        for _ in 0..games {
            let Some(member) = next_member(&mut reader)? else {
                break;
            };
            if is_one_play {
                sorter.push(group, &[], member.game)?;
                continue;
            }
            // The first game with a movetext is fetched for all of them.
            let of = asked
                .filter(|asked| asked.play.is_same(member.play))
                .unwrap_or(member);
            asked = Some(of);
            open.push(
                u32::try_from(of.game).unwrap_or(u32::MAX),
                &group.to_le_bytes(),
                member.game,
            )?;
        }
        at = if next.is_some_and(|next| next.group == first.group) {
            at + games
        } else {
            0
        };
    }
    open.finish()
}

/// A game whose movetext is fetched, itself or through an equal game.
struct Asking {
    asked: u32,
    group: u32,
    game: u64,
}

/// Sorts the games of groups with unknown order; returns the number of movetexts fetched.
fn by_movetext(
    open: &Sorted,
    temp: &Temp,
    sorter: &mut Sorter,
    fetch: &mut dyn Fetch,
) -> io::Result<u64> {
    let mut reader = open.read()?;
    let (mut games, mut asking, mut count): (Vec<u32>, Vec<Asking>, _) =
        (Vec::new(), Vec::new(), 0);
    loop {
        games.clear();
        let before = asking.pop().map(|last: Asking| (last.asked, last.game));
        asking.clear();
        while asking.len() < temp.batch()
            && let Some((asked, group, game)) = reader.next()?
        {
            let before = asking.last().map(|last| (last.asked, last.game)).or(before);
            if before == Some((asked, game)) {
                return Err(damaged("a game listed twice in the order"));
            }
            if games.last() != Some(&asked) {
                games.push(asked);
            }
            let group = u32::from_le_bytes(group.try_into().unwrap_or_default());
            asking.push(Asking { asked, group, game });
        }
        if asking.is_empty() {
            return Ok(count);
        }
        count += games.len() as u64;
        let mut expected = asking.iter().peekable();
        fetch.movetexts(&games, &mut |game, text| {
            if expected.peek().is_none_or(|next| next.asked != game) {
                return Err(damaged("movetexts of the wrong games"));
            }
            let text = &text[..text.len().min(MAX_MOVETEXT)];
            while let Some(next) = expected.next_if(|next| next.asked == game) {
                sorter.push(next.group, text, next.game)?;
            }
            Ok(())
        })?;
        if expected.next().is_some() {
            return Err(damaged("too few movetexts"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlayDigest;

    #[test]
    fn openings_divide_where_all_of_one_is_known_not_to_begin_the_other() {
        let may = |first, later| {
            PlayDigest {
                hash: 1,
                opening: first,
            }
            .may_be_behind(PlayDigest {
                hash: 2,
                opening: later,
            })
        };
        assert!(may(0, 0) && may(0, 1) && may(0, u64::MAX));
        assert!(may(0x02 << 56, 0x0201 << 48) && may(0x02 << 56, 0x02ff << 48));
        assert!(!may(0x02 << 56, 0x03 << 56) && !may(0x0201 << 48, 0x0202 << 48));
        assert!(may(u64::MAX, u64::MAX) && !may(u64::MAX - 1, u64::MAX));
    }
}

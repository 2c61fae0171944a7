//! False indexes of every kind, made by program: each section of spec/index.md, its entries and
//! fields set to 0, to their neighbour's, to the most, doubled, exchanged, left out, or taken from
//! the index of another archive, with all checksums made right. Each answers every question that
//! writes, prints or counts games, and the answer is compared with that without an index.

use std::collections::BTreeMap;
use std::path::Path;

use pgc::ask::order::{SortKey, sort};
use pgc::ask::texts::{TextOptions, texts};
use pgc::dups::find::{DupOptions, duplicates};
use pgc::indexing::Indexing;
use pgc::join::identity::SkipRule;
use pgc::join::known::{KnownGames, NewGames};
use pgc::{Archive, Error, OpenOptions, Query, SegmentForm, SourceText};
use pgc_index::{Index, NameField};

use crate::support::archive_of;
use crate::support::false_indexes::{
    BLOCKS, GAMES, Pieces, SEGMENTS, archive, build, game, index_of, lies, moved,
};

/// What a command says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    /// Games, by number, as they are written.
    Games(Vec<(u64, Vec<u8>)>),
    Text(String),
}

/// What is promised of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// The answer is that of the archive.
    Same,
    /// No game is written that would not be written without the index; games may be missing if
    /// columns, tables or lines are false.
    NoOther,
    /// The answer is the index's word about columns, tables and lines, and the archive's about all
    /// else.
    Word,
}

type Answered = Result<Said, Error>;

struct Command {
    name: &'static str,
    promise: Promise,
    run: Box<dyn Fn(&Archive) -> Answered>,
}

/// The command that copies what an index says.
const EXTENDED: &str = "add: the index";

const QUESTIONS: [&str; 21] = [
    "",
    "--player white07",
    "--not-player white07",
    "--white white1",
    "--date 1955",
    "--date 1955.07 --or --white white1",
    "--event 'event 3'",
    "--round 4",
    "--elo 2210..2220",
    "--eco B",
    "--result draw",
    "--plies 5..",
    "--end mate",
    "--has white-castles",
    "--broken",
    "--opening 'Ruy Lopez'",
    "--moves '1.e4 c5'",
    "--fen 'rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'",
    "--tag Annotator=Tal",
    "--nag 1",
    "--has comments",
];

fn ask(archive: &Archive, question: &str) -> Result<pgc::Answer, Error> {
    archive.find(&Query::parse(question).unwrap(), 1)
}

/// The texts of these games, as `find -o` writes them.
fn written(archive: &Archive, games: &[u32]) -> Answered {
    let list = games.iter().map(|&game| (0, game));
    let (mut said, options) = (
        Vec::new(),
        TextOptions {
            threads: 1,
            ..TextOptions::default()
        },
    );
    texts(&[archive], list, &options, &mut |at, text| {
        let game = games[usize::try_from(at).unwrap()];
        said.push((u64::from(game) + 1, text.to_vec()));
        Ok(())
    })
    .map_err(Error::bare)?;
    Ok(Said::Games(said))
}

fn every_game(each: impl Fn(u64) -> Result<Vec<u8>, Error>) -> Answered {
    let mut said = Vec::new();
    for number in 1..=(SEGMENTS * BLOCKS * GAMES) as u64 + 1 {
        match each(number) {
            Ok(text) => said.push((number, text)),
            Err(Error::NoSuchGame { games, .. }) => said.push((number, games.to_string().into())),
            Err(error) => return Err(error),
        }
    }
    Ok(Said::Games(said))
}

fn commands(source: &str) -> Vec<Command> {
    let mut all: Vec<Command> = Vec::new();
    let mut add = |name, promise, run: Box<dyn Fn(&Archive) -> Answered>| {
        all.push(Command { name, promise, run });
    };
    add(
        "get",
        Promise::Same,
        Box::new(|archive| {
            every_game(|number| {
                let mut text = Vec::new();
                archive.copy_game(number, &mut text)?;
                Ok(text)
            })
        }),
    );
    add(
        "get --format json, view, serve",
        Promise::Same,
        Box::new(|archive| every_game(|number| Ok(format!("{:?}", archive.game(number)?).into()))),
    );
    add(
        "all games, from Python",
        Promise::Same,
        Box::new(|archive| {
            let games = archive
                .games()
                .map(|game| game.map(|game| (game.number, game.pgn)));
            Ok(Said::Games(games.collect::<Result<_, Error>>()?))
        }),
    );
    add(
        "info: games and blocks",
        Promise::Same,
        Box::new(|archive| {
            let (games, blocks) = (archive.len()?, archive.block_count()?);
            Ok(Said::Text(format!(
                "{games} {blocks} {}",
                archive.is_empty()?
            )))
        }),
    );
    add(
        "names --field site, source",
        Promise::Same,
        Box::new(|archive| {
            let mut said = String::new();
            let mut each = |name: &str, games| {
                said += &format!("{name}: {games}\n");
                Ok(())
            };
            archive.each_tag_name("Site", None, 1, &mut each)?;
            archive.each_segment(1, |name, games| each(name.unwrap_or("-"), games))?;
            Ok(Said::Text(said))
        }),
    );
    let text = source.to_owned();
    add(
        "add --skip-known",
        Promise::Same,
        Box::new(move |archive| {
            let mut known = KnownGames::new(archive, SkipRule::Known, &std::env::temp_dir(), 1)?;
            let mut bytes = text.as_bytes();
            let mut games = NewGames::new(&mut bytes, SourceText::Pgn, &mut known);
            std::io::copy(&mut games, &mut std::io::sink())?;
            Ok(Said::Text(format!("{:?}", games.counts())))
        }),
    );
    for question in QUESTIONS {
        add(
            "find -o",
            Promise::NoOther,
            Box::new(move |archive| written(archive, &ask(archive, question)?.found.games)),
        );
    }
    add(
        "find --sort -o",
        Promise::NoOther,
        Box::new(|archive| {
            let games = ask(archive, "")?.found.games.into_iter();
            let mut games: Vec<(u32, u32)> = games.map(|game| (0, game)).collect();
            sort(&[archive], &mut games, SortKey::Date, 1).map_err(Error::bare)?;
            written(
                archive,
                &games.iter().map(|game| game.1).collect::<Vec<_>>(),
            )
        }),
    );
    add(
        "table, find --columns",
        Promise::NoOther,
        Box::new(|archive| {
            let games = ask(archive, "--result draw")?.found.games;
            let tags = archive.tags_at(&games, 1)?.into_iter();
            Ok(Said::Games(
                tags.map(|(number, tags)| (number, format!("{tags:?}").into()))
                    .collect(),
            ))
        }),
    );
    add(
        "find --count",
        Promise::Word,
        Box::new(|archive| {
            let counts = QUESTIONS
                .iter()
                .map(|question| Ok(ask(archive, question)?.found.games));
            Ok(Said::Text(format!(
                "{:?}",
                counts.collect::<Result<Vec<_>, Error>>()?
            )))
        }),
    );
    add(
        "find: rows",
        Promise::Word,
        Box::new(|archive| {
            let games = ask(archive, "")?.found.games;
            Ok(Said::Text(format!("{:?}", archive.rows(&games, 1)?)))
        }),
    );
    add(
        "names",
        Promise::Word,
        Box::new(|archive| {
            let mut said = String::new();
            for field in [NameField::Player, NameField::Event, NameField::Round] {
                archive.each_name(field, None, 1, &mut |name, games| {
                    said += &format!("{name}: {games}\n");
                    Ok(())
                })?;
            }
            Ok(Said::Text(said))
        }),
    );
    add(
        "tree",
        Promise::Word,
        Box::new(|archive| {
            let mut tree = pgc::ask::node::TreeNode::default();
            let answer = ask(archive, "--moves '1.e4'")?;
            archive.add_to_tree(&mut tree, &answer, (3, 2), 1)?;
            // Players have no order.
            let mut moves = Vec::new();
            for (san, node) in &mut tree.next {
                let players = BTreeMap::from_iter(std::mem::take(&mut node.players));
                moves.push(format!("{san:?} {players:?}"));
            }
            Ok(Said::Text(format!("{moves:?} {tree:?}")))
        }),
    );
    add(
        "stats, info: dates and codes",
        Promise::Word,
        Box::new(|archive| {
            Ok(Said::Text(format!(
                "{:?} {:?}",
                archive.dates(1)?,
                archive.eco_codes(1)?
            )))
        }),
    );
    add(
        "dups",
        Promise::Word,
        Box::new(|archive| {
            let games = (0..u32::try_from(archive.len()?).unwrap()).collect();
            let options = DupOptions {
                threads: 1,
                memory: 8 << 20,
                ..DupOptions::new(std::env::temp_dir())
            };
            let found = duplicates(&[archive], &[games], &options);
            Ok(Said::Text(format!("{:?}", found.map_err(Error::bare)?)))
        }),
    );
    add(
        EXTENDED,
        Promise::Word,
        Box::new(|archive| {
            let mut out = Vec::new();
            let extending = |index| Indexing::extending(build(), index, archive, 1).ok();
            let indexing = archive.index().and_then(extending);
            // If it cannot be extended, it is made anew.
            if indexing.is_none_or(|indexing| indexing.finish(&mut out).is_err()) {
                out = index_of(&std::fs::read(archive.path())?);
            }
            Ok(Said::Text(blake3::hash(&out).to_string()))
        }),
    );
    all
}

/// Numbers of pairs of an index and a command.
#[derive(Clone, Copy, Default)]
struct Tally {
    pairs: usize,
    /// The index was not used, or not any more: the answer is that of the archive.
    noticed: usize,
    /// The answer has fewer games.
    fewer: usize,
    /// The answer is the index's word, and false.
    word: usize,
}

fn open(path: &Path, no_index: bool) -> Archive {
    let options = OpenOptions {
        no_index,
        proves: true,
        ..OpenOptions::default()
    };
    Archive::open_with(path, options).unwrap()
}

/// Runs a command as the program does: again without the index if that turns out to be false.
fn said(command: &Command, archive: &Archive) -> Answered {
    match (command.run)(archive) {
        Err(Error::FalseIndex { .. }) => (command.run)(&open(archive.path(), true)),
        said => said,
    }
}

/// Compares an answer with the right one, and counts it; what is wrong is added to `wrong`.
fn judge(tally: &mut Tally, command: &Command, kind: u32, said: &Answered, right: &Said) -> bool {
    tally.pairs += 1;
    let Ok(said) = said else { return false };
    if said == right {
        return true;
    }
    // Of segments, blocks and the trailer the archive itself tells.
    let is_of_games = kind > 2;
    match (command.promise, said, right) {
        (Promise::NoOther, Said::Games(said), Said::Games(right)) if is_of_games => {
            tally.fewer += 1;
            said.iter().all(|game| right.contains(game))
        }
        (Promise::Word, ..) if is_of_games => {
            tally.word += 1;
            true
        }
        _ => false,
    }
}

/// The name of a section in the table of the report.
fn section_name(kind: u32) -> String {
    match kind {
        0 => "trailer".to_owned(),
        kind => format!("0x{kind:02x}"),
    }
}

/// Each false index gets each command in one of the two forms, in turn.
fn every_lie(form: SegmentForm, effort: usize) -> BTreeMap<(u32, &'static str), Tally> {
    let ((bytes, source), (others, _)) = (archive(form, 0), archive(form, 3));
    let right = index_of(&bytes);
    let (pieces, other) = (Pieces::new(&right), Pieces::new(&index_of(&others)));
    assert!(
        pieces.index(&bytes) == right,
        "the pieces are those of the index"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, &bytes).unwrap();
    let commands = commands(&source);
    let truth: Vec<Said> = commands
        .iter()
        .map(|command| (command.run)(&open(&path, true)).unwrap())
        .collect();
    let beside = folder.path().join("x.pgci");
    std::fs::write(&beside, &right).unwrap();
    for (command, right) in commands.iter().zip(&truth) {
        let archive = open(&path, false);
        assert!(
            (command.run)(&archive).unwrap() == *right,
            "{}",
            command.name
        );
        assert!(
            archive.index().is_some(),
            "{}: the right index is used",
            command.name
        );
    }
    let (mut tallies, mut wrong) = (BTreeMap::<_, Tally>::new(), Vec::new());
    let lies = lies(&pieces, &other, effort).into_iter().enumerate();
    let step = 10_usize.div_ceil(effort);
    let turn = usize::from(form == SegmentForm::Small);
    // One of five at least: the changes come in groups of other sizes.
    for (number, (kind, lie)) in lies.step_by(step) {
        std::fs::remove_file(&beside).unwrap();
        std::fs::write(&beside, lie.index(&bytes)).unwrap();
        // One stand-in is enough.
        let unused = Some(open(&path, false)).filter(|archive| archive.index().is_none());
        let turns = commands.iter().zip(&truth).enumerate();
        let turns = turns.filter(|(at, _)| effort > 1 || (number / step + at) % 2 == turn);
        for (_, (command, right)) in turns {
            let fresh = unused.is_none().then(|| open(&path, false));
            let archive = fresh.as_ref().or(unused.as_ref()).unwrap();
            let said = said(command, archive);
            let tally = tallies.entry((kind, command.name)).or_default();
            tally.noticed += usize::from(archive.index().is_none());
            if !judge(tally, command, kind, &said, right) {
                let kind = section_name(kind);
                let said = format!("{said:?}").chars().take(300).collect::<String>();
                wrong.push(format!("lie {number} of {kind}, {}: {said}", command.name));
            }
        }
    }
    let shown = wrong.len().min(40);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..shown].join("\n")
    );
    tallies
}

#[test]
fn no_false_index_gives_a_wrong_game_or_number() {
    let effort = std::env::var("PGC_TEST_EFFORT").map_or(1, |n| n.parse().unwrap());
    let mut all = Tally::default();
    for form in [SegmentForm::Plain, SegmentForm::Small] {
        let tallies = every_lie(form, effort);
        eprintln!("{form:?}: section, command: pairs, noticed, fewer games, the index's word");
        for ((kind, name), tally) in &tallies {
            let Tally {
                pairs,
                noticed,
                fewer,
                word,
            } = tally;
            let kind = section_name(*kind);
            eprintln!("{kind:>8}  {name:<32} {pairs:5} {noticed:5} {fewer:5} {word:5}");
            all.pairs += pairs;
            all.noticed += noticed;
            all.fewer += fewer;
            all.word += word;
        }
    }
    let Tally {
        pairs,
        noticed,
        fewer,
        word,
    } = all;
    eprintln!(
        "{pairs} pairs: {noticed} noticed, {fewer} with fewer games, {word} the index's word"
    );
    assert!(pairs >= 2_500);
}

/// Only the index is asked which segments there are: so it is compared with the archive.
#[test]
fn an_index_of_a_whole_archive_fits_and_one_of_its_parts_does_not() {
    let (bytes, _) = archive(SegmentForm::Plain, 0);
    let one = archive_of(game(0, 0).as_bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    // Noops may stand before, between and behind segments.
    let noops = [0; 70_000];
    let all = [&noops[..], &bytes, &noops, &one, &noops].concat();
    std::fs::write(&path, &all).unwrap();
    let index = index_of(&all);
    std::fs::write(folder.path().join("x.pgci"), &index).unwrap();
    assert!(open(&path, false).index().is_some());
    let index = Index::open(index).unwrap();
    assert_eq!(index.segments().count(), SEGMENTS + 1);
    let pieces = Pieces::new(index.data());
    let entries = pieces.sections[&1].1.chunks(32).map(<[u8]>::to_vec);
    let entries: Vec<Vec<u8>> = entries.collect();
    for list in moved(&entries, 1) {
        let lie = pieces.with_entries(1, &list).index(&all);
        std::fs::write(folder.path().join("x.pgci"), lie).unwrap();
        let archive = open(&path, false);
        assert!(archive.index().is_none(), "{:?}", archive.index_state());
        assert_eq!(
            archive.len().unwrap(),
            (SEGMENTS * BLOCKS * GAMES + 1) as u64
        );
    }
}

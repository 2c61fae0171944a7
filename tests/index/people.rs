//! Names of people: initials, transliterations and aliases.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::fmt::Write as _;

use pgc_index::{AliasError, NameField, NamePattern, read_aliases};

use crate::cli::program::Dir;
use crate::support::plain_index::plain_words;
use crate::support::random::Random;

const PEOPLE: [&str; 26] = [
    "Carlsen, Magnus",
    "Carlsen, M",
    "Carlsen, H M",
    "Carlsen, Henrik",
    "M. Carlsen",
    "Karlsen, Magnus",
    "H\u{fc}bner, Robert",
    "Huebner, R.",
    "Hubner R",
    "Huber, Robert",
    "M\u{fc}ller, Karsten",
    "Miller, Karsten",
    "Fischer, RJ",
    "Fischer, Robert J",
    "Fisher, R. J.",
    "Fischer, James",
    "Jussupow, Artur",
    "Yusupov, A",
    "\u{42e}\u{441}\u{443}\u{43f}\u{43e}\u{432}, \u{410}\u{440}\u{442}\u{443}\u{440}",
    "Korchnoi, Viktor L",
    "Kortschnoj,V",
    "Tal, Michail",
    "Mikhail Tal",
    "Tartakower S GM",
    "Magnus, C",
    "?",
];

fn archive() -> Dir {
    let dir = Dir::new();
    let mut text = String::new();
    for name in PEOPLE {
        let _ = write!(text, "[White \"{name}\"]\n\n1. e4 *\n\n");
    }
    dir.put("x.pgn", text);
    dir.pack("x.pgn");
    dir
}

/// The people whose games the library finds.
fn found<'p>(dir: &Dir, asked: &[&str]) -> Vec<&'p str> {
    let numbers = dir.found("x.pgc", asked).into_iter();
    numbers
        .map(|number| PEOPLE[usize::try_from(number).unwrap() - 1])
        .collect()
}

/// The people whose games the program finds.
fn printed<'p>(dir: &Dir, args: &[&str]) -> Vec<&'p str> {
    let csv = ["--format", "csv", "--columns", "number", "-q"];
    let ran = dir.run(&[&["find", "x.pgc"], args, &csv].concat());
    let numbers = ran.stdout();
    let numbers = numbers.lines().skip(1);
    let person = |number: &str| PEOPLE[number.trim().parse::<usize>().unwrap() - 1];
    numbers.map(person).collect()
}

/// The tags of the standard that name people are matched as people are, other tags by their words.
#[test]
fn tags_that_name_people() {
    let dir = Dir::new();
    let game = |tag: &str, name: &str| format!("[White \"x\"]\n[{tag} \"{name}\"]\n\n1. e4 *\n\n");
    let games = [
        ("Annotator", "H\u{fc}bner, R"),
        ("Annotator", "Huebner"),
        ("WhiteTeam", "Huebner Club"),
        ("Black", "Huebner"),
    ];
    dir.put("x.pgn", games.map(|(tag, name)| game(tag, name)).concat());
    dir.pack("x.pgn");
    for (asked, found) in [
        (&["Annotator=h\u{fc}bner"][..], "x.pgc:1\nx.pgc:2\n"),
        (&["Annotator=hubner robert"], "x.pgc:1\n"),
        (&["Annotator=h\u{fc}bner", "--as-spelled"], "x.pgc:1\n"),
        (&["WhiteTeam=h\u{fc}bner"], ""),
        (&["Black=h\u{fc}bner"], "x.pgc:4\n"),
    ] {
        let tag = [
            &["find", "-q", "x.pgc", "--format", "addresses", "--tag"],
            asked,
        ]
        .concat();
        assert_eq!(dir.run(&tag).stdout(), found, "{asked:?}");
    }
    let names = dir.run(&[
        "names",
        "-q",
        "x.pgc",
        "--field",
        "Annotator",
        "h\u{fc}bner",
    ]);
    assert_eq!(names.stdout().lines().count(), 2, "{}", names.stdout());
}

#[test]
fn typed_names() {
    let dir = archive();
    for (asked, people) in [
        (
            "carlsen magnus",
            &["Carlsen, Magnus", "Carlsen, M", "M. Carlsen", "Magnus, C"][..],
        ),
        // The comma says which of them is the family name.
        (
            "Carlsen, Magnus",
            &["Carlsen, Magnus", "Carlsen, M", "M. Carlsen"],
        ),
        // H M may be Henrik M. `Carlsen, M` cannot be Henrik: a given name must fit.
        ("carlsen henrik", &["Carlsen, H M", "Carlsen, Henrik"]),
        (
            "carlsen m",
            &[
                "Carlsen, Magnus",
                "Carlsen, M",
                "Carlsen, H M",
                "M. Carlsen",
            ],
        ),
        // A beginning is no family name.
        ("magnus carls", &["Carlsen, Magnus", "Magnus, C"]),
        (
            "huebner robert",
            &["H\u{fc}bner, Robert", "Huebner, R.", "Hubner R"],
        ),
        (
            "h\u{fc}bner",
            &["H\u{fc}bner, Robert", "Huebner, R.", "Hubner R"],
        ),
        ("mueller", &["M\u{fc}ller, Karsten"]),
        ("miller", &["Miller, Karsten"]),
        (
            "fischer robert james",
            &["Fischer, RJ", "Fischer, Robert J", "Fisher, R. J."],
        ),
        ("fischer james", &["Fischer, James"]),
        (
            "yusupov artur",
            &[
                "Jussupow, Artur",
                "Yusupov, A",
                "\u{42e}\u{441}\u{443}\u{43f}\u{43e}\u{432}, \u{410}\u{440}\u{442}\u{443}\u{440}",
            ],
        ),
        ("korchnoi victor", &["Korchnoi, Viktor L", "Kortschnoj,V"]),
        ("mihail tal", &["Tal, Michail", "Mikhail Tal"]),
        ("tartakower savielly", &["Tartakower S GM"]),
        ("=Carlsen, M", &["Carlsen, M"]),
        ("huebner*", &["Huebner, R."]),
    ] {
        assert_eq!(found(&dir, &["-p", asked]), people, "{asked}");
        assert_eq!(found(&dir, &["-w", asked]), people, "{asked}");
        // Its opposite finds the others.
        let others = found(&dir, &["--not-player", asked]);
        assert_eq!(others.len() + people.len(), PEOPLE.len(), "{asked}");
        let (pattern, mut listed) = (NamePattern::person(asked).unwrap(), 0);
        let mut count = |_: &str, _| {
            listed += 1;
            Ok(())
        };
        let archive = dir.open("x.pgc");
        let named = archive.each_name(NameField::Player, Some(&pattern), 1, &mut count);
        named.unwrap();
        assert_eq!(listed, people.len(), "{asked}");
    }
    let asked = "carlsen m";
    let people = printed(&dir, &["-p", asked]);
    assert_eq!(people, found(&dir, &["-p", asked]));
    let names = dir.run(&["names", "x.pgc", "--sort", "name", "--format", "csv", asked]);
    let listed = names.exits(0).stdout().lines().count() - 1;
    assert_eq!(listed, people.len());
    let spelled = printed(&dir, &["-p", "carlsen magnus", "--as-spelled"]);
    assert_eq!(spelled, ["Carlsen, Magnus"]);
    dir.run(&["find", "x.pgc", "-p", "huebner robert", "--count"])
        .exits(0)
        .says("player \"huebner robert\": by initials, spelling or alias: Hubner R (1)");
    dir.run(&["find", "x.pgc", "-p", "carlsen, magnus", "--count"])
        .exits(0)
        .says("Carlsen, Magnus (1); also by initials, spelling or alias: Carlsen, M (1); M. Carlsen (1)");
}

/// What a word is compared by, rule after rule over the whole word, as D67 lists them. Capitals are
/// done with.
fn plain_key(word: &str) -> String {
    const CYRILLIC: &str =
        "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch ' y ' e yu ya";
    let letters: Vec<&str> = CYRILLIC.split(' ').collect();
    let mut s = String::new();
    for c in word.chars() {
        match u32::from(c) {
            0..0x80 => s.push(c),
            code @ 0x430..0x450 => s.push_str(letters[code as usize - 0x430].trim_matches('\'')),
            _ => return word.to_owned(),
        }
    }
    let vowel = |c: Option<char>| c.is_some_and(|c| "aeiouy".contains(c));
    if s.len() >= 5 {
        let all: Vec<char> = s.chars().collect();
        let mut out = String::new();
        let mut i = 0;
        while i < all.len() {
            let rest: String = all[i..].iter().collect();
            let before = i.checked_sub(1).map(|i| all[i]);
            out.push(all[i]);
            let behind = all.get(i + 2).copied();
            let is_pair = ["ae", "oe", "ue"].iter().any(|u| rest.starts_with(u));
            let is_last = behind.is_none() || &rest[2..] == "l";
            let is_silent = before == Some('q') || rest.starts_with('u') && s[..i].ends_with("rg");
            let may_be_umlaut =
                is_pair && !is_last && !is_silent && !vowel(behind) && !vowel(before);
            i += if may_be_umlaut || rest.starts_with("aa") {
                2
            } else {
                1
            };
        }
        s = out;
    }
    let is_iota = |c: char| "ijy".contains(c);
    let letters = s
        .char_indices()
        .filter(|&(i, c)| !(is_iota(c) && s[..i].ends_with(is_iota)));
    let letters = letters.count();
    if letters > 4 {
        for a in "aeiouy".chars() {
            for b in "aeiouy".chars() {
                s = s.replace(&format!("{a}ss{b}"), &format!("{a}s{b}"));
            }
        }
        s = s.replace("michai", "mihai");
    }
    // Each run of iotas as one character.
    let mut runs = String::new();
    let mut dutch = Vec::new();
    for (i, c) in s.char_indices() {
        if is_iota(c) && s[..i].ends_with(is_iota) {
            continue;
        }
        let rest = &s[i..];
        if rest.starts_with("ij") && rest[2..].starts_with(|c| !vowel(Some(c)) && !is_iota(c)) {
            dutch.push(runs.len());
        }
        runs.push(if is_iota(c) { 'I' } else { c });
    }
    if letters < 4 {
        return s;
    }
    if letters == 4 {
        let is_open = vowel(s.chars().last()) || s.ends_with('j');
        let first = s.split(|c| !is_iota(c)).next().unwrap().to_owned();
        return match runs.strip_prefix('I').filter(|_| !is_open) {
            // The letters of the first run stay, those after the first as one.
            Some(rest) => {
                let more = if first.len() > 1 { "i" } else { "" };
                format!("{}{more}{}", &first[..1], rest.replace('I', "i"))
            }
            None => runs.replace('I', "i"),
        };
    }
    for &at in dutch.iter().rev() {
        runs.replace_range(at..=at, "IJ");
    }
    for ending in ["ev", "eva", "ew", "ewa", "eff"] {
        if let Some(stem) = runs.strip_suffix(&format!("I{ending}")) {
            runs = format!("{stem}{ending}");
            break;
        }
    }
    if let Some(rest) = runs.strip_prefix("Ie") {
        runs = format!("e{rest}");
    } else if let Some(rest) = runs.strip_prefix("Iou") {
        runs = format!("IU{rest}");
    }
    for gue in ["rgue", "rgui", "rguI"] {
        runs = runs.replace(gue, &gue.replace('u', ""));
    }
    for (from, to) in [
        ("schtsch", "SH"),
        ("chtch", "SH"),
        ("shch", "SH"),
        ("szcz", "SH"),
        ("tsch", "CH"),
        ("tch", "CH"),
        ("sch", "SH"),
        ("dzh", "DI"),
        ("cz", "CH"),
        ("kh", "H"),
        ("tz", "TS"),
        ("ct", "KT"),
        ("x", "KS"),
        ("w", "V"),
    ] {
        runs = runs.replace(from, to);
    }
    for ending in ["off", "eff"] {
        if runs.ends_with(ending) {
            runs.truncate(runs.len() - 2);
            runs.push('V');
        }
    }
    let mut out = runs.to_lowercase();
    if out.ends_with("ksandr") {
        out.insert(out.len() - 1, 'e');
    }
    out
}

const WORDS: &str = "
    carlsen karlsen miller muller mueller huebner hubner kuehn kuhn jaeger jager bauer baur sauer joe samuel noel
    manuel aagaard agard haase hase saar isaac quell maes mas paez paz sergey sergei sergej serguei sergi georgi
    yuri yury juri jurij yuriy iouri youri jing ying jang yang zhang jiang juan yuan jana yana ilya ilia ilja ilyin
    evgeny yevgeny jewgeni evgenij elena jelena yelena andreev andreyev andreiev vasiliev vasilyev vassilieff wassiliew
    grigorev grigoriev smirnoff smirnov smirnow alexander aleksandr alexandr alexandra aleksandra victor viktor
    korchnoi kortschnoj kortchnoi nepomniachtchi nepomniashchy nepomniaschtschij nepomniaschi chigorin tschigorin
    czigorin schulz shulz szmidt schmidt khalifman halifman michail mikhail michael michal mihail radjabov radzhabov
    zaitsev zaitzev martin martijn dijkstra marija mariya maria mihajlo mihailo meyer meier meer beyer young jung
    hassan hasan khassan larissa larisa rossi weiss weis max maks feliks felix wang vang walter valter fischer fisher
    guelfand gelfand rodriguez rodrigez guerrero miguel jussupow yusupov wolf volf hoff hov eickhoff steffen
    \u{43a}\u{43e}\u{440}\u{447}\u{43d}\u{43e}\u{438} \u{44e}\u{441}\u{443}\u{43f}\u{43e}\u{432} \u{435}\u{43b}\u{435}\u{43d}\u{430}
    \u{441}\u{43e}\u{43b}\u{43e}\u{432}\u{44c}\u{435}\u{432} soloviev solovev \u{43c}\u{438}\u{445}\u{430}\u{438}\u{43b} \u{3b1}\u{3b2} a bo";

/// The names of each person whose aliases come with the program, as keys: the words of the family
/// name, and all words.
fn classics() -> Vec<Vec<(Vec<String>, Vec<String>)>> {
    let mut people = Vec::new();
    let lines = include_str!("../../src/index/query/classics.ssp").lines();
    let lines = lines.map(|line| line.split('#').next().unwrap().trim());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('@')) {
        let name = line.trim_start_matches('=').to_lowercase();
        let keys = |words: &str| -> Vec<String> {
            let words = words.split(|c: char| !c.is_alphanumeric());
            let words = words.filter(|word| !word.is_empty());
            words.map(plain_key).collect()
        };
        let family = keys(name.split(',').next().unwrap());
        if !line.starts_with('=') {
            people.push(Vec::new());
        }
        people.last_mut().unwrap().push((family, keys(&name)));
    }
    people
}

/// Whether one word is a family name, and the other a whole name, of one of these people.
fn are_classic_aliases(
    people: &[Vec<(Vec<String>, Vec<String>)>],
    asked: &String,
    word: &str,
) -> bool {
    people.iter().any(|names| {
        names.iter().any(|name| name.0.contains(asked))
            && names.iter().any(|name| name.1.concat() == word)
    })
}

#[test]
fn spellings_as_the_rules_say_one_by_one() {
    let mut words: Vec<String> = WORDS.split_whitespace().map(str::to_owned).collect();
    // And words that nobody is called.
    let parts = [
        "i", "j", "y", "e", "a", "ae", "ue", "sch", "tsch", "ch", "kh", "ss", "v", "w", "ff", "o",
        "r", "gu", "n", "aa", "x", "tz", "dzh", "ou", "mi", "l",
    ];
    let mut random = Random::new(67);
    for _ in 0..200 {
        let count = 2 + random.below(5);
        words.push((0..count).map(|_| random.pick(&parts)).collect());
    }
    let keys: Vec<String> = words.iter().map(|word| plain_key(word)).collect();
    let classics = classics();
    let mut alike = 0;
    for (asked, key) in words.iter().zip(&keys) {
        let pattern = NamePattern::person(asked).unwrap();
        for (word, other) in words.iter().zip(&keys) {
            let is_long = asked.chars().count() > 1 && word.len() > 1;
            let is_alike = key == other || are_classic_aliases(&classics, key, other);
            let expected = word.starts_with(asked.as_str()) || is_long && is_alike;
            assert_eq!(
                pattern.matches(word),
                expected,
                "{asked} {word}: {key} {other}"
            );
            alike += u32::from(expected && !word.starts_with(asked.as_str()));
        }
    }
    assert!(alike > 150, "{alike}");
}

/// The aliases that come with the program are found by family names, and not by what many people are
/// called.
#[test]
fn given_names_ask_for_no_classics() {
    let finds = |asked: &str, value: &str| NamePattern::person(asked).unwrap().matches(value);
    for asked in [
        "Korchnoi",
        "kortschnoi",
        "korchnoi victor",
        "Kortchnoi, Viktor",
    ] {
        for value in ["Korcnoj", "Kortsnoi, Viktor", "Viktor Korchnoi"] {
            assert!(finds(asked, value), "{asked}: {value}");
        }
    }
    for asked in ["victor", "viktor", "v", "alexander", "david"] {
        for value in ["Korchnoi", "Kortschnoi", "Aljechin", "Janovsky"] {
            assert!(!finds(asked, value), "{asked}: {value}");
        }
    }
}

/// Whether a question names a person, by D67. Names without initials written together.
fn plainly_named(asked: &str, name: &str) -> bool {
    let (asked_words, name_words) = (plain_words(asked), plain_words(name));
    let family = |text: &str, all: usize| match text.split_once(',') {
        Some((family, _)) => plain_words(family).len(),
        None => all,
    };
    let families = family(name, name_words.len());
    let surely_family = family(asked, 0);
    let is_given =
        |i: usize| i >= families || families == name_words.len() && name_words[i].len() == 1;
    let whole = |a: &str, b: &str| a.len() > 1 && b.len() > 1 && plain_key(a) == plain_key(b);
    let last = asked_words.len() - 1;
    let is = |i: usize, word: &str| {
        let a = &asked_words[i];
        let begins = i == last || a.len() == 1;
        a == word || begins && word.starts_with(a.as_str()) || whole(a, word)
    };
    let mut free: Vec<usize> = (0..name_words.len())
        .filter(|&i| is_given(i) && name_words[i].len() == 1)
        .collect();
    let (mut used, mut named) = (Vec::new(), false);
    for (i, a) in asked_words.iter().enumerate() {
        if name_words.iter().any(|word| is(i, word)) {
            named |= name_words[..families].iter().any(|word| whole(a, word));
        } else {
            let initial = |&place: &usize| a.len() > 1 && a.starts_with(name_words[place].as_str());
            let Some(at) = free.iter().position(initial).filter(|_| i >= surely_family) else {
                return false;
            };
            used.push(free.remove(at));
        }
    }
    let first = (0..name_words.len()).find(|&i| is_given(i));
    let answers_first = |first: usize| {
        used.contains(&first) || (0..asked_words.len()).any(|i| is(i, &name_words[first]))
    };
    used.is_empty() || named && first.is_some_and(answers_first)
}

#[test]
fn names_as_a_plain_rule_matches_them() {
    let families = [
        "Carlsen",
        "Karlsen",
        "H\u{fc}bner",
        "Huebner",
        "van der Wiel",
        "Jussupow",
        "Yusupov",
        "Tal",
    ];
    let givens = [
        "Magnus", "M", "M.", "Mikhail", "Michail", "R", "Robert", "H", "Artur", "A",
    ];
    let mut random = Random::new(7);
    let mut name = |with_words: bool| {
        let family = random.pick(&families);
        let count = random.below(if with_words { 4 } else { 3 });
        let given: Vec<&str> = (0..count).map(|_| random.pick(&givens)).collect();
        let given = given.join(" ");
        match random.below(3) {
            0 => format!("{family}, {given}"),
            1 => format!("{given} {family}"),
            _ => format!("{family} {given}"),
        }
    };
    let names: Vec<String> = (0..300).map(|_| name(false)).collect();
    let mut matches = 0;
    for _ in 0..200 {
        let asked = name(true);
        let pattern = NamePattern::person(&asked).unwrap();
        let spelled = pattern.clone().as_spelled();
        for name in &names {
            let expected = plainly_named(&asked, name);
            assert_eq!(pattern.matches(name), expected, "{asked:?} {name:?}");
            assert!(expected || !spelled.matches(name), "{asked:?} {name:?}");
            matches += usize::from(expected && !spelled.matches(name));
        }
    }
    assert!(matches > 500, "{matches}");
}

const ALIASES: &str = "\u{feff}# a comment\r\n\
@PLAYER \", .-\"\r\n\
%Prefix \"GM \" \"\"\r\n\
%Infix \"Bobbie\" \"Bobby\"\r\n\
%Suffix \" (wc)\" \"\"\r\n\
Fischer, Robert James   #GM USA [2780] 1943.03.09--2008.01.17\r\n\
   %Bio World Champion 1972-1975 = the eleventh\r\n\
   %Elo 1971:2740,2760 1972:?,2785\r\n\
   = Bobby Fischer\r\n\
   = Fisher Bobi\r\n\
> an old note\r\n\
Polg\u{e1}r, Judit\r\n\
   = Polgar-Font, Judit\r\n\
@SITE \"., -\"\r\n\
Reykjavik\r\n\
= Fischer, Robert James\r\n\
%Suffix odd\r\n";

#[test]
fn alias_files() {
    let dir = Dir::new();
    let mut text = String::new();
    for name in [
        "Fischer, R.J.",
        "Fischer, Bobby",
        "GM Bobbie Fischer (wc)",
        "Bobi Fisher",
        "Polgar Font, Judit",
        "Polgar, Judit",
        "Reykjavik",
    ] {
        let _ = write!(text, "[White \"{name}\"]\n\n1. e4 *\n\n");
    }
    dir.put("x.pgn", text);
    dir.put("a.txt", ALIASES);
    dir.pack("x.pgn");
    let found = |asked: &str, args: &[&str]| {
        let csv = ["-q", "--format", "csv", "--columns", "number"];
        let ran = dir.run(&[&["find", "x.pgc", "-p", asked], args, &csv].concat());
        let lines = ran.stdout();
        lines
            .lines()
            .skip(1)
            .map(|n| n.parse().unwrap())
            .collect::<Vec<u32>>()
    };
    let given = ["--aliases", "a.txt"];
    assert_eq!(found("fischer robert james", &[]), [1]);
    assert_eq!(found("fischer robert james", &given), [1, 2, 3, 4]);
    assert_eq!(found("bobi fisher", &given), [2, 3, 4]);
    assert_eq!(found("bobi fisher", &[]), [4]);
    assert_eq!(found("polgar-font", &given), [5, 6]);
    assert_eq!(found("reykjavik", &given), [7]);
    assert_eq!(found("=Bobi Fisher", &given), [4]);
    // Beside the archive it is read without being asked for.
    dir.put("x.ssp", ALIASES);
    assert_eq!(found("bobi fisher", &[]), [2, 3, 4]);
    assert_eq!(found("bobi fisher", &["--as-spelled"]), [4]);
    let names = dir.run(&["names", "x.pgc", "--format", "csv", "bobi fisher"]);
    assert_eq!(names.exits(0).stdout().lines().count(), 4);
    let found_here = dir.run(&["find", "x.pgc", "-p", "bobi fisher", "--count"]);
    found_here.exits(0).says(
        "also by initials, spelling or alias: Fischer, Bobby (1); GM Bobbie Fischer (wc) (1)",
    );
    // Another given file counts instead of it.
    dir.put("none.ssp", "");
    assert_eq!(found("bobi fisher", &["--aliases", "none.ssp"]), [4]);
    dir.run(&["find", "x.pgc", "-p", "tal", "--aliases", "no.ssp"])
        .exits(2)
        .says("no.ssp: no such file");
    dir.run(&[
        "find",
        "x.pgc",
        "-p",
        "tal",
        "--aliases",
        "a.txt",
        "--as-spelled",
    ])
    .exits(2)
    .says("cannot be used with");
    for (file, says) in [
        ("Fischer\n", "b.ssp:1: a name before the line @PLAYER"),
        ("\n@PLAYER\n= Fischer\n", "b.ssp:3: an alias without a name"),
        (
            "@PLAYER\nA\n=  # nothing\n",
            "b.ssp:3: an alias without letters",
        ),
        (
            "@PLAYER\n%Prefix \"a\" b\n",
            "b.ssp:2: write two texts in quotes",
        ),
        (
            "@PLAYER\n%Infix \"\" \"b\"\n",
            "b.ssp:2: the text to replace is empty",
        ),
    ] {
        dir.put("b.ssp", file);
        dir.run(&["find", "x.pgc", "-p", "tal", "--aliases", "b.ssp"])
            .exits(2)
            .says(says);
    }
    // A question that needs no names of people does not look at it.
    dir.put("x.ssp", "Fischer\n");
    dir.run(&["find", "x.pgc", "-e", "x", "--count"]).exits(1);
    dir.run(&["find", "x.pgc", "-p", "tal"])
        .exits(2)
        .says("x.ssp:1: ");
}

/// The deterministic twin of the fuzz target `aliases`.
#[test]
fn any_bytes_as_aliases() {
    let check = |bytes: &[u8]| {
        let mut patterns: Vec<NamePattern> = ["fischer", "bobby f", "=x", "*"]
            .map(|text| NamePattern::person(text).unwrap())
            .into();
        let read = read_aliases(&mut &bytes[..], &mut patterns);
        for pattern in patterns {
            // An exact pattern stays so.
            assert!(!pattern.as_str().starts_with('=') || !pattern.matches("Fischer, Bobby"));
            let _ = pattern.matches("GM Bobbie Fischer (wc)");
        }
        read
    };
    let file = ALIASES.as_bytes();
    assert!(check(file).is_ok());
    for end in 0..file.len() {
        drop(check(&file[..end]));
    }
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let mut bytes = file.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.pick(b"@%=#\"\n\r \x00\xff>aP");
        }
        drop(check(&bytes));
    }
    for long in [
        [b"@PLAYER\n", &[b'x'; 70_000][..]].concat(),
        [
            b"@PLAYER\na\n",
            &b"=bbbbbbbbbbbbbbbbbbbbbbb\n".repeat(60_000)[..],
        ]
        .concat(),
        [
            b"@PLAYER\n",
            &b"%Infix \"a\" \"bbbbbbbbb\"\n".repeat(4000)[..],
        ]
        .concat(),
    ] {
        assert!(matches!(check(&long), Err(AliasError::Line { .. })));
    }
}

/// Corrections may not make a name grow without end, an alias without letters is nobody's, and a
/// correction counts for a name without aliases too.
#[test]
fn corrections_and_aliases_of_nobody() {
    let dir = archive();
    let bomb = "%Infix \"a\" \"aaaaaaaaaaaaaaaa\"\n".repeat(60);
    dir.put(
        "bomb.ssp",
        format!("@PLAYER\n{bomb}Carlsen, Magnus\n=Champion\n"),
    );
    assert!(printed(&dir, &["-p", "champion", "--aliases", "bomb.ssp"]).is_empty());
    dir.put("nobody.ssp", "@PLAYER\nTal, Michail\n=???\n=Misha\n");
    assert_eq!(
        printed(&dir, &["-p", "misha", "--aliases", "nobody.ssp"]),
        ["Tal, Michail", "Mikhail Tal"]
    );
    dir.put(
        "corrected.ssp",
        "@PLAYER\n%Prefix \"Karlsen\" \"Carlsen\"\nCarlsen, Magnus\n",
    );
    let taken = ["-p", "carlsen magnus", "--aliases", "corrected.ssp"];
    assert!(printed(&dir, &taken).contains(&"Karlsen, Magnus"));
}

/// Every command that asks for players takes the aliases, and leaves them out when told to.
#[test]
fn aliases_are_for_all_commands() {
    let dir = archive();
    dir.put("x.ssp", "@PLAYER\nTal, Michail\n=Misha\n");
    for (more, code) in [(&[][..], 0), (&["--as-spelled"], 1)] {
        for command in [
            &["find", "x.pgc", "-q", "--count", "-p", "misha"][..],
            &["tree", "x.pgc", "-q", "-p", "misha"],
            &["stats", "x.pgc", "-q", "-p", "misha"],
            &["names", "x.pgc", "-q", "misha"],
        ] {
            dir.run(&[command, more].concat()).exits(code);
        }
        // Two games with the same moves under two names.
        let dups = [
            "dups", "x.pgc", "-q", "--kind", "names", "--least", "1", "-p", "misha",
        ];
        dir.run(&[&dups[..], more].concat()).exits(code);
    }
}

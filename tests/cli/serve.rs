//! `pgc serve`: who is answered, and that the answers are those of the commands.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::program::Dir;

const GAMES: &str = "\
[Event \"A\"]\n[White \"Ada, O'Hara\"]\n[Black \"Bob\"]\n[Date \"1999.01.01\"]\n[Result \"1-0\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n[ECO \"C44\"]\n\n1. e4 {[%eval 0.3]} e5 2. Nf3 (2. f4 exf4) 2... Nc6 1-0\n\n\
[Event \"B\"]\n[White \"Cyd\"]\n[Black \"Ada, O'Hara\"]\n[Date \"2005.01.01\"]\n[Result \"1/2-1/2\"]\n\n1. Nf3 Nc6 2. e4 e5 1/2-1/2\n\n\
[Event \"<script>alert(1)</script>\"]\n[White \"Bob\"]\n[Black \"Cyd\"]\n[Date \"1990.05.??\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n\n\
[Event \"D\"]\n[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\"]\n\n1. Kd4 *\n\n\
[Event \"E\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-";

/// A running server. It ends with the test.
struct Server {
    dir: Dir,
    child: Child,
    port: u16,
    token: String,
}

/// What the server answered.
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Server {
    fn new() -> Server {
        let dir = Dir::new();
        dir.put("x.pgn", GAMES);
        dir.pack("x.pgn");
        Server::of(dir, &["x.pgc"])
    }

    fn of(dir: Dir, archives: &[&str]) -> Server {
        let mut command = dir.command(&[&["serve", "-q"], archives].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = address.split_once('/').unwrap();
        let token = token.strip_suffix('/').unwrap().to_owned();
        assert!(token.len() == 32 && token.bytes().all(|b| b.is_ascii_hexdigit()));
        let port = port.parse().unwrap();
        Server {
            dir,
            child,
            port,
            token,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads the answer to its end.
    fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may answer and close before it has read all of an odd request.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Reply {
            status: status.unwrap_or(0),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn request(&self, method: &str, target: &str, headers: &str) -> Reply {
        let host = format!("Host: 127.0.0.1:{}\r\n", self.port);
        self.raw(
            format!("{method} {target} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n")
                .as_bytes(),
        )
    }

    fn get(&self, path: &str) -> Reply {
        self.request("GET", &format!("/{}/{path}", self.token), "")
    }

    /// Sends a text, as the page does.
    fn post(&self, path: &str, text: &str) -> Reply {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let head = format!("Content-Length: {}\r\nConnection: close", text.len());
        self.raw(format!("POST {path} HTTP/1.1\r\n{host}\r\n{head}\r\n\r\n{text}").as_bytes())
    }

    /// The answer to a question.
    #[track_caller]
    fn ask(&self, question: &str) -> Value {
        let reply = self.get(&format!("api/{question}"));
        assert_eq!(reply.status, 200, "{question}: {}", reply.body);
        reply.json()
    }

    /// The lines of JSON that a command prints.
    fn lines(&self, args: &[&str]) -> Vec<Value> {
        let ran = self.dir.run(args).exits(0);
        let lines = ran.stdout();
        let lines = lines.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_the_page_itself_is_answered() {
    let server = Server::new();
    let (port, token) = (server.port, server.token.clone());
    let page = format!("/{token}/");
    let ok = server.get("");
    assert_eq!(ok.status, 200);
    assert!(ok.body.starts_with("<!doctype html>"));
    for header in [
        "content-security-policy: default-src 'self'; object-src 'none'; base-uri 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "content-type: text/html",
    ] {
        assert!(ok.head.contains(header), "{header}\n{}", ok.head);
    }
    // The address that is printed, and `localhost`; no other name, however it resolves.
    let host = |host: &str| {
        let head = format!("GET {page} HTTP/1.1\r\n{host}Connection: close\r\n\r\n");
        server.raw(head.as_bytes()).status
    };
    assert_eq!(host(&format!("Host: localhost:{port}\r\n")), 200);
    for wrong in [
        format!("Host: evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: 127.0.0.1:{}\r\n", port ^ 1),
        format!("Host: 127.0.0.1:{port}.evil.example\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"),
        String::new(),
    ] {
        assert!(matches!(host(&wrong), 400 | 403), "{wrong}");
    }
    // An absolute address names its host too.
    let absolute = server.request("GET", &format!("http://evil.example{page}"), "");
    assert_eq!(absolute.status, 403);
    for (header, status) in [
        ("Origin: https://evil.example", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: same-site", 403),
        ("Sec-Fetch-Site: same-origin", 200),
        ("Sec-Fetch-Site: none", 200),
        (&format!("Origin: http://127.0.0.1:{port}"), 200),
    ] {
        let reply = server.request("GET", &page, &format!("{header}\r\n"));
        assert_eq!(reply.status, status, "{header}");
    }
    let last = if token.ends_with('0') { '1' } else { '0' };
    let near = format!("{}{last}", &token[..31]);
    for wrong in ["", "x/", &near, &format!("{near}/"), &token, &token[..31]] {
        let reply = server.request("GET", &format!("/{wrong}"), "");
        assert_eq!(reply.status, 404, "{wrong}");
        assert!(reply.body.starts_with("There is no such page."), "{wrong}");
    }
}

#[test]
fn only_reading_is_allowed_and_only_the_files_of_the_page() {
    let server = Server::new();
    let page = format!("/{}/", server.token);
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "NONSENSE",
    ] {
        let reply = server.request(method, &page, "Content-Length: 0\r\n");
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.head.contains("allow: get, head"), "{}", reply.head);
    }
    let head = server.request("HEAD", &page, "");
    assert_eq!((head.status, &*head.body), (200, ""));
    for path in [
        "../x.pgc",
        "..%2fx.pgc",
        "%2e%2e/x.pgc",
        "/etc/passwd",
        "x.pgc",
        "app.js/",
        "api/",
        "api/../app.js",
        "api/nonsense",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    for (file, kind) in [
        ("app.js", "text/javascript"),
        ("style.css", "text/css"),
        ("icon.svg", "image/svg"),
    ] {
        let reply = server.get(file);
        assert_eq!(reply.status, 200, "{file}");
        assert!(reply.head.contains(&format!("content-type: {kind}")));
    }
}

#[test]
fn searches_are_those_of_find() {
    let server = Server::new();
    for (asked, args) in [
        ("", &[][..]),
        ("player=o%27hara+ada", &["-p", "o'hara ada"]),
        ("player=ada&vs=cyd", &["-p", "ada", "--vs", "cyd"]),
        (
            "query=--not-event+B+-d+1990..2000",
            &["--not-event", "B", "-d", "1990..2000"],
        ),
        ("sort=date", &["--sort", "date"]),
        ("sort=white&reverse=1", &["--sort", "white", "--reverse"]),
        (
            "reverse=1&offset=1&limit=2",
            &["--reverse", "--offset", "1", "--limit", "2"],
        ),
        ("offset=4&limit=500", &["--offset", "4"]),
        (
            "moves-to=1.e4+e5+2.Nf3+Nc6",
            &["--moves-to", "1.e4 e5 2.Nf3 Nc6"],
        ),
        (
            "result=draw&elo=none",
            &["--result", "draw", "--elo", "none"],
        ),
    ] {
        let answer = server.ask(&format!("find?{asked}"));
        let lines = server.lines(&[&["find", "x.pgc", "-q", "--format", "jsonl"], args].concat());
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!(rows.len(), lines.len(), "{asked}: {answer}");
        for (row, line) in rows.iter().zip(&lines) {
            for (name, value) in row.as_object().unwrap() {
                let expected = if name == "archive" {
                    &json!(0)
                } else {
                    &line[name]
                };
                assert_eq!(value, expected, "{asked}: {name}");
            }
        }
        // All games that match, not only those of this page.
        let skip = [
            "--offset",
            "--limit",
            "--sort",
            "--reverse",
            "date",
            "white",
            "1",
            "2",
            "4",
        ];
        let questions: Vec<&str> = args
            .iter()
            .copied()
            .filter(|arg| !skip.contains(arg))
            .collect();
        let ran = server
            .dir
            .run(&[&["find", "x.pgc", "-q", "--count"], &*questions].concat());
        assert_eq!(answer["total"].to_string(), ran.stdout().trim(), "{asked}");
    }
    // A huge offset is behind the last game.
    let far = server.ask("find?offset=18446744073709551615&limit=500");
    assert_eq!((&far["total"], &far["rows"]), (&json!(5), &json!([])));
}

/// The page of rows is the one with the game that is open, and a game that was found by its opening
/// says where it reached it.
#[test]
fn rows_tell_the_place_of_the_open_game_and_of_the_opening() {
    let server = Server::new();
    for (asked, place, offset) in [
        ("limit=2&open=0:4", json!(3), 2),
        ("limit=2&reverse=1&open=0:4", json!(1), 0),
        ("limit=2&sort=date&open=0:2", json!(4), 4),
        ("limit=2&player=ada&open=0:3", Value::Null, 0),
        ("limit=2&offset=1&open=9:9", Value::Null, 1),
        ("limit=0&open=0:4", json!(3), 3),
    ] {
        let answer = server.ask(&format!("find?{asked}"));
        assert_eq!(
            (&answer["place"], &answer["offset"]),
            (&place, &json!(offset)),
            "{asked}"
        );
    }
    let answer = server.ask("find?opening=knight&limit=1");
    // 2...Nc6 makes it the Normal Variation of the King's Knight Opening.
    assert_eq!(answer["rows"][0]["ply"], 4);
}

/// The first game of a pasted text is shown, and the texts of all are told, each as it was.
#[test]
fn all_games_of_a_pasted_text_are_told() {
    let server = Server::new();
    let games: Vec<&str> = GAMES.split_inclusive("*\n\n").collect();
    let reply = server.post(&format!("/{}/api/paste", server.token), GAMES);
    let answer = reply.json();
    let texts = answer["pgns"].as_array().unwrap();
    assert_eq!(
        (texts.len(), &answer["tags"]["White"]),
        (5, &json!("Ada, O'Hara"))
    );
    let last = texts[4].as_str().unwrap();
    assert_eq!(last.trim_end(), games[1].trim_end());
    assert_eq!(answer["pgn"], texts[0]);
}

/// A server with a notebook, and the path at which it adds games.
fn with_notebook(notebook: &str) -> (Server, String) {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.pack("x.pgn");
    let server = Server::of(dir, &["x.pgc", "--notebook", notebook]);
    let path = format!("/{}/api/keep", server.token);
    (server, path)
}

/// What the page sends is in the archive of --notebook as `pgc add` puts it there, to the byte.
#[test]
fn games_are_added_to_the_notebook_as_add_does() {
    let one = "[White \"Ada\"]\n\n1. e4 {[%cal Ge2e4] K\u{f6}nig} e5 (1... c5) *\n";
    let broken = "[White \"Bob\"]\n\n1. e4 Ke3 and then nothing *\n";
    for notebook in ["own.pgc", "own.pgcz"] {
        let (server, path) = with_notebook(notebook);
        let about = server.ask("about");
        assert_eq!(
            (&about["notebook"], &about["archives"][1]["games"]),
            (&json!(1), &json!(0))
        );
        server
            .dir
            .put(&format!("same-{notebook}"), server.dir.read(notebook));
        let mut before = 0;
        for text in [one, broken, &format!("{one}\n{broken}"), GAMES, "1. d4"] {
            let reply = server.post(&path, text);
            assert_eq!(reply.status, 200, "{}", reply.body);
            let games = text.matches("1. ").count() as u64;
            let said = reply.json();
            assert_eq!(
                (&said["number"], &said["games"]),
                (&json!(before + 1), &json!(games)),
                "{text}"
            );
            before += games;
            server.dir.put("notebook.pgn", text);
            let same = format!("same-{notebook}");
            server
                .dir
                .run(&["add", "-q", &same, "notebook.pgn"])
                .exits(0);
            assert!(
                server.dir.read(notebook) == server.dir.read(&same),
                "{text}"
            );
            // The index follows, and the page shows the game at once.
            let index = format!("{notebook}i");
            assert!(server.dir.read(&index) == server.dir.read(&format!("same-{index}")));
            let game = server.ask(&format!("game?archive=1&number={}", said["number"]));
            let pgn = game["pgn"].as_str().unwrap();
            assert!(text.starts_with(pgn.trim_end()), "{pgn}");
        }
        assert_eq!(server.ask("find")["total"], 5 + before);
        server.dir.run(&["test", "-q", notebook]).exits(0);
    }
}

#[test]
fn nothing_else_is_written() {
    let (server, path) = with_notebook("own.pgc");
    let game = "1. e4 *\n";
    let files = || {
        let files = std::fs::read_dir(server.dir.path()).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        files.sort();
        (files, server.dir.read("own.pgc"), server.dir.read("x.pgc"))
    };
    let before = files();
    let wrong = path.replace(&server.token[..4], "zzzz");
    for (path, text, status) in [
        ("/api/keep", game, 404),
        (&*wrong, game, 404),
        (&path, "", 400),
        (&path, "\n\n", 400),
        (&format!("{path}/x"), game, 405),
        (&path.replace("keep", "find"), game, 405),
        (&path, &"1. e4 *\n\n".repeat(200_000), 413),
    ] {
        let reply = server.post(path, text);
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
    }
    // Reading adds nothing, and neither does another site.
    assert_eq!(server.get("api/keep").status, 405);
    let head = format!(
        "Host: 127.0.0.1:{}\r\nOrigin: https://evil.example",
        server.port
    );
    let request = format!("POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: 8\r\n\r\n{game}");
    assert_eq!(server.raw(request.as_bytes()).status, 403);
    assert!(files() == before);

    // A file that is no archive stays as it is, at the start and later.
    server.dir.put("own.pgc", "1. d4 *\n");
    let reply = server.post(&path, game);
    assert!(
        reply.status == 500 && reply.body.contains("own.pgc"),
        "{}",
        reply.body
    );
    assert_eq!(server.dir.read("own.pgc"), b"1. d4 *\n");
    for name in ["x.pgn", "new.pgn"] {
        server
            .dir
            .run(&["serve", "x.pgc", "--notebook", name])
            .exits(2)
            .says(name);
    }
    assert!(!server.dir.path().join("new.pgn").exists());

    let plain = Server::new();
    let reply = plain.post(&path.replace(&server.token, &plain.token), game);
    assert!(
        reply.status == 404 && reply.body.contains("--notebook"),
        "{}",
        reply.body
    );
}

/// Root may write what is read only, and is not asked.
#[cfg(unix)]
#[test]
fn a_notebook_that_is_read_only_says_so() {
    use std::os::unix::fs::PermissionsExt;

    let (server, path) = with_notebook("own.pgc");
    let own = server.dir.path().join("own.pgc");
    std::fs::set_permissions(&own, PermissionsExt::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().append(true).open(&own).is_ok() {
        return;
    }
    let before = server.dir.read("own.pgc");
    let reply = server.post(&path, "1. e4 *\n");
    assert!(
        reply.status == 500 && reply.body.contains("own.pgc"),
        "{}",
        reply.body
    );
    assert!(server.dir.read("own.pgc") == before);
}

#[test]
fn names_trees_statistics_and_games_are_those_of_the_commands() {
    let server = Server::new();
    let names = server.lines(&["names", "x.pgc", "-q", "--json", "--limit", "2", "b"]);
    assert_eq!(server.ask("names?text=b&limit=2")["names"], json!(names));
    let events = server.lines(&["names", "x.pgc", "-q", "--json", "--field", "event"]);
    assert_eq!(
        server.ask("names?field=event&limit=100")["names"],
        json!(events)
    );

    let table = server.lines(&["table", "x.pgc", "-q", "--json", "--rounds", "-p", "bob"]);
    let mut asked = server.ask("table?player=bob");
    asked.as_object_mut().unwrap().remove("notes");
    assert_eq!(asked, table[0]);
    let stats = server.lines(&["stats", "x.pgc", "-q", "--json", "ada"]);
    let mut asked = server.ask("stats?player=ada");
    assert_eq!(asked.as_object_mut().unwrap().remove("notes"), none());
    assert_eq!(asked, stats[0]);

    let bare = |mut tree: Value| {
        tree.as_object_mut().unwrap().remove("edition");
        assert_eq!(tree.as_object_mut().unwrap().remove("notes"), none());
        for node in tree["moves"].as_array_mut().unwrap() {
            let node = node.as_object_mut().unwrap();
            node.remove("uci");
            node.remove("fen");
        }
        tree
    };
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let tree = server.ask("tree");
    // 1.e4 leads to that position, by the rules of chess.
    assert_eq!(tree["moves"][0]["uci"], "e2e4");
    let fen = tree["moves"][0]["fen"].as_str().unwrap();
    assert!(fen.starts_with(after_e4), "{fen}");
    let expected = server.lines(&["tree", "x.pgc", "-q", "--json"]);
    assert_eq!(bare(tree), expected[0]);
    let asked = format!("tree?fen={}", after_e4.replace(' ', "+"));
    let expected = server.lines(&["tree", "x.pgc", "-q", "--json", "--fen", after_e4]);
    assert_eq!(bare(server.ask(&asked)), expected[0]);
    // The position of the tree is not the one that the search asks for.
    let asked = |search: &str| server.ask(&format!("tree?at={search}"));
    let at_e4 = after_e4.replace(' ', "+");
    let found = asked(&format!("{at_e4}&player=ada"));
    let args = [
        "tree", "x.pgc", "-q", "--json", "--fen", after_e4, "-p", "ada",
    ];
    assert_eq!(bare(found), server.lines(&args)[0]);
    let both = "moves-to=1.e4+e5+2.Nf3+Nc6";
    let found = asked(&format!("{START}&{both}"));
    let moves = found["moves"].as_array().unwrap().iter();
    let mut moves: Vec<_> = moves.map(|m| (m["san"].as_str(), &m["games"])).collect();
    moves.sort_by_key(|m| m.0);
    assert_eq!(
        moves,
        [(Some("Nf3"), &json!(1)), (Some("e4"), &json!(1))],
        "one game in each order of the moves"
    );
    let found = asked(&format!("{at_e4}&{both}"));
    assert_eq!(
        (&found["games"], &found["moves"][0]["san"]),
        (&json!(1), &json!("e5"))
    );
    assert_eq!(asked(&format!("{START}&result=*"))["games"], 0);
    // The same board under other rules is another position.
    let found = asked(&format!("{START}&rules=Atomic"));
    assert_eq!(
        (&found["games"], &found["moves"][0]["san"]),
        (&json!(1), &json!("e4"))
    );
    assert_eq!(asked(START)["games"], 3);

    for number in 1..=5 {
        let mut game = server.ask(&format!("game?archive=0&number={number}"));
        let address = format!("x.pgc:{number}");
        // Every ply has the position that `get --ply` shows.
        for (ply, played) in game["moves"].as_array().unwrap().iter().enumerate() {
            let ply = (ply + 1).to_string();
            let args = ["get", &address, "--fen", "--ply", &ply];
            let fen = server.dir.run(&args).exits(0).stdout();
            assert_eq!(played["fen"], fen.trim(), "{address}, ply {ply}");
        }
        let expected = server.lines(&["get", &address, "--format", "json"]);
        let fields = game.as_object_mut().unwrap();
        let pgn = server.dir.run(&["get", &address]).exits(0).stdout();
        assert_eq!(fields["pgn"], json!(pgn));
        for own in ["edition", "fen", "ply", "pgn", "archive"] {
            assert!(fields.remove(own).is_some(), "{own}");
        }
        let mut expected = expected[0].clone();
        expected.as_object_mut().unwrap().remove("archive");
        without_boards(&mut game["moves"]);
        assert_eq!(game, expected);
    }
    // The variation starts from the position before the move that it replaces.
    let game = server.ask("game?archive=0&number=1");
    let f4 = &game["moves"][2]["variations"][0][0];
    assert_eq!(
        f4["fen"],
        "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - 0 2"
    );
    let line = server.ask("line?moves=e4+c5+Ke3+d5");
    assert_eq!(line["moves"].as_array().unwrap().len(), 2);
    assert_eq!(line["moves"][1]["uci"], "c7c5");
}

/// No notes.
#[expect(
    clippy::unnecessary_wraps,
    reason = "compared with a field that may be absent"
)]
fn none() -> Option<Value> {
    Some(json!([]))
}

fn without_boards(moves: &mut Value) {
    for played in moves.as_array_mut().into_iter().flatten() {
        let played = played.as_object_mut().unwrap();
        assert!(played.remove("fen").is_some());
        for line in played
            .get_mut("variations")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            without_boards(line);
        }
    }
}

#[test]
fn wrong_questions_say_what_is_wrong() {
    let server = Server::new();
    for (question, status, says) in [
        ("find?colour=white", 400, "colour"),
        ("find?query=carlsen", 400, "carlsen"),
        ("find?date=yesterday", 400, "yesterday"),
        ("find?offset=-1", 400, "offset"),
        ("find?limit=99999999999999999999999", 400, "limit"),
        ("find?sort=beauty", 400, "beauty"),
        ("find?vs=tal", 400, "--vs"),
        ("find?query=%27", 400, ""),
        ("find?fen=%FF%00", 400, ""),
        ("names?field=source", 400, "source"),
        ("stats?result=draw", 400, "player"),
        ("game?archive=1&number=1", 404, "archive"),
        ("game?archive=0&number=0", 404, "0"),
        ("game?archive=0&number=6", 404, "6"),
        ("game?archive=../x.pgc", 400, "archive"),
        ("tree?at=nonsense", 400, "nonsense"),
        ("game?archive=0&number=1&edition=2", 409, "changed"),
        ("line?fen=nonsense", 400, "position"),
        ("line?variant=nonsense", 400, "nonsense"),
    ] {
        let reply = server.get(&format!("api/{question}"));
        assert_eq!(reply.status, status, "{question}: {}", reply.body);
        let error = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(says), "{question}: {error}");
    }
    // Bytes that are no UTF-8 are no error of their own: they only match nothing.
    assert_eq!(server.ask("find?player=%FF%FEx%")["total"], 0);
    assert_eq!(server.ask("find?event=%3Cscript%3E")["total"], 1);
}

#[test]
fn odd_requests_do_not_stop_the_others() {
    let server = Server::new();
    // Half a request on each of a hundred connections, and some that never send anything.
    let open: Vec<TcpStream> = (0..100)
        .map(|i| {
            let mut stream = server.connect();
            let half = format!("GET /{}/api/fi", server.token);
            stream
                .write_all(&half.as_bytes()[..half.len() * (i % 3) / 2])
                .unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    assert_eq!(server.ask("about")["archives"][0]["games"], 5);
    assert!(begun.elapsed() < Duration::from_secs(8));
    drop(open);

    let long = "x".repeat(9 << 10);
    let reply = server.get(&format!("api/find?player={long}"));
    assert_eq!(reply.status, 414);
    let reply = server.request("GET", "/", &format!("X: {}\r\n", "y".repeat(1 << 20)));
    assert!(matches!(reply.status, 0 | 431), "{}", reply.status);
    let many: String = (0..1000).map(|i| format!("X{i}: y\r\n")).collect();
    let reply = server.request("GET", "/", &many);
    assert!(matches!(reply.status, 0 | 431), "{}", reply.status);
    for odd in [
        &b"\r\n\r\n\r\n"[..],
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS?\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(odd).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        assert!(!String::from_utf8_lossy(&bytes).contains(" 200 "));
    }
    // A hundred questions at once.
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| server.ask("find?player=bob")["total"] == json!(2)))
            .collect();
        assert!(asked.into_iter().all(|asked| asked.join().unwrap()));
    });
}

#[test]
fn a_changed_archive_is_opened_again() {
    let server = Server::new();
    let before = server.ask("find?player=bob");
    assert_eq!(
        (&before["total"], &before["edition"]),
        (&json!(2), &json!(1))
    );
    server.dir.put("more.pgn", "[White \"Bob\"]\n\n1. d4 *\n");
    server.dir.run(&["add", "-q", "x.pgc", "more.pgn"]).exits(0);
    let after = server.ask("find?player=bob");
    assert_eq!(after["total"], 3);
    assert!(after["edition"].as_u64() > Some(1));
    assert_eq!(after["rows"][2]["number"], 6);
    // Replaced by another archive, whose game 1 is another game.
    server.dir.put("y.pgn", "[White \"Eve\"]\n\n1. c4 *\n");
    server.dir.pack_into(&["y.pgn"], "x.pgc");
    assert_eq!(server.ask("find?player=bob")["total"], 0);
    assert_eq!(
        server.ask("game?archive=0&number=1")["tags"]["White"],
        "Eve"
    );
    // A game found earlier is not mistaken for the one that has its number now.
    let row = "api/game?archive=0&number=1&edition";
    let stale = server.get(&format!("{row}={}", after["edition"]));
    assert_eq!(stale.status, 409);
    let edition = &stale.json()["edition"];
    assert_eq!(server.get(&format!("{row}={edition}")).status, 200);
}

#[test]
fn an_archive_that_is_gone_does_not_stop_the_others() {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.put("y.pgn", "[White \"Eve\"]\n\n1. c4 *\n");
    dir.pack("x.pgn");
    dir.pack("y.pgn");
    let server = Server::of(dir, &["x.pgc", "y.pgc"]);
    let gone = server.dir.read("x.pgc");
    std::fs::remove_file(server.dir.path().join("x.pgc")).unwrap();
    let game = |archive: usize| server.get(&format!("api/game?archive={archive}&number=1"));
    let reply = game(0);
    assert_eq!(reply.status, 404);
    assert!(reply.body.contains("x.pgc"), "{}", reply.body);
    // The other one keeps its place.
    assert_eq!(game(1).json()["tags"]["White"], "Eve");
    for (question, field, games) in [
        ("find?sort=white", "total", 1),
        ("tree", "games", 1),
        ("stats?player=eve", "games", 1),
    ] {
        let answer = server.ask(question);
        assert_eq!(answer[field], games, "{question}");
        let note = answer["notes"].as_array().unwrap().last().cloned();
        let note = note.unwrap().as_str().unwrap().to_owned();
        assert!(note.contains("x.pgc"), "{question}: {note}");
    }
    let about = server.ask("about");
    assert_eq!(about["archives"][0]["games"], 0);
    assert!(
        about["archives"][0]["lost"]
            .as_str()
            .unwrap()
            .contains("x.pgc")
    );
    assert_eq!(about["archives"][1]["lost"], Value::Null);
    // Neither does one that is no archive any more, and has no index.
    std::fs::remove_file(server.dir.path().join("x.pgci")).unwrap();
    server.dir.put("x.pgc", "\u{e3} no archive at all");
    let about = server.ask("about");
    assert!(
        about["archives"][0]["lost"]
            .as_str()
            .unwrap()
            .contains("x.pgc")
    );
    for (question, field) in [
        ("find", "total"),
        ("tree", "games"),
        ("stats?player=eve", "games"),
    ] {
        let answer = server.ask(question);
        assert_eq!(answer[field], 1, "{question}");
        assert!(answer["notes"].to_string().contains("x.pgc"), "{question}");
    }
    assert_eq!(server.ask("names?text=e")["names"][0]["name"], "Eve");
    server.dir.put("x.pgc", gone);
    let back = server.ask("find");
    assert_eq!((&back["total"], &back["notes"]), (&json!(6), &json!([])));
}

#[test]
fn several_archives_are_numbered() {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.put(
        "y.pgn",
        "[White \"Bob\"]\n[Date \"1995.01.01\"]\n\n1. d4 *\n",
    );
    // The second has no index.
    dir.pack("x.pgn");
    dir.run(&["pack", "-q", "--no-index", "y.pgn"]).exits(0);
    let server = Server::of(dir, &["."]);
    let about = server.ask("about");
    assert_eq!(about["archives"][1]["name"], "y.pgc");
    assert_eq!(about["archives"][1]["indexed"], false);
    let found = server.ask("find?player=bob&sort=date");
    let rows = found["rows"].as_array().unwrap().iter();
    let places: Vec<_> = rows
        .map(|row| json!([row["archive"], row["number"]]))
        .collect();
    assert_eq!(json!(places), json!([[0, 3], [1, 1], [0, 1]]));
    let game = server.ask("game?archive=1&number=1");
    assert_eq!(game["moves"][0]["san"], "d4");
    assert_eq!(server.ask("tree")["games"], 4);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server() {
    let mut server = Server::new();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &server.child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_served() {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.run(&["serve", "no.pgc"]).exits(2).says("no.pgc");
    dir.run(&["serve", "."])
        .exits(2)
        .says("no archives in this folder");
    dir.run(&["serve", "x.pgn"]).exits(2).says("x.pgn");
    // Wrong options are told at the start, not with the first question.
    dir.pack("x.pgn");
    for option in ["--aliases", "--temp-dir"] {
        let wrong = dir.run(&["serve", "x.pgc", option, "nowhere"]);
        wrong.exits(2).says("nowhere");
    }
}

/// Without an index, a game has the number that it had before the damage.
#[test]
fn games_of_a_damaged_archive_keep_their_numbers() {
    let dir = Dir::new();
    let (_, hit, name) =
        crate::archive::damage::broken_in(&dir, "pgc", &crate::archive::damage::source());
    let server = Server::of(dir, &[&name]);
    let number = hit.games.end + 1000;
    let found = server.ask(&format!("find?query=-p%20{number}"));
    assert_eq!(found["rows"][0]["number"], number);
    let notes = found["notes"].to_string();
    assert!(notes.contains("missing: 1 block, "), "{notes}");
    let game = server.ask(&format!("game?number={number}"));
    assert_eq!(game["tags"]["White"], number.to_string());
    let lost = server.get(&format!("api/game?number={}", hit.games.start + 1));
    assert_ne!(lost.status, 200, "{}", lost.body);
}

/// An archive, its index or its alias file replaced by a pipe, to which nobody writes, keeps no
/// question waiting.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    let server = Server::new();
    server.dir.put("y.pgn", "1. d4 *\n");
    let put_pipe = |name: &str| {
        let path = server.dir.path().join(name);
        let _ = std::fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
    };
    put_pipe("x.ssp");
    let told = server.get("api/find?player=bob");
    assert!(
        told.status == 500 && told.body.contains("is not a file"),
        "{}",
        told.body
    );
    std::fs::remove_file(server.dir.path().join("x.ssp")).unwrap();
    put_pipe("x.pgci");
    assert_eq!(server.ask("find?result=draw")["total"], 1);
    put_pipe("x.pgc");
    let about = server.ask("about");
    let lost = about["archives"][0]["lost"].as_str().unwrap();
    assert!(lost.contains("is not a regular file"), "{lost}");
    assert_eq!(server.ask("find")["total"], 0);
    std::fs::remove_file(server.dir.path().join("x.pgc")).unwrap();
    server
        .dir
        .run(&["pack", "-q", "-f", "--no-index", "y.pgn", "-o", "x.pgc"])
        .exits(0);
    assert_eq!(server.ask("find")["total"], 1);
}

/// A game of many glyphs is too long for the page, however few moves and bytes of archive it has.
#[test]
fn a_game_of_many_glyphs_is_not_shown() {
    let dir = Dir::new();
    for (name, note) in [("g", "$1 "), ("c", "{} "), ("v", "(1. d4) ")] {
        dir.put(
            &format!("{name}.pgn"),
            format!("1. e4 {}*\n", note.repeat(60_000)),
        );
        let out = format!("{name}.pgcz");
        dir.run(&["pack", "-q", &format!("{name}.pgn"), "-o", &out])
            .exits(0);
    }
    let server = Server::of(dir, &["c.pgcz", "g.pgcz", "v.pgcz"]);
    for archive in 0..3 {
        let reply = server.get(&format!("api/game?archive={archive}&number=1"));
        assert_eq!(reply.status, 404, "{archive}");
        assert!(
            reply.body.contains("too long for the page"),
            "{}",
            reply.body
        );
    }
}

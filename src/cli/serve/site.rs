//! The web server: its limits, and which requests it answers.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task;
use tokio::time::{sleep, timeout};

use super::api::{Api, QuestionParameters};
use super::files;
use super::save::SavedGames;
use super::turns::{Turns, Unanswered};
use crate::interrupt;

/// The most connections at the same time; further ones wait.
const CONNECTIONS: usize = 256;

/// The time that a client has to send the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time after which a connection is closed in any case: a client that does not read its answer
/// would keep the connection for ever.
const LIFETIME: Duration = Duration::from_secs(600);

/// The interval at which the server checks for an interrupt.
const TICK: Duration = Duration::from_millis(100);

/// The longest head of a request, and the longest path and query in it, in bytes.
const HEAD: usize = 32 << 10;
const ADDRESS: usize = 8 << 10;

/// The longest text that the page sends, in bytes.
const BODY: usize = 1 << 20;

/// The path of the requests of the page, the request that is answered with a file, the one for how far
/// another one is, and those that send a text.
const API: &str = "api/";
const SAVE: &str = "save";
const PROGRESS: &str = "progress";
const SENT: [&str; 2] = ["/api/paste", "/api/keep"];

static HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// A reply holds a text, or a file of games that is read piece by piece.
type Reply = Response<Either<Full<Bytes>, SavedGames>>;

/// The page at its address.
pub(super) struct Site {
    hosts: [String; 2],
    token: String,
    api: Arc<Api>,
    turns: Turns,
}

impl Site {
    pub(super) fn new(port: u16, token: String, api: Api) -> Site {
        Site {
            hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}")),
            token,
            api: Arc::new(api),
            turns: Turns::new(),
        }
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// Serves the page until the user interrupts.
    pub(super) async fn serve(self: Arc<Site>, listener: &TcpListener) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        while !interrupt::requested() {
            let accepted = timeout(TICK, async {
                let place = places.clone().acquire_owned().await;
                let place = place.map_err(io::Error::other)?;
                io::Result::Ok((listener.accept().await?.0, place))
            });
            match accepted.await {
                Ok(Ok((stream, place))) => {
                    task::spawn(self.clone().connection(stream, place));
                }
                // For example too many open files: try again later.
                Ok(Err(_)) => sleep(TICK).await,
                Err(_) => {}
            }
        }
    }

    async fn connection(self: Arc<Site>, stream: TcpStream, _place: OwnedSemaphorePermit) {
        let service = service_fn(|request| {
            let site = self.clone();
            async move { Ok::<_, Infallible>(site.reply(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(stream), service);
        // An error of the connection concerns only the client.
        let _ = timeout(LIFETIME, connection).await;
    }

    async fn reply(&self, request: Request<Incoming>) -> Reply {
        let mut reply = match self.admit(&request) {
            Err((status, why)) => {
                let mut reply = text(status, "text/plain; charset=utf-8", why);
                // A refused client does not keep its connection.
                let close = HeaderValue::from_static("close");
                reply.headers_mut().insert(header::CONNECTION, close);
                reply
            }
            Ok(path) => match path.strip_prefix(API) {
                Some(SAVE) => self.save(request.uri().query()).await,
                Some(question) => {
                    let question = question.to_owned();
                    self.answer(question, request).await
                }
                None => match files::named(path) {
                    Some((media_type, page)) => text(StatusCode::OK, media_type, page),
                    None => text(StatusCode::NOT_FOUND, "text/plain", "not found"),
                },
            },
        };
        let headers = reply.headers_mut();
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if reply.status() == StatusCode::METHOD_NOT_ALLOWED {
            let allowed = HeaderValue::from_static("GET, HEAD");
            reply.headers_mut().insert(header::ALLOW, allowed);
        }
        reply
    }

    /// The path after the token, if the request comes from the page or from the user.
    fn admit<'r>(
        &self,
        request: &'r Request<Incoming>,
    ) -> Result<&'r str, (StatusCode, &'static str)> {
        let is_sent = SENT.iter().any(|path| request.uri().path().ends_with(path));
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if is_sent == is_read || !is_read && *request.method() != Method::POST {
            let why = "only GET and HEAD, and POST where the page sends a text";
            return Err((StatusCode::METHOD_NOT_ALLOWED, why));
        }
        if request.uri().path().len() + request.uri().query().map_or(0, str::len) > ADDRESS {
            return Err((StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        if !self.is_ours(request) {
            return Err((StatusCode::FORBIDDEN, "not from this page"));
        }
        let unknown = (
            StatusCode::NOT_FOUND,
            "There is no such page. The address changes with each start of pgc serve, unless it has --token-file: use the one that it printed.",
        );
        let path = request.uri().path().strip_prefix('/').ok_or(unknown)?;
        let (token, path) = path.split_once('/').ok_or(unknown)?;
        // The comparison of BLAKE3 hashes takes constant time.
        if blake3::hash(token.as_bytes()) == blake3::hash(self.token.as_bytes()) {
            Ok(path)
        } else {
            Err(unknown)
        }
    }

    /// Whether a request names this server as its host, and was not made by a page of another site.
    /// The host check stops DNS rebinding: such a page sends the name of its own site.
    fn is_ours(&self, request: &Request<Incoming>) -> bool {
        let headers = request.headers();
        let is_host = |host: &str| self.hosts.iter().any(|own| own == host);
        let is_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_host);
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let authority = request.uri().authority();
        let values = |name: &'static str| headers.get_all(name).iter().map(HeaderValue::to_str);
        host.is_some_and(is_host)
            && hosts.next().is_none()
            && authority.is_none_or(|authority| is_host(authority.as_str()))
            && values("origin").all(|origin| origin.is_ok_and(is_origin))
            && values("sec-fetch-site").all(|site| matches!(site, Ok("same-origin" | "none")))
    }

    /// Answers a question.
    async fn answer(&self, question: String, request: Request<Incoming>) -> Reply {
        let api = self.api.clone();
        let (head, body) = request.into_parts();
        let asked = head.uri.query().unwrap_or_default().to_owned();
        let Ok(body) = Limited::new(body, BODY).collect().await else {
            let why = r#"{"error":"this text is too long for the page"}"#;
            return text(StatusCode::PAYLOAD_TOO_LARGE, "application/json", why);
        };
        let body = body.to_bytes();
        let parameters = QuestionParameters::parse(&asked);
        let name = parameters.one("task").map(str::to_owned);
        if question == PROGRESS {
            let games = self.turns.passed(name.as_deref().unwrap_or_default());
            return json(200, format!(r#"{{"games":{}}}"#, games.unwrap_or(0)));
        }
        let work = move || api.answer(&question, &asked, &body);
        match self.turns.answer(name, work).await {
            Ok((status, answer)) => json(status, answer),
            Err(why) => unanswered(why),
        }
    }

    /// Sends the games of a search as a file.
    async fn save(&self, asked: Option<&str>) -> Reply {
        let (api, asked) = (self.api.clone(), asked.unwrap_or_default().to_owned());
        let games = match self.turns.work(None, move || api.saved(&asked)).await {
            Ok((Ok(games), _)) => games,
            Ok((Err((status, why)), _)) => return json(status, why),
            Err(why) => return unanswered(why),
        };
        let named = format!("attachment; filename=\"{}\"", games.name);
        let (media_type, length) = (games.media_type, games.length);
        let mut reply = Response::new(Either::Right(games));
        let headers = reply.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        if let Ok(named) = HeaderValue::from_str(&named) {
            headers.insert(header::CONTENT_DISPOSITION, named);
        }
        reply
    }
}

fn unanswered((status, why): Unanswered) -> Reply {
    json(status, format!(r#"{{"error":"{why}"}}"#))
}

fn json(status: u16, json: impl Into<Bytes>) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    text(status, "application/json", json)
}

fn text(status: StatusCode, media_type: &'static str, text: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Either::Left(Full::new(text.into())));
    *reply.status_mut() = status;
    let media_type = HeaderValue::from_static(media_type);
    reply.headers_mut().insert(header::CONTENT_TYPE, media_type);
    reply
}

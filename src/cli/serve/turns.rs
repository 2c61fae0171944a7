//! How many questions are answered at the same time, and how many bytes of answers are on their way.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{self, JoinHandle};
use tokio::time::timeout;

use crate::interrupt;

/// The number of questions answered at the same time; further ones wait.
pub(super) const QUESTIONS: usize = 4;

/// The kilobytes of all answers on their way to clients, and the time that a finished answer waits
/// for its place among them.
const ROOM: u32 = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// The question that this thread answers.
    static ASKED: RefCell<Arc<OpenQuestion>> = RefCell::default();
}

/// A question that is being answered.
#[derive(Default)]
struct OpenQuestion {
    /// Set once nobody waits for the answer.
    left: AtomicBool,
    /// The games that it is past: those of the archives before, and all of them.
    before: AtomicU64,
    games: AtomicU64,
}

/// Whether the question that this thread answers should not be answered any more: its client has
/// left, or the user interrupts the program.
pub(super) fn is_over() -> bool {
    interrupt::requested() || ASKED.with_borrow(|asked| asked.left.load(Ordering::Relaxed))
}

/// Notes that the question is past so many games of an archive; returns [`is_over`].
pub(super) fn pass(games: u64) -> bool {
    ASKED.with_borrow(|asked| {
        let before = asked.before.load(Ordering::Relaxed);
        asked.games.fetch_max(before + games, Ordering::Relaxed);
    });
    is_over()
}

/// Notes that the question is past an archive with so many games.
pub(super) fn pass_archive(games: u64) {
    ASKED.with_borrow(|asked| asked.before.fetch_add(games, Ordering::Relaxed));
    pass(0);
}

/// The turns of questions, and the room for answers.
pub(super) struct Turns {
    questions: Arc<Semaphore>,
    room: Arc<Semaphore>,
    /// The questions that are being answered, by the names that the page gave them.
    named: Mutex<Vec<(String, Weak<OpenQuestion>)>>,
}

/// Why there is no answer: the HTTP status, and the reason.
pub(super) type Unanswered = (u16, &'static str);

/// Answering failed: a bug.
const PANIC: Unanswered = (
    500,
    "the question could not be answered: please report this",
);

/// Clients do not read their answers.
const FULL: Unanswered = (503, "too many answers wait to be read: ask again");

impl Turns {
    pub(super) fn new() -> Turns {
        Turns {
            questions: Arc::new(Semaphore::new(QUESTIONS)),
            room: Arc::new(Semaphore::new(ROOM as usize)),
            named: Mutex::default(),
        }
    }

    /// The number of games that the question with this name is past; `None` if it is not being
    /// answered.
    pub(super) fn passed(&self, name: &str) -> Option<u64> {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = named.iter().find(|asked| asked.0 == name)?.1.upgrade()?;
        Some(asked.games.load(Ordering::Relaxed))
    }

    /// Does what a question asks for on a thread of its own, when it is its turn, which lasts as
    /// long as the returned permit. If the client leaves, that is, if the future is dropped, the
    /// work is not done, or no further.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        name: Option<String>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, OwnedSemaphorePermit), Unanswered> {
        let turn = self.questions.clone().acquire_owned().await;
        let turn = turn.map_err(|_| FULL)?;
        let asked = Arc::<OpenQuestion>::default();
        let known = name.map(|name| (name, Arc::downgrade(&asked)));
        {
            let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            named.retain(|asked| asked.1.strong_count() > 0);
            named.extend(known);
        }
        let flag = asked.clone();
        let task = task::spawn_blocking(move || {
            ASKED.set(flag);
            pgc::stop::asked_by(Some(pass));
            let done = work();
            ASKED.take();
            // The turn ends when the work does, even if nobody waits for it.
            (done, turn)
        });
        let mut awaited = Awaited { task, asked };
        (&mut awaited.task).await.map_err(|_| PANIC)
    }

    /// Answers a question.
    pub(super) async fn answer(
        &self,
        name: Option<String>,
        work: impl FnOnce() -> (u16, String) + Send + 'static,
    ) -> Result<(u16, Bytes), Unanswered> {
        let ((status, answer), turn) = self.work(name, work).await?;
        let size = u32::try_from(answer.len() >> 10).unwrap_or(ROOM).min(ROOM);
        let place = self.room.clone().acquire_many_owned(size);
        let Ok(Ok(place)) = timeout(PATIENCE, place).await else {
            return Err(FULL);
        };
        drop(turn);
        let answer = OnItsWay {
            answer,
            _place: place,
        };
        Ok((status, Bytes::from_owner(answer)))
    }
}

/// An answer, whose place is free again when it has been sent.
struct OnItsWay {
    answer: String,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for OnItsWay {
    fn as_ref(&self) -> &[u8] {
        self.answer.as_bytes()
    }
}

/// A task that computes an answer. If the client leaves before the task has begun, it never begins;
/// if later, the task is told.
struct Awaited<T> {
    task: JoinHandle<T>,
    asked: Arc<OpenQuestion>,
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.asked.left.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn a_question_ends_when_its_client_leaves() {
        let ended = Arc::<AtomicBool>::default();
        let flag = ended.clone();
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new();
            let work = move || {
                while !is_over() {
                    thread::yield_now();
                }
                flag.store(true, Ordering::Relaxed);
                (200, String::new())
            };
            let left = timeout(Duration::from_millis(50), turns.answer(None, work)).await;
            assert!(left.is_err());
            // All turns are free again once it has ended.
            let all = u32::try_from(QUESTIONS).unwrap();
            let free = turns.questions.acquire_many(all);
            let free = timeout(Duration::from_secs(60), free).await;
            assert!(free.unwrap().is_ok() && ended.load(Ordering::Relaxed));
        });
    }

    /// Two archives, of 40 and 60 games; then nobody knows of the question any more.
    #[test]
    fn a_question_tells_how_far_it_is() {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Arc::new(Turns::new());
            let (asked, named) = (turns.clone(), Some("q".to_owned()));
            let work = move || {
                pass(30);
                let first = asked.passed("q");
                pass_archive(40);
                pass(10);
                (
                    200,
                    format!("{first:?} {:?} {:?}", asked.passed("q"), asked.passed("p")),
                )
            };
            let answer = turns.answer(named, work).await;
            let Ok((200, bytes)) = answer else {
                panic!("an answer")
            };
            assert_eq!(bytes, "Some(30) Some(50) None");
            assert_eq!(turns.passed("q"), None);
        });
    }

    #[test]
    fn an_answer_takes_room_until_it_is_sent() {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new();
            let answer = turns.answer(None, || (200, "x".repeat(5 << 20))).await;
            let left = || turns.room.available_permits();
            assert_eq!(left(), (ROOM - (5 << 10)) as usize);
            let Ok((200, bytes)) = answer else {
                panic!("an answer")
            };
            assert_eq!(bytes.len(), 5 << 20);
            drop(bytes);
            assert_eq!(left(), ROOM as usize);
        });
    }
}

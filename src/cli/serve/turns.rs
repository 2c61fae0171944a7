//! How many questions are answered at the same time, and how many bytes of answers are on their way.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{self, JoinHandle};
use tokio::time::timeout;

use crate::cli::interrupt;

/// The number of questions answered at the same time; further ones wait.
pub(super) const QUESTIONS: usize = 4;

/// The kilobytes of all answers on their way to clients, and the time that a finished answer waits
/// for its place among them.
const ROOM: u32 = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(10);

thread_local! {
    /// Set once nobody waits for the question that this thread answers.
    static LEFT: RefCell<Arc<AtomicBool>> = RefCell::default();
}

/// Whether the question that this thread answers should not be answered any more: its client has
/// left, or the user interrupts the program.
pub(super) fn is_over() -> bool {
    interrupt::requested() || LEFT.with_borrow(|left| left.load(Ordering::Relaxed))
}

/// The turns of questions, and the room for answers.
pub(super) struct Turns {
    questions: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// Answering failed: a bug.
    Panic,
    /// Clients do not read their answers.
    Full,
}

impl Turns {
    pub(super) fn new() -> Turns {
        Turns {
            questions: Arc::new(Semaphore::new(QUESTIONS)),
            room: Arc::new(Semaphore::new(ROOM as usize)),
        }
    }

    /// Does what a question asks for on a thread of its own, when it is its turn, which lasts as
    /// long as the returned permit. If the client leaves, that is, if the future is dropped, the
    /// work is not done, or no further.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, OwnedSemaphorePermit), Unanswered> {
        let turn = self.questions.clone().acquire_owned().await;
        let turn = turn.map_err(|_| Unanswered::Full)?;
        let left = Arc::<AtomicBool>::default();
        let flag = left.clone();
        let task = task::spawn_blocking(move || {
            LEFT.set(flag);
            // The turn ends when the work does, even if nobody waits for it.
            (work(), turn)
        });
        Awaited { task, left }.finished().await
    }

    /// Answers a question.
    pub(super) async fn answer(
        &self,
        work: impl FnOnce() -> (u16, String) + Send + 'static,
    ) -> Result<(u16, Bytes), Unanswered> {
        let ((status, answer), turn) = self.work(work).await?;
        let size = u32::try_from(answer.len() >> 10).unwrap_or(ROOM).min(ROOM);
        let place = self.room.clone().acquire_many_owned(size);
        let Ok(Ok(place)) = timeout(PATIENCE, place).await else {
            return Err(Unanswered::Full);
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
    left: Arc<AtomicBool>,
}

impl<T> Awaited<T> {
    async fn finished(mut self) -> Result<T, Unanswered> {
        (&mut self.task).await.map_err(|_| Unanswered::Panic)
    }
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.left.store(true, Ordering::Relaxed);
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
            let left = timeout(Duration::from_millis(50), turns.answer(work)).await;
            assert!(left.is_err());
            // All turns are free again once it has ended.
            let all = u32::try_from(QUESTIONS).unwrap();
            let free = turns.questions.acquire_many(all);
            let free = timeout(Duration::from_secs(60), free).await;
            assert!(free.unwrap().is_ok() && ended.load(Ordering::Relaxed));
        });
    }

    #[test]
    fn an_answer_takes_room_until_it_is_sent() {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new();
            let answer = turns.answer(|| (200, "x".repeat(5 << 20))).await;
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

//! What pages search with: the indexes, as far as they are there, and a bounded number of threads to search on.
//!
//! The binary makes one, hands it to [`crate::App`], and fills it when the indexes have been opened, which happens in the
//! background. Pages ask for an index and say so when there is none: everything else works without (promise 6).

use search::{Index, State};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use store::{Store, StoreError};
use text::Frequencies;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

/// Searches at once.
const PLACES: usize = 4;
/// A search waits this long for its turn; it itself takes a second at most.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// Afterwards nobody waits for it any more, but it keeps its place until it ends.
const TAKES_MAX: Duration = Duration::from_secs(5);
/// How old what is known of words may be. A young table learns new languages by the minute and is read in no time.
const FREQUENCIES_FOR: Duration = Duration::from_secs(600);
const YOUNG_FOR: Duration = Duration::from_secs(5);
/// With fewer items a table of words is young.
const YOUNG_ITEMS: f64 = 10_000.0;

/// Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct Finder(Arc<Inner>);

struct Inner {
    shelf: RwLock<Shelf>,
    places: Arc<Semaphore>,
    frequencies: Mutex<Option<(Instant, Arc<Frequencies>)>>,
}

#[derive(Clone, Default)]
struct Shelf {
    items: Option<Index>,
    channels: Option<Index>,
    trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinderState {
    /// The process has just started.
    Opening,
    /// There is an index; it may still be being built.
    Ready(State),
    /// A sentence that says why; it is tried again.
    Unavailable(String),
}

/// Why a search has no answer; people are asked to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("too many searches are under way")]
    Busy,
    #[error("the search did not end as it should")]
    Broken,
}

impl Default for Finder {
    fn default() -> Self {
        Finder(Arc::new(Inner {
            shelf: RwLock::default(),
            places: Arc::new(Semaphore::new(PLACES)),
            frequencies: Mutex::default(),
        }))
    }
}

impl Finder {
    /// What there is to search in from now on; `trouble` is a sentence about what there is not.
    pub fn fill(&self, items: Option<Index>, channels: Option<Index>, trouble: Option<String>) {
        *self.0.shelf.write().unwrap_or_else(PoisonError::into_inner) = Shelf { items, channels, trouble };
    }

    /// None until it is open, or when it cannot be opened: see [`Finder::state`].
    pub fn items(&self) -> Option<Index> {
        self.shelf().items
    }

    pub fn channels(&self) -> Option<Index> {
        self.shelf().channels
    }

    /// Of the items.
    pub fn state(&self) -> FinderState {
        let shelf = self.shelf();
        shelf.state(shelf.items.as_ref())
    }

    pub fn channels_state(&self) -> FinderState {
        let shelf = self.shelf();
        shelf.state(shelf.channels.as_ref())
    }

    /// Runs what blocks (a search, a comparison of many profiles) where it keeps nobody else waiting.
    pub async fn run<T, F>(&self, job: F) -> Result<T, NoAnswer>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let place = tokio::time::timeout(WAIT_MAX, Arc::clone(&self.0.places).acquire_owned());
        let Ok(Ok(place)) = place.await else { return Err(NoAnswer::Busy) };
        let running = tokio::task::spawn_blocking(move || {
            let answer = job();
            drop(place);
            answer
        });
        match tokio::time::timeout(TAKES_MAX, running).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => Err(NoAnswer::Broken),
        }
    }

    /// How common words are on this server, as learned some minutes ago, or seconds as long as that is little; empty
    /// before anything was.
    pub async fn frequencies(&self, store: &Store) -> Result<Arc<Frequencies>, StoreError> {
        // Whoever comes meanwhile waits for the one who reads.
        let mut kept = self.0.frequencies.lock().await;
        if let Some((at, known)) = kept.as_ref()
            && at.elapsed() < kept_for(known)
        {
            return Ok(Arc::clone(known));
        }
        let state = store.model("frequencies").await?.map(|model| model.state).unwrap_or_default();
        // A state that cannot be read is learned again by whoever writes it.
        let read = self.run(move || Frequencies::from_bytes(&state).unwrap_or_default()).await;
        let known = Arc::new(read.unwrap_or_default());
        *kept = Some((Instant::now(), Arc::clone(&known)));
        Ok(known)
    }

    fn shelf(&self) -> Shelf {
        self.0.shelf.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether too few items were read to know which languages are.
pub(crate) fn is_young(frequencies: &Frequencies) -> bool {
    let items: f64 = frequencies.languages().map(|language| frequencies.of(language).items()).sum();
    items < YOUNG_ITEMS
}

fn kept_for(frequencies: &Frequencies) -> Duration {
    if is_young(frequencies) { YOUNG_FOR } else { FREQUENCIES_FOR }
}

impl Shelf {
    fn state(&self, index: Option<&Index>) -> FinderState {
        match (index, &self.trouble) {
            (Some(index), _) => FinderState::Ready(index.state()),
            (None, Some(trouble)) => FinderState::Unavailable(trouble.clone()),
            (None, None) => FinderState::Opening,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::{Language, TermId};

    #[test]
    fn what_is_known_of_words_is_kept_for_seconds_until_there_is_much_of_it() {
        let mut known = Frequencies::default();
        assert_eq!(kept_for(&known), YOUNG_FOR);
        let now = domain::Timestamp::from_seconds(1_800_000_000);
        for nth in 0..9_999_u64 {
            let language = if nth % 2 == 0 { Some(Language::ENGLISH) } else { Language::parse("de") };
            known.add(language, [TermId(2 * (nth % 50))], now);
        }
        assert_eq!(kept_for(&known), YOUNG_FOR);
        known.add(None, [TermId(2)], now);
        assert_eq!(kept_for(&known), FREQUENCIES_FOR);
    }

    #[tokio::test]
    async fn a_search_that_breaks_takes_nobody_with_it() {
        let finder = Finder::default();
        assert_eq!(finder.state(), FinderState::Opening);
        for _ in 0..2 * PLACES {
            assert_eq!(finder.run(|| panic!("planted")).await, Err::<(), _>(NoAnswer::Broken));
        }
        assert_eq!(finder.run(|| 7).await, Ok(7));
        finder.fill(None, None, Some("No room.".into()));
        assert_eq!(finder.state(), FinderState::Unavailable("No room.".into()));
    }
}

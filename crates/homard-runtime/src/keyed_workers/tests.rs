//! In order, one at a time, bounded, gone when idle, and nothing lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Mutex;
use proptest::prelude::*;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{KeyedWorkers, Roused, Worker};
use crate::tasks::Tasks;

const LINGER: Duration = Duration::from_secs(30);
const LIMIT: Duration = Duration::from_secs(60);

/// What workers have taken, and how many tasks were woken.
#[derive(Clone, Default)]
struct Taken {
    items: Arc<Mutex<BTreeMap<u8, Vec<u32>>>>,
    woken: Arc<Mutex<u32>>,
    stop: CancellationToken,
}

impl Taken {
    async fn work(self, worker: Worker<u8, u32>) {
        *self.woken.lock() += 1;
        while let Some(item) = worker.next(&self.stop).await {
            if item % 2 == 0 {
                tokio::task::yield_now().await;
            }
            self.items.lock().entry(*worker.key()).or_default().push(item);
        }
    }

    fn put(&self, workers: &KeyedWorkers<u8, u32>, key: u8, item: u32) -> Result<(), u32> {
        let taken = self.clone();
        workers.put(key, item, |worker| taken.work(worker))
    }

    fn all(&self) -> BTreeMap<u8, Vec<u32>> {
        self.items.lock().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn each_key_has_one_task_that_stays_a_while_and_goes_away() {
    let (taken, tasks) = (Taken::default(), Tasks::new());
    let workers = KeyedWorkers::new(tasks.clone(), 10, LINGER);
    for (key, item) in [(1, 1), (2, 10), (1, 2), (1, 3)] {
        taken.put(&workers, key, item).unwrap();
    }
    tokio::time::sleep(LINGER / 2).await;
    assert_eq!(taken.all(), BTreeMap::from([(1, vec![1, 2, 3]), (2, vec![10])]));
    taken.put(&workers, 1, 4).unwrap();
    tokio::time::sleep(LINGER / 2 + Duration::from_secs(1)).await;
    assert_eq!((workers.awake(), *taken.woken.lock()), (1, 2), "the one that got more stays");
    tokio::time::sleep(LINGER).await;
    assert_eq!((workers.awake(), tasks.running()), (0, 0));
    taken.put(&workers, 1, 5).unwrap();
    tasks.finish(LIMIT).await;
    assert_eq!(taken.all()[&1], [1, 2, 3, 4, 5]);
    assert_eq!(*taken.woken.lock(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_full_inbox_gives_things_back_and_things_can_be_taken_out_and_put_back() {
    let (busy, stop) = (Arc::new(Semaphore::new(0)), CancellationToken::new());
    let tasks = Tasks::new();
    let workers = KeyedWorkers::<u8, u32>::new(tasks.clone(), 2, LINGER);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let work = || {
        let (busy, stop, seen) = (Arc::clone(&busy), stop.clone(), Arc::clone(&seen));
        |worker: Worker<u8, u32>| async move {
            let _may_begin = busy.acquire().await;
            while let Some(item) = worker.next(&stop).await {
                seen.lock().push(item);
            }
        }
    };
    let put = |item| workers.put(1, item, work());
    assert_eq!((put(1), put(2), put(3)), (Ok(()), Ok(()), Err(3)));
    assert_eq!(workers.inbox(&1, |items| items.remove(1)), Some(Some(2)));
    assert_eq!((workers.inbox(&2, |items| items.len()), put(4)), (None, Ok(())));
    workers.put_back(1, 1, 2, work());
    busy.add_permits(1);
    // Stopping lets what waits be taken; only who is idle goes.
    stop.cancel();
    tasks.finish(LIMIT).await;
    assert_eq!((seen.lock().as_slice(), workers.awake()), ([1, 2, 4].as_slice(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_worker_waits_for_more_until_a_time_and_knows_when_something_was_put() {
    let (stop, told) = (CancellationToken::new(), Arc::new(Mutex::new(Vec::new())));
    let tasks = Tasks::new();
    let workers = KeyedWorkers::<u8, u32>::new(tasks.clone(), 9, Duration::ZERO);
    let (began, here, waits) = (Instant::now(), Arc::clone(&told), stop.clone());
    let work = |worker: Worker<u8, u32>| async move {
        for _ in 0..3 {
            let why = worker.more_until(began + 4 * LINGER, &waits).await;
            here.lock().push((why, worker.last_put() - began));
            if why == Roused::Due {
                waits.cancel();
            }
        }
    };
    workers.put(1, 1, work).unwrap();
    tokio::time::sleep(LINGER).await;
    workers.put(1, 2, |_| async {}).unwrap();
    tasks.finish(20 * LINGER).await;
    let expected = [(Roused::More, LINGER), (Roused::Due, LINGER), (Roused::Due, LINGER)];
    let told = told.lock();
    assert_eq!(told[..2], expected[..2]);
    assert!(told[2].0 != Roused::More, "the third wait finds it stopped and due: {told:?}");
    assert_eq!(workers.awake(), 0, "who ends without being idle frees the key");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Idle workers go at once here, so nearly every put meets one that is about to.
    #[test]
    fn nothing_is_lost_or_doubled_when_puts_race_with_going_away(
        plans in prop::collection::vec(prop::collection::vec((0_u8..3, 0_u8..4), 1..80), 1..5)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build();
        let (taken, mut expected) = (Taken::default(), BTreeMap::<u8, Vec<u32>>::new());
        let mut number = 0;
        let plans: Vec<Vec<(u8, u32, u8)>> = plans.into_iter().map(|plan| plan.into_iter().map(|(key, yields)| {
            number += 1;
            expected.entry(key).or_default().push(number);
            (key, number, yields)
        }).collect()).collect();
        runtime.unwrap().block_on(async {
            let (putters, tasks) = (Tasks::new(), Tasks::new());
            let workers = KeyedWorkers::new(tasks.clone(), usize::MAX, Duration::ZERO);
            for plan in plans.clone() {
                let (taken, workers) = (taken.clone(), workers.clone());
                putters.spawn(async move {
                    for (key, item, yields) in plan {
                        taken.put(&workers, key, item).unwrap();
                        for _ in 0..yields {
                            tokio::task::yield_now().await;
                        }
                    }
                });
            }
            putters.finish(LIMIT).await;
            tasks.finish(LIMIT).await;
        });
        let seen = taken.all();
        // What one putter put for a key stays in its order.
        for plan in &plans {
            for (key, items) in &seen {
                let own: Vec<u32> = plan.iter().filter(|(of, ..)| of == key).map(|(_, item, _)| *item).collect();
                let heard: Vec<u32> = items.iter().copied().filter(|item| own.contains(item)).collect();
                prop_assert_eq!(heard, own);
            }
        }
        let sorted: BTreeMap<u8, Vec<u32>> = seen.into_iter().map(|(key, mut items)| {
            items.sort_unstable();
            (key, items)
        }).collect();
        prop_assert_eq!(sorted, expected);
    }
}

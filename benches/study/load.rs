//! A load beside what is measured, which comes and goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, available_parallelism, sleep, spawn};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// As many threads as there are processors, each by turns busy and idle for 0.1 to 1.5 s, until
/// dropped.
pub struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    pub fn new(seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let processors = available_parallelism().map_or(1, |number| number.get() as u64);
        let thread = |stream| {
            let stop = Arc::clone(&stop);
            spawn(move || come_and_go(&stop, seed, stream))
        };
        Self { threads: (0..processors).map(thread).collect(), stop }
    }
}

/// Without a pattern that rounds could follow.
fn come_and_go(stop: &AtomicBool, seed: u64, stream: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let mut is_busy = stream.is_multiple_of(2);
    while !stop.load(Ordering::Relaxed) {
        let until = Instant::now() + Duration::from_millis(rng.random_range(100..1500));
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            if is_busy { std::hint::spin_loop() } else { sleep(Duration::from_millis(5)) }
        }
        is_busy = !is_busy;
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

//! One implementation of one operation, ready to run.

use crate::{Operation, ours, work::Work};
use std::time::{Duration, Instant};

/// An implementation of an operation at one message length, with its data laid out.
pub struct Contestant {
    /// The implementation, such as `OpenSSL`, or `ss55 avx2` for one backend.
    pub name: String,
    /// Which of its functions are called.
    pub call: &'static str,
    /// What it does. (A race may have the bare AEAD beside a stream.)
    pub operation: Operation,
    size: usize,
    work: Box<dyn Work>,
}

impl Contestant {
    /// `work` does `operation` on messages of `size` bytes.
    pub fn new(
        name: impl Into<String>,
        call: &'static str,
        operation: Operation,
        size: usize,
        work: Box<dyn Work>,
    ) -> Self {
        Contestant {
            name: name.into(),
            call,
            operation,
            size,
            work,
        }
    }

    /// Bytes of message in one [`time`](Self::time).
    pub fn bytes(&self) -> usize {
        self.work.bytes()
    }

    /// Does the work once, on data laid out anew, and gives the time of the work alone.
    pub fn time(&mut self) -> Duration {
        self.work.prepare();
        let start = Instant::now();
        self.work.run();
        start.elapsed()
    }

    /// Compares what it makes with the portable backend's.
    ///
    /// # Errors
    /// If one byte differs.
    pub fn check(&mut self) -> Result<(), String> {
        self.work.prepare();
        self.work.run();
        if self.work.output() == ours::reference(self.operation, self.size) {
            return Ok(());
        }
        let (name, title, size) = (&self.name, self.operation.title(), self.size);
        Err(format!("{name} gives other bytes: {title}, {size} bytes"))
    }
}

/// Everybody who does `operation`: first this project's contestants, then the peers.
pub fn contestants(operation: Operation, size: usize) -> Vec<Contestant> {
    let mut all = ours::contestants(operation, size);
    #[cfg(feature = "peers")]
    all.extend(crate::peers::contestants(operation, size));
    all.extend(crate::serpent_peers::contestants(operation, size));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_give_the_same_bytes() {
        for operation in Operation::ALL {
            for &size in operation.sizes() {
                let mut all = contestants(operation, size);
                assert!(all.len() >= 2, "the chosen engine and one backend");
                for contestant in &mut all {
                    contestant.check().expect("the portable backend's bytes");
                }
            }
        }
    }

    #[test]
    fn other_bytes_are_told() {
        let mut wrong = contestants(Operation::Seal, 64).remove(0);
        wrong.operation = Operation::Open;
        assert!(wrong.check().is_err());
    }
}

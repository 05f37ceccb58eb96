//! How much of the machine was used by others while we worked.

use std::fs;

/// A moment from which the machine's work is counted.
#[derive(Debug)]
pub(crate) struct Load {
    begun: Option<Moment>,
}

/// Work since the machine started, in ticks of its clock.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// Of all cores, used or not.
    all: u64,
    /// Used by anybody, and what the host of a virtual machine took away.
    used: u64,
    /// Used by this process and by those it started and waited for.
    ours: u64,
}

impl Load {
    /// Begins to count.
    pub(crate) fn begin() -> Self {
        Self { begun: Moment::now() }
    }

    /// The share of the machine others used since; `None` where that cannot be known. Programs that are still
    /// running count as others', so it is asked when all have ended.
    pub(crate) fn others(&self) -> Option<f64> {
        Some(self.begun?.others_until(Moment::now()?))
    }
}

impl Moment {
    fn others_until(self, now: Self) -> f64 {
        let ours = now.ours.saturating_sub(self.ours);
        let others = now.used.saturating_sub(self.used).saturating_sub(ours);
        #[expect(clippy::cast_precision_loss, reason = "a share needs no exact ticks")]
        let share = others as f64 / now.all.saturating_sub(self.all).max(1) as f64;
        share
    }

    /// Linux tells; elsewhere nobody is asked.
    fn now() -> Option<Self> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let process = fs::read_to_string("/proc/self/stat").ok()?;
        Self::read(&machine, &process)
    }

    fn read(machine: &str, process: &str) -> Option<Self> {
        // cpu user nice system idle iowait irq softirq steal
        let numbers = |text: &str| {
            text.split_whitespace().map_while(|word| word.parse::<u64>().ok()).collect::<Vec<_>>()
        };
        let cores = numbers(machine.lines().next()?.strip_prefix("cpu")?);
        let all = cores.iter().take(8).sum::<u64>();
        let waiting = cores.iter().skip(3).take(2).sum::<u64>();
        // After the name in brackets: the state, then ten numbers, then our time and that of our children.
        let ours = process.rsplit_once(") ")?.1.split_whitespace().skip(11).take(4);
        let ours = ours.map(|word| word.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Self { all, used: all.saturating_sub(waiting), ours })
    }
}

#[cfg(test)]
mod tests;

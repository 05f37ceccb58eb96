//! The fake model server as a process of its own, for benchmarks and for trying Homard without a key.
//!
//! `fake_llm --port 18999 --chunks 8 --delay-ms 0 --first-ms 0`; it is neither strict nor does it keep bodies,
//! so that it is never the slowest part of what is measured.

use std::io::Write as _;

use anyhow::{Context, Result, bail};
use homard_testkit::{FakeLlm, FakeLlmOptions};

fn main() -> Result<()> {
    let options = options(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let fake = FakeLlm::start_with(&options)?;
        let mut out = std::io::stdout();
        writeln!(out, "fakellm on {}", fake.url())?;
        out.flush()?;
        fake.serve().await;
        Ok(())
    })
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<FakeLlmOptions> {
    let mut options = FakeLlmOptions { strict: false, keep_bodies: false, ..FakeLlmOptions::default() };
    while let Some(name) = arguments.next() {
        if name == "--strict" {
            options.strict = true;
            continue;
        }
        let value = arguments.next().with_context(|| format!("`{name}` needs a value"))?;
        let number: u64 = value.parse().with_context(|| format!("`{name}` needs a number, not `{value}`"))?;
        match name.as_str() {
            "--port" => options.port = u16::try_from(number).context("a port is at most 65535")?,
            "--chunks" => options.chunks = usize::try_from(number)?,
            "--delay-ms" => options.delay_ms = number,
            "--first-ms" => options.first_ms = number,
            _ => bail!("unknown option `{name}`; known are --port --chunks --delay-ms --first-ms --strict"),
        }
    }
    Ok(options)
}

//! The program as people start it, in one test program: linking several takes longer than running them.

mod command_line;
mod gateway_process;
mod scenarios;

/// The program under test. The workshop may have its path compiled in as seen from this package's folder, where tests
/// begin; they hand it to processes that run elsewhere.
fn homard() -> &'static str {
    static PATH: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let compiled_in = env!("CARGO_BIN_EXE_homard");
        let path = std::fs::canonicalize(compiled_in).ok();
        let path = path.and_then(|path| path.into_os_string().into_string().ok());
        path.unwrap_or_else(|| compiled_in.to_owned())
    });
    &PATH
}

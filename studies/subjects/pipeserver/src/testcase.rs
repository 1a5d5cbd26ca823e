//! The test case of the study: a helper beside a product, and how long the product takes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{PipeError, PipeWriter, Product, Waiting};

/// How long a helper may take to open its pipe, and to read what is in it.
const PATIENCE: Duration = Duration::from_secs(10);

/// A helper in a process of its own beside a product.
#[derive(Clone, Copy, Debug)]
pub struct TestCase {
    /// How the helper waits.
    pub waiting: Waiting,
    /// What the product does.
    pub product: Product,
    /// Whether the product keeps its steps to itself.
    pub is_silent: bool,
}

/// What a test case took.
#[derive(Clone, Copy, Debug)]
pub struct TestResult {
    /// The product's own time.
    pub wall: Duration,
    /// The helper's processor time, where the kernel accounts for it.
    pub helper_cpu: Option<Duration>,
    /// Steps that the helper counted.
    pub counted: i64,
    /// The product's checksum.
    pub checksum: u64,
}

impl TestCase {
    /// Starts `program serve PIPE` as the helper, works, and ends the helper.
    pub fn execute(&self, program: &Path) -> Result<TestResult, PipeError> {
        let failure = |source| PipeError::Io { action: "use", path: program.to_owned(), source };
        let folder = tempfile::tempdir().map_err(failure)?;
        let pipe = folder.path().join("pipe");
        let mode = if self.waiting == Waiting::Busy { "busy" } else { "block" };
        let mut helper = Command::new(program);
        helper
            .arg("serve")
            .arg("--wait")
            .arg(mode)
            .arg(&pipe)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut helper = HelperProcess(helper.spawn().map_err(failure)?);
        let mut writer = helper.connect(&pipe)?;

        let start = Instant::now();
        let checksum = self
            .product
            .work(|| if self.is_silent { Ok(()) } else { writer.send("count steps") })?;
        let wall = start.elapsed();
        let helper_cpu = helper.cpu();
        writer.send("quit")?;
        let output = helper.output().map_err(failure)?;
        let counted =
            output.strip_prefix("steps ").and_then(|total| total.trim().parse().ok()).unwrap_or(0);
        Ok(TestResult { wall, helper_cpu, counted, checksum })
    }
}

/// A helper that is ended when it is not needed any more.
struct HelperProcess(Child);

impl HelperProcess {
    /// Waits until the helper has its pipe open.
    fn connect(&mut self, pipe: &Path) -> Result<PipeWriter, PipeError> {
        let start = Instant::now();
        loop {
            match PipeWriter::open(pipe, PATIENCE) {
                Err(PipeError::NoHelper { .. }) if start.elapsed() < PATIENCE => {
                    if let Ok(Some(status)) = self.0.try_wait() {
                        return Err(PipeError::Helper(status.to_string()));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                result => return result,
            }
        }
    }

    /// Its processor time so far. It has one thread, so that this one is the process.
    fn cpu(&self) -> Option<Duration> {
        let account = std::fs::read_to_string(format!("/proc/{}/schedstat", self.0.id())).ok()?;
        Some(Duration::from_nanos(account.split(' ').next()?.parse().ok()?))
    }

    /// What it printed until its end.
    fn output(&mut self) -> std::io::Result<String> {
        let mut text = String::new();
        if let Some(output) = &mut self.0.stdout {
            std::io::Read::read_to_string(output, &mut text)?;
        }
        self.0.wait()?;
        Ok(text)
    }
}

impl Drop for HelperProcess {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

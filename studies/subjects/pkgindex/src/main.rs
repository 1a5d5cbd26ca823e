//! `pkgindex`: answers questions about Debian packages.

mod cli;

use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use pkgindex::cache::{Cache, Verify, replacement};
use pkgindex::rred::{ApplyError, Merged, Output, apply, parse};
use pkgindex::session::Settings;
use pkgindex::{Error, query};

use cli::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match execute(&arguments.command, &arguments.common.settings()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => 1.into(),
        Err(Error::File { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            if matches!(error, Error::UnknownPackage { .. }) { 1.into() } else { 2.into() }
        }
    }
}

/// Whether anything was found.
fn execute(command: &Command, settings: &Settings) -> Result<bool, Error> {
    match command {
        Command::Cat { files } => files.iter().try_for_each(|path| cat(path)).map(|()| true),
        Command::Build { stats } => build(settings, *stats),
        Command::Show { packages } => answer(settings, |cache| query::show(cache, packages)),
        Command::Search { patterns, names_only } => {
            answer(settings, |cache| query::search(cache, patterns, *names_only))
        }
        Command::Depends { package, reverse: false } => {
            answer(settings, |cache| query::depends(cache, package))
        }
        Command::Depends { package, reverse: true } => {
            answer(settings, |cache| query::reverse_depends(cache, package))
        }
        Command::Stats => answer(settings, |cache| query::stats(cache).map(String::into_bytes)),
        Command::Verify => {
            Cache::open(&settings.cache, Verify::Always)?;
            print(b"the cache is sound\n").map(|()| true)
        }
        Command::Rred { output, merge, writing, input, patches } => {
            if *merge {
                let patches: Vec<&Path> =
                    std::iter::once(input).chain(patches).map(PathBuf::as_path).collect();
                print_merged(&patches)
            } else {
                let patches: Vec<&Path> = patches.iter().map(PathBuf::as_path).collect();
                patch(input, &patches, output.as_deref(), writing.output()).map(|()| true)
            }
        }
    }
}

fn answer(
    settings: &Settings,
    question: impl Fn(&Cache) -> Result<Vec<u8>, Error>,
) -> Result<bool, Error> {
    let (answer, notices) = settings.ask(question)?;
    for notice in &notices {
        eprintln!("note: {notice}");
    }
    print(&answer).map(|()| !answer.is_empty())
}

fn build(settings: &Settings, is_detailed: bool) -> Result<bool, Error> {
    let phases = settings.build()?;
    if is_detailed {
        let cache = Cache::open(&settings.cache, Verify::Never)?;
        print((query::stats(&cache)? + &phases.lines()).as_bytes())?;
    }
    Ok(true)
}

fn cat(path: &Path) -> Result<(), Error> {
    let mut stream = open(path)?;
    let mut buffer = vec![0; 128 << 10];
    loop {
        // Not `io::copy`: an error of reading names the file, one of writing does not.
        match stream.read(&mut buffer).map_err(failed("read", path))? {
            0 => return Ok(()),
            count => print(&buffer[..count])?,
        }
    }
}

fn open(path: &Path) -> Result<unpack::Unpacked, Error> {
    if path == Path::new("-") {
        return unpack::read(std::io::stdin(), unpack::Options::default())
            .map_err(failed("read", path));
    }
    Ok(unpack::open(path, unpack::Options::default())?)
}

fn merged(patches: &[&Path]) -> Result<Merged, Error> {
    let mut merged = Merged::default();
    for path in patches {
        let wrong = |what| Error::Patch { path: path.to_path_buf(), what };
        let mut script = Vec::new();
        open(path)?.read_to_end(&mut script).map_err(failed("read", path))?;
        let edits = parse(&script).map_err(wrong)?;
        merged.add(&edits).map_err(wrong)?;
    }
    Ok(merged)
}

/// Prints one patch that does what all of them do.
fn print_merged(patches: &[&Path]) -> Result<bool, Error> {
    let script = merged(patches)?.script();
    if script.is_empty() {
        eprintln!("warning: the patches undo each other: the merged patch is empty");
    }
    print(&script).map(|()| true)
}

fn patch(
    input: &Path,
    patches: &[&Path],
    output: Option<&Path>,
    writing: Output,
) -> Result<(), Error> {
    let merged = merged(patches)?;
    let mut old = BufReader::with_capacity(128 << 10, open(input)?);
    let mut run = |new: &mut dyn Write, path: &Path| {
        apply(&mut old, &merged, writing, &mut &mut *new).map_err(|error| match error {
            ApplyError::Short { .. } => {
                Error::TooShort { path: input.to_owned(), what: error.to_string() }
            }
            ApplyError::Read(source) => failed("read", input)(source),
            ApplyError::Write(source) => failed("write", path)(source),
        })
    };
    let Some(path) = output else {
        return run(&mut Plain(std::io::stdout()), Path::new("standard output"));
    };
    let mut file = replacement(path).map_err(failed("write", path))?;
    run(file.as_file_mut(), path)?;
    file.persist(path).map_err(|error| failed("write", path)(error.error))?;
    Ok(())
}

/// Standard output without the buffer of lines that Rust puts before it.
struct Plain(std::io::Stdout);

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.0.write(bytes)?;
        self.0.flush().map(|()| count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

fn print(bytes: &[u8]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    let done = out.write_all(bytes).and_then(|()| out.flush());
    done.map_err(failed("write", Path::new("standard output")))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    move |source| Error::File { action, path: path.to_owned(), source }
}

//! The rules of a companion: a command, and a way to know that it is ready.

use super::super::error::Mistake;
use super::super::file::{CompanionTable, PerName, PortEntry, ReadyEntry, Words};
use super::super::spot::Spot;
use super::super::{Companion, CompanionLifetime, Port, Ready};
use super::{Check, Template};

impl Check<'_> {
    /// The companion of a benchmark; `None` after a mistake.
    pub(super) fn companion(&mut self, table: CompanionTable, spot: Spot<'_>) -> Option<Companion> {
        let port = table.port.map(|port| match port {
            PortEntry::Fixed(number) => Port::Fixed(number),
            PortEntry::Free(_) => Port::Free,
        });
        let ready = self.ready(table.ready, port, spot);
        let timeout = self.duration(&table.timeout, spot.get("timeout"));
        let command = self.words(table.command?, spot.get("command"));
        let per = match table.per {
            PerName::Cell => CompanionLifetime::Cell,
            PerName::Execution => CompanionLifetime::Execution,
            PerName::Run => CompanionLifetime::Run,
        };
        Some(Companion { command, port, ready: ready?, timeout, per })
    }

    fn ready(
        &mut self,
        entry: Option<ReadyEntry>,
        port: Option<Port>,
        spot: Spot<'_>,
    ) -> Option<Ready> {
        let at = spot.get("ready");
        Some(match entry {
            None if port.is_some() => Ready::Port(None),
            None => {
                self.report(spot, Mistake::NeverReady);
                return None;
            }
            Some(ReadyEntry::Command(script)) => {
                self.not_blank("ready.command", &script, at.get("command"));
                Ready::Command(script)
            }
            Some(ReadyEntry::File(path)) => {
                self.path("ready.file", &path, at.get("file"));
                Ready::File(path)
            }
            Some(ReadyEntry::Line(text)) => {
                // An empty text is in every line, of which there need not be any.
                self.not_blank("ready.line", &text, at.get("line"));
                Ready::Line(text)
            }
            Some(ReadyEntry::Port(0)) => {
                let (key, expected) =
                    ("ready.port".to_owned(), "a number from 1 to 65535".to_owned());
                self.report(at.get("port"), Mistake::WrongType { key, expected, found: None });
                return None;
            }
            Some(ReadyEntry::Port(number)) => Ready::Port(Some(number)),
            Some(ReadyEntry::Started) => Ready::Started,
        })
    }

    /// The references of a companion: in its command, and in the one that checks whether it is
    /// ready.
    pub(super) fn companion_references<'a>(
        &mut self,
        table: &'a CompanionTable,
        names: &'a [&'a str],
        spot: Spot<'a>,
    ) -> Vec<(bool, Vec<&'a str>)> {
        let mut checked = match &table.command {
            Some(command) => self.words_references(command, names, spot.get("command")),
            None => Vec::new(),
        };
        if let Some(ReadyEntry::Command(text)) = &table.ready {
            let spot = spot.get("ready").get("command");
            checked.push(self.shell(Template { key: "ready.command", names, spot, text }));
        }
        checked
    }

    /// The references in the words of a command, each by [`Check::template`].
    pub(super) fn words_references<'a>(
        &mut self,
        command: &'a Words,
        names: &'a [&'a str],
        spot: Spot<'a>,
    ) -> Vec<(bool, Vec<&'a str>)> {
        let template = |text, spot| Template { key: "command", names, spot, text };
        match command {
            Words::Line(text) => vec![self.template(template(text, spot))],
            Words::Split(words) => (words.iter().enumerate())
                .map(|(index, text)| self.template(template(text, spot.item(index))))
                .collect(),
        }
    }
}

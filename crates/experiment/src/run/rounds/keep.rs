//! Keeps an execution, and informs the observer.

use tacho_measure::MissingMetric;
use tacho_record::{Counter, Purpose};

use super::{Rounds, absence};
use crate::run::budget::wall;
use crate::run::schedule::ScheduledTrial;
use crate::run::session::SessionCell;
use crate::trial::execute::SampleWithOutput;
use crate::{Event, ExperimentError};

impl Rounds<'_, '_> {
    /// Keeps a sample, and what it was to print.
    pub(super) fn keep(
        &mut self,
        trial: ScheduledTrial,
        sampled: &SampleWithOutput,
    ) -> Result<(), ExperimentError> {
        self.keep_answer(trial, sampled)?;
        // A sample that may be marked as disturbed after its round is kept by itself.
        if self.context.store.outlives_us() || self.quiet.is_wanted() {
            self.context.store.put_sample(self.session.cells[trial.cell].id, &sampled.sample)?;
        } else {
            self.unwritten[trial.cell].push(sampled.sample.clone());
        }
        self.report(trial, sampled)
    }

    /// Writes what was not worth it between two executions.
    pub(super) fn write(&mut self) -> Result<(), ExperimentError> {
        for (cell, samples) in self.session.cells.iter().zip(&mut self.unwritten) {
            if !samples.is_empty() {
                self.context.store.import(cell.id, &std::mem::take(samples))?;
            }
        }
        Ok(())
    }

    /// Keeps both or neither: half a pair is useless.
    pub(super) fn keep_pair(
        &mut self,
        pair: &[(ScheduledTrial, Box<SampleWithOutput>)],
    ) -> Result<(), ExperimentError> {
        for (trial, sampled) in pair {
            self.keep_answer(*trial, sampled)?;
        }
        let samples: Vec<_> = pair
            .iter()
            .map(|(trial, it)| (self.session.cells[trial.cell].id, &it.sample))
            .collect();
        self.context.store.put_together(&samples)?;
        pair.iter().try_for_each(|(trial, sampled)| self.report(*trial, sampled))
    }

    /// Keeps what a sample was to print.
    fn keep_answer(
        &mut self,
        trial: ScheduledTrial,
        sampled: &SampleWithOutput,
    ) -> Result<(), ExperimentError> {
        let SessionCell { id, cell, .. } = &self.session.cells[trial.cell];
        if let (Some(answer), None) = (&sampled.answer, self.references.of(&cell.benchmark)) {
            if self.session.run.purpose == Purpose::Compare {
                // Either side may be the wrong one: it is the reference of this session alone.
                self.references.take(cell, answer);
            } else {
                // Before the sample: a kill between the two must not let a later answer become the
                // reference.
                self.references.keep(self.context.store, &cell.benchmark, answer)?;
            }
        }
        if let Some(output) = &sampled.kept {
            self.context.store.put_output(*id, sampled.sample.place, output)?;
        }
        Ok(())
    }

    /// Takes note of a sample that is kept.
    fn report(
        &mut self,
        trial: ScheduledTrial,
        sampled: &SampleWithOutput,
    ) -> Result<(), ExperimentError> {
        let SessionCell { cell, .. } = &self.session.cells[trial.cell];
        let SampleWithOutput { sample, absent, .. } = sampled;
        for absent @ MissingMetric { metric, why } in absent {
            if self.absent.insert((trial.cell, metric.to_string())) {
                if Counter::named(metric).is_some() {
                    let benchmark = &cell.benchmark.name;
                    self.context.observer.note(&Event::Absent { benchmark, metric, why });
                }
                self.context.store.put_absence(
                    self.session.run.number,
                    &cell.benchmark,
                    &absence(absent),
                )?;
            }
        }
        self.measured.samples += 1;
        self.subject += wall(sample);
        self.context.observer.note(&Event::Sampled { cell, sample });
        self.until.record(trial.cell, sample);
        if let Some(saved) = self.progress.record(trial.cell, sample) {
            self.context.observer.note(&Event::GivenUp { cell, saved });
        }
        Ok(())
    }
}

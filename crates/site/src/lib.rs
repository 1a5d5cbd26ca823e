//! Pages made from what was measured.
//!
//! [`write()`] turns a [`Lab`] (all that is in memory) and a [`LabSource`] (samples and logs, read
//! when they are needed) into a folder of static pages that work from disk, without a server,
//! without the network and without script; script only adds the charts. The same folder holds the
//! raw data as JSON and CSV.
//!
//! Elsewhere are the store of the results, statistics (`tacho-stats`), and the front end itself,
//! which is written in `web/` and embedded by `assets`.

mod assets;
mod data;
mod error;
mod lab;
mod ledger;
mod output;
mod page;
mod schedule;
mod slug;
mod svg;
mod sweep_page;
mod text;
mod view;
mod write;

pub use data::FORMAT_VERSION;
pub use error::SiteError;
pub use lab::{
    BisectionRecord, ChangeRecord, ComparisonRecord, EventRecord, HistoryRecord, HostBuild,
    HostMeasurement, HostReference, Lab, LabSource, LayoutRecord, LayoutSeries, LayoutsRecord,
    OutlierNote, ProbeRecord, RowExecutions, RunBenchmark, RunExecution, RunExecutions, RunProgram,
    RunRecord, SourceError,
};
pub use output::WrittenSite;
pub use sweep_page::{
    SweepPage, SweepPageStage, SweepPageTrial, SweepPageValue, SweepPageVariant, VariantPlace,
};
pub use write::{PageProgress, write};

//! A sweep on a page of its own: one file, which needs nothing beside it.
//!
//! A sweep has no plan and leaves nothing in a store, so its page does not belong to a
//! [`crate::Lab`].

mod axis;
mod curve;
mod data;
mod front;
mod render;
mod stages;
mod trials;

pub use data::{
    SweepPage, SweepPageStage, SweepPageTrial, SweepPageValue, SweepPageVariant, VariantPlace,
};

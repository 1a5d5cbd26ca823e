//! Whatever is put comes back, from SQLite and, through the very same functions, from PostgreSQL.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may fail")]

mod cases;
mod common;

use common::server::Server;
use common::{Ground, begin, cell, sample};
use tacho_store::{Location, Store};

/// A test of each function on SQLite, and the list of all for PostgreSQL.
macro_rules! on_both {
    ($($module:ident: $($case:ident)*;)*) => {
        const CASES: &[(&str, fn(&Ground))] = &[$($((stringify!($case), cases::$module::$case)),*),*];
        $($(
            #[test]
            fn $case() {
                cases::$module::$case(&Ground::sqlite());
            }
        )*)*
    };
}

on_both! {
    bisections:
        bisections_come_back_with_their_steps
        cells_are_added_to_a_run_that_goes_on;
    changes:
        changes_come_back_with_all_that_happened
        no_analysis_touches_the_users_word
        of_two_analyses_at_once_one_is_kept
        a_name_is_never_given_to_a_change_of_another_series;
    names:
        a_host_is_kept_once_and_without_what_changes
        revisions_come_in_order_of_history_and_are_renewed
        commits_between_two_revisions_come_newest_first
        builds_are_renewed_and_come_as_they_were_begun
        benchmarks_belong_to_hosts
        a_parameter_that_is_no_number_is_refused
        metrics_are_known_by_name
        the_first_answer_stays
        logs_are_kept_by_their_content;
    runs:
        a_run_keeps_its_rule_and_its_sessions
        runs_are_numbered_and_resumed_by_their_question
        an_abandoned_run_is_not_continued
        cells_keep_their_order_and_their_measurement
        what_belongs_to_no_run_is_refused;
    samples:
        samples_are_the_same_before_and_after_sealing
        a_failed_sample_keeps_its_last_words
        valid_samples_of_a_disturbed_round_are_kept_and_count_no_more
        the_same_sample_is_never_stored_twice
        a_sealed_measurement_can_grow
        imports_may_come_in_any_order_and_overlap
        an_import_is_kept_whole_or_not_at_all
        a_large_measurement_is_split_and_comes_back
        any_samples_come_back
        replicates_come_back_in_their_order
        places_are_what_is_executed
        outputs_are_kept_once_and_found_by_their_samples;
    series:
        measurements_come_in_order_of_history_then_by_run
        values_are_one_metric_of_the_measurements
        what_was_measured_again_is_no_part_of_a_series
        what_reached_a_limit_counts_and_stands_apart
        what_follows_is_read_as_if_it_had_been_kept
        counts_leave_the_warm_up_out
        what_was_found_to_be_warm_up_is_kept_and_left_out
        a_tampered_chunk_is_called_damaged
        a_missing_failure_is_called_damaged;
    stores:
        a_newer_schema_is_refused_in_words
        a_store_that_is_not_there_is_not_made_by_reading
        all_is_there_when_opened_again
        two_stores_see_each_other
        many_stores_write_at_once
        a_store_belongs_to_one_subject
        the_first_of_many_subjects_has_the_store;
}

#[test]
fn what_is_kept_in_memory_is_there_while_it_is_open() {
    let mut store = Store::open(&Location::Memory).unwrap();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let kept = sample(1, 0);
    store.put_sample(measurements[0], &kept).unwrap();
    store.end_round(run.number, 1).unwrap();
    store.seal(run.number).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), [kept]);
    assert!(store.put_log(b"x").is_err(), "a log has no place in it");
    assert_eq!(Store::open(&Location::Memory).unwrap().runs().unwrap(), []);
}

#[test]
fn the_same_on_postgres() {
    let Some(server) = Server::start() else { return };
    for (name, case) in CASES {
        println!("{name}");
        case(&server.ground());
    }
}

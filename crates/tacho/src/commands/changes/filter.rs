//! The filter of changes from the options.

use tacho_experiment::changes::{ChangeFilter, WantedKind, WantedLife};
use tacho_record::{ChangeKind, ChangeState};

use crate::cli::{KindName, ListChangesArgs, StateFilter};
use crate::counters::usual_name;

/// As it was typed; `orders` is what the range means.
pub fn of(list: &ListChangesArgs, orders: (u64, u64)) -> ChangeFilter {
    ChangeFilter {
        benchmarks: list.benchmark.clone(),
        metrics: list.metric.iter().map(|name| usual_name(name)).collect(),
        min_effect: list.min_effect / 100.0,
        kinds: list.kind.iter().flat_map(|kind| kinds(*kind)).copied().collect(),
        states: list.state.iter().filter_map(|typed| state(*typed)).collect(),
        lives: list.state.iter().filter_map(|typed| life(*typed)).collect(),
        orders,
        all: list.all,
    }
}

/// The meaning of a kind.
fn kinds(typed: KindName) -> &'static [WantedKind] {
    match typed {
        KindName::Build => &[WantedKind::Kind(ChangeKind::Build)],
        KindName::Step => &[WantedKind::Kind(ChangeKind::Step)],
        KindName::Temporary => {
            &[WantedKind::Kind(ChangeKind::DipStart), WantedKind::Kind(ChangeKind::DipEnd)]
        }
        KindName::ModeShare => &[WantedKind::Kind(ChangeKind::ModeShare)],
        KindName::Spread => &[WantedKind::Kind(ChangeKind::Spread)],
        KindName::Environment => &[WantedKind::Kind(ChangeKind::Environment)],
        KindName::Machine => &[WantedKind::Machine],
        KindName::BusyHost => &[WantedKind::OtherWork],
        KindName::Drift => &[WantedKind::Drift],
    }
}

/// The state that a word means, if it is not a life.
fn state(typed: StateFilter) -> Option<ChangeState> {
    match typed {
        StateFilter::New => Some(ChangeState::New),
        StateFilter::Acknowledged => Some(ChangeState::Acknowledged),
        StateFilter::Expected => Some(ChangeState::Expected),
        StateFilter::Fixed => Some(ChangeState::Fixed),
        StateFilter::FalseAlarm => Some(ChangeState::FalseAlarm),
        StateFilter::Provisional | StateFilter::Confirmed | StateFilter::Withdrawn => None,
    }
}

/// The life that a word means, if it is not a state.
fn life(typed: StateFilter) -> Option<WantedLife> {
    match typed {
        StateFilter::Provisional => Some(WantedLife::Provisional),
        StateFilter::Confirmed => Some(WantedLife::Confirmed),
        StateFilter::Withdrawn => Some(WantedLife::Withdrawn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn the_help_of_a_kind_has_the_words_of_its_rows() {
        for kind in [
            ChangeKind::Build,
            ChangeKind::DipEnd,
            ChangeKind::DipStart,
            ChangeKind::Environment,
            ChangeKind::ModeShare,
            ChangeKind::Spread,
            ChangeKind::Step,
        ] {
            let is_it = |typed: &&KindName| kinds(**typed).contains(&WantedKind::Kind(kind));
            let typed = KindName::value_variants().iter().find(is_it).unwrap();
            let option = typed.to_possible_value().unwrap();
            let help = option.get_help().unwrap().to_string();
            for words in [true, false].map(|rises| kind.words(rises)) {
                let is_there = option.get_name() == words || help.contains(&format!("`{words}`"));
                assert!(is_there, "{words}: {help}");
            }
        }
    }

    #[test]
    fn states_and_lives_are_typed_in_one_list() {
        let of = |typed: &[StateFilter]| {
            let list = ListChangesArgs { state: typed.to_vec(), ..ListChangesArgs::default() };
            let filter = super::of(&list, (0, 9));
            (filter.states, filter.lives)
        };
        let typed = [StateFilter::New, StateFilter::Confirmed, StateFilter::Expected];
        let states = vec![ChangeState::New, ChangeState::Expected];
        assert_eq!(of(&typed), (states, vec![WantedLife::Confirmed]));
        let of_each: usize = StateFilter::value_variants()
            .iter()
            .map(|typed| of(&[*typed]))
            .map(|(states, lives)| states.len() + lives.len())
            .sum();
        assert_eq!(of_each, StateFilter::value_variants().len());
    }
}

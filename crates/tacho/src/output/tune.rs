//! The words of `tacho tune`.

use tacho_machine::tune::{
    ListedSetting, Notice, OverriddenSetting, Restoration, TuneChange, TunePlan,
};

use super::{COLUMNS, terminal_width, text};

/// All settings as they are now.
pub fn settings(all: &[ListedSetting]) -> String {
    let columns = Some(terminal_width().unwrap_or(COLUMNS));
    let line = |setting: &ListedSetting| {
        let name = format!("{}={}", setting.name, setting.values);
        let now = match &setting.now {
            None => String::new(),
            Some(Ok(now)) => format!(" (now {now})"),
            Some(Err(why)) => format!(" ({why})"),
        };
        text::wrap(&format!("{name:<26}{}{now}\n", setting.what), columns)
    };
    all.iter().map(line).collect()
}

/// The intended changes.
pub fn plan(plan: &TunePlan) -> String {
    let changes = plan.changes.iter().map(|change| change_line(change) + "\n");
    let nice = plan.nice.map(|nice| format!("execute the command with niceness {nice}\n"));
    let group = plan.group.as_ref().map(|group| format!("execute the command in {group}\n"));
    let all: String = changes.chain(nice).chain(group).collect();
    if all.is_empty() {
        "nothing would be changed: everything is set already\n".to_owned()
    } else {
        all
    }
}

fn change_line(change: &TuneChange) -> String {
    match change {
        TuneChange::Controller { path, name } => format!("add {name} to {path}"),
        TuneChange::Group { path, files } => {
            let files: Vec<String> =
                files.iter().map(|(name, value)| format!("{name} {value}")).collect();
            format!("make the control group {path}: {}", files.join(", "))
        }
        TuneChange::Service { name } => format!("stop the service {name}"),
        TuneChange::Tasks { from, to } => format!("move all processes of {from} to {to}"),
        TuneChange::Write { path, before, value, .. } => {
            format!("write {value} to {path} (now {before})")
        }
    }
}

/// A notice in words.
pub fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Earlier(it) => {
            format!("a killed `tacho tune` had left changes behind; {}", restoration(it))
        }
        Notice::Set(0) => "everything is set already".to_owned(),
        Notice::Set(changes) => format!("set: {}", text::count(*changes, "change")),
        Notice::PutBack(it) => restoration(it),
    }
}

/// There is nothing to put back.
pub fn nothing() -> String {
    "nothing to put back\n".to_owned()
}

/// The restored values, those left alone, and the failures.
pub fn restoration(it: &Restoration) -> String {
    if it.restarted {
        return "the machine was started again since: the kernel has forgotten all changes\n"
            .to_owned();
    }
    let left = it.left_alone.iter().map(left_alone);
    let failed = it.failed.iter().map(|(what, why)| format!("cannot put back {what}: {why}\n"));
    let done = format!("put back: {}\n", text::count(it.put_back, "change"));
    std::iter::once(done).chain(left).chain(failed).collect()
}

fn left_alone(
    OverriddenSetting { what, values: [before, ours, now] }: &OverriddenSetting,
) -> String {
    format!(
        "left alone: {what} is {now}, changed by something else (it was {before}, tacho wrote \
         {ours})\n"
    )
}

# What all studies share. Sourced by `run.sh`, with `study` set to the folder of the study.
#
# Sets `name`, `tree` and `results`. TACHO and the name of a subject in capitals (TARCHECK …) name
# other programs. FIRST begins the measured commands of a study's sweeps: FIRST='chrt -f 20' on a
# host that is never quiet.
name=$(basename "$study")
tree=$(cd "$study/../.." && pwd)
results=$study/results
mkdir -p "$results"
# Builds of revisions take what is compiled already from here.
export STUDY_TARGET="$tree/target"

# programs NAME...: the release builds of these packages, each in a variable of its name.
programs() {
  missing=
  for program in "$@"; do
    variable=$(echo "$program" | tr a-z A-Z)
    eval "path=\${$variable:-}"
    if [ -z "$path" ]; then
      missing="$missing --package $program"
      path=$tree/target/release/$program
    fi
    eval "$program=\$path"
  done
  # shellcheck disable=SC2086 # words
  [ -z "$missing" ] || (cd "$tree" && cargo build --release --quiet $missing)
}

# host FACT...: the date and the facts of this host, printed and kept. Each FACT is a line of its
# own.
host() {
  {
    date -u '+%Y-%m-%d %H:%M UTC'
    uname -srm
    sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c | sed 's/^ *\([0-9]*\) /\1 × /'
    awk '/^MemTotal:/ { printf "%.1f GiB of memory\n", $2 / 1048576 }' /proc/meminfo
    [ -z "${FIRST:-}" ] || echo "commands of sweeps begin with: $FIRST"
    echo "load before: $(cut -d' ' -f1-3 /proc/loadavg)"
    for fact in "$@"; do echo "$fact"; done
  } | tee "$results/host.txt"
  : > "$results/parts"
  study_began=$(date +%s)
}

# part TITLE NAME COMMAND...: a part of the study. What the command prints goes to results/NAME.md
# and to the terminal. Its exit status has to be 0, or one of those in the variable `statuses`.
part() {
  title=$1
  file=$2
  shift 2
  printf '\n## %s\n\n' "$title"
  status=0
  "$@" > "$results/$file.md" 2> "$results/$file.log" || status=$?
  cat "$results/$file.md"
  case " ${statuses:-0} " in
  *" $status "*) ;;
  *)
    cat "$results/$file.log" >&2
    echo "error: $name, part \`$file\`: exit status $status" >&2
    exit 2
    ;;
  esac
  printf '%s\t%s\n' "$file" "$title" >> "$results/parts"
}

# skip TITLE WHY: a part that this machine cannot have.
skip() {
  printf '\n## %s\n\nnot here: %s\n' "$1" "$2"
  printf 'not here: %s\t%s\n' "$2" "$1" >> "$results/parts"
}

# verbatim COMMAND...: its output as it is, in Markdown.
verbatim() {
  echo '```text'
  "$@"
  status=$?
  echo '```'
  return $status
}

# finish: all numbers of the run in one file. With KEEP=1 it becomes the one that the book shows.
finish() {
  echo "$(($(date +%s) - study_began))" > "$results/took"
  numbers | wrapped | sed -e 's/[ \t]*$//' -e "s|$tree|.|g" | cat -s > "$results/numbers.md"
  echo
  echo "numbers: $results/numbers.md"
  for page in "$results"/*.html "$results"/*/index.html; do [ ! -e "$page" ] || echo "page: $page"; done
  if [ -n "${KEEP:-}" ]; then
    kept=$tree/docs/src/studies/numbers-$name.md
    cp "$results/numbers.md" "$kept"
    echo "kept: $kept"
  fi
}

# numbers: all parts of the last run.
numbers() {
  echo "# Numbers of study $name"
  echo
  echo "Printed by \`make study NAME=$name\` in $(cat "$results/took") s, on:"
  echo
  echo '```text'
  cat "$results/host.txt"
  echo '```'
  while IFS="$(printf '\t')" read -r file title; do
    printf '\n## %s\n\n' "$title"
    if [ -e "$results/$file.md" ]; then cat "$results/$file.md"; else echo "$file"; fi
  done < "$results/parts"
}

# Lines of at most 100 columns; rows of tables stay. A paragraph with a longer line is filled
# again, with the hanging indent of its list item. What is verbatim is broken with an indent.
wrapped() {
  perl -CSD -ne '
    sub fill {
      my ($text, $first, $next) = @_;
      my ($line, @lines) = ($first);
      for my $word (split " ", $text) {
        if ($line =~ /\S$/ || $line =~ /\S \z/) {
          my $gap = $line =~ / \z/ ? "" : " ";
          if (length("$line$gap$word") > 100) {
            push @lines, $line;
            $line = $next . $word;
            next;
          }
          $line .= $gap . $word;
        } else { $line .= $word; }
      }
      print map { "$_\n" } @lines, $line;
    }
    sub flush {
      return unless @paragraph;
      if (grep { length > 100 } @paragraph) {
        my ($indent, $mark) = $paragraph[0] =~ /^( *)((?:- )?)/;
        my $text = join " ", @paragraph;
        $text =~ s/^ *(?:- )?//;
        fill($text, "$indent$mark", $indent . " " x length $mark);
      } else { print map { "$_\n" } @paragraph; }
      @paragraph = ();
    }
    chomp;
    if (/^```/) { flush(); $verbatim = !$verbatim; print "$_\n"; }
    elsif ($verbatim) {
      my ($indent) = /^( *)/;
      length > 100 ? fill($_, $indent, "$indent    ") : print "$_\n";
    }
    elsif (/^(\||#|\s*$)/) { flush(); print "$_\n"; }
    else { flush() if /^\s*(- |\s)/; push @paragraph, $_; }
    END { flush(); }
  '
}

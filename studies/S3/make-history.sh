#!/bin/sh
# Makes a git repository whose commits tell a part of story S3: one raises a level of compression
# from 6 to 9. Usage: make-history.sh DIR     (DIR must not exist). Commits, dates and hashes are
# the same each time.
set -eu

[ $# -eq 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
if [ -e "$1" ]; then
  echo "error: \`$1\` exists already" >&2
  exit 2
fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Study GIT_AUTHOR_EMAIL=study@example.org
export GIT_COMMITTER_NAME=Study GIT_COMMITTER_EMAIL=study@example.org
umask 022
git init --quiet --initial-branch=main "$1"
cd "$1"

# commit NUMBER LEVEL MESSAGE
commit() {
  printf '#!/bin/sh\n# pack FILE: compresses it. Version 1.1.%d\nexec xz --threads=1 -%d --stdout "$1"\n' "$1" "$2" > pack
  chmod 755 pack
  git add --all
  date="2016-01-$(printf %02d "$1") 12:00:00 +0000"
  GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date git commit --quiet --message "$3"
}

for number in 1 2 3 4 5 6 7 8 9 10 11 12; do commit $number 6 "Version 1.1.$number"; done
commit 13 9 'Compress with level 9 by default'
for number in 14 15 16 17 18 19 20 21 22 23 24; do commit $number 9 "Version 1.1.$number"; done
echo "$(git rev-list --count HEAD) commits in $1: $(git rev-parse --short=12 HEAD)"

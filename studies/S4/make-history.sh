#!/bin/sh
# Makes a git repository whose commits tell story S4: among harmless changes, one that only stops a
# busy wait. Usage: make-history.sh DIR     (DIR must not exist)
# The commits, their dates and their hashes are the same each time.
set -eu

if [ $# -ne 1 ]; then
  echo 'usage: make-history.sh DIR' >&2
  exit 2
fi
if [ -e "$1" ]; then
  echo "error: \`$1\` exists already" >&2
  exit 2
fi

# No configuration of this machine decides about the hashes.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Study GIT_AUTHOR_EMAIL=study@example.org
export GIT_COMMITTER_NAME=Study GIT_COMMITTER_EMAIL=study@example.org
umask 022

git init --quiet --initial-branch=main "$1"
cd "$1"

# commit DATE MESSAGE: what is in the folder. To change nothing is a mistake of this script.
commit() {
  git add --all
  if git diff --cached --quiet; then
    echo "error: nothing changed for \`$2\`" >&2
    exit 1
  fi
  GIT_AUTHOR_DATE="$1 +0000" GIT_COMMITTER_DATE="$1 +0000" git commit --quiet --message "$2"
}

# edit FILE EXPRESSION: by sed.
edit() {
  sed -e "$2" "$1" > .edited
  cat .edited > "$1"
  rm .edited
}

cat > .gitignore <<'END'
/product
/server
END

cat > Makefile <<'END'
CFLAGS = -O2 -Wall

all: product server

clean:
	rm -f product server

.PHONY: all clean
END

cat > server.c <<'END'
/* Reads commands from a named pipe and counts them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long steps;

static void obey(const char *line)
{
    if (strcmp(line, "step") == 0)
        steps++;
    else if (strcmp(line, "quit") == 0) {
        printf("%ld\n", steps);
        exit(0);
    }
}

static ssize_t next_input(int pipe, char *buffer, size_t size)
{
    for (;;) {
        ssize_t length = read(pipe, buffer, size);
        if (length > 0)
            return length;
        if (length < 0 && errno != EAGAIN && errno != EINTR) {
            perror("read");
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    char buffer[4096], line[64];
    size_t length = 0;
    int pipe;

    if (argc != 2) {
        fprintf(stderr, "usage: server PIPE\n");
        return 2;
    }
    pipe = open(argv[1], O_RDWR | O_NONBLOCK);
    if (pipe < 0) {
        perror(argv[1]);
        return 1;
    }
    for (;;) {
        ssize_t got = next_input(pipe, buffer, sizeof buffer);
        for (ssize_t i = 0; i < got; i++) {
            if (buffer[i] == '\n') {
                line[length] = '\0';
                obey(line);
                length = 0;
            } else if (length + 1 < sizeof line)
                line[length++] = buffer[i];
        }
    }
}
END

cat > product.c <<'END'
/* Works in many short processes, each of which reports to the server. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 150
#define WORK 1000000

static uint64_t work(uint64_t sum)
{
    for (uint32_t round = 0; round < WORK; round++)
        sum = (sum ^ round) * 0x2545f4914f6cdd1dull;
    return sum;
}

static void step(int server, uint64_t number)
{
    volatile uint64_t sum = work(number);
    (void)sum;
    if (write(server, "step\n", 5) != 5)
        _exit(1);
    _exit(0);
}

int main(int argc, char **argv)
{
    int server, status;

    if (argc != 2) {
        fprintf(stderr, "usage: product PIPE\n");
        return 2;
    }
    server = open(argv[1], O_WRONLY);
    if (server < 0) {
        perror(argv[1]);
        return 1;
    }
    for (int number = 0; number < STEPS; number++) {
        pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 1;
        }
        if (child == 0)
            step(server, number);
        if (waitpid(child, &status, 0) < 0 || status != 0)
            return 1;
    }
    return write(server, "quit\n", 5) != 5;
}
END

cat > testcase <<'END'
#!/bin/sh
# The test case: the product beside its server, which must have counted each step.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/pipe"
./server "$folder/pipe" > "$folder/counted" &
server=$!
if ! ./product "$folder/pipe"; then
  kill "$server"
  exit 1
fi
wait "$server"
test "$(cat "$folder/counted")" -eq 150
END
chmod 755 testcase
commit '2014-12-15 10:00:00' 'Add the product, its server and a test case'

cat > README <<'END'
product works; server counts its steps. They talk through a named pipe.
END
commit '2014-12-17 09:30:00' 'Say what this is'

edit product.c 's/usage: product PIPE/usage: product PIPE, which a server reads/'
commit '2014-12-22 16:10:00' 'product: say in the usage who reads the pipe'

edit server.c 's|^static long steps;|/* Steps that the product has reported. */\nstatic long steps;|'
commit '2015-01-07 11:45:00' 'server: say what is counted'

edit server.c 's|^    else if (strcmp(line, "quit") == 0) {|    else if (strcmp(line, "reset") == 0)\n        steps = 0;\n&|'
commit '2015-01-13 15:20:00' 'server: count from 0 again on request'

# The innocent one.
edit server.c 's|^        ssize_t length = read(pipe, buffer, size);|        struct pollfd input = { pipe, POLLIN, 0 };\n        ssize_t length;\n\n        poll(\&input, 1, -1);\n        length = read(pipe, buffer, size);|'
commit '2015-01-16 14:02:00' "Don't busy-wait in the server

It used a whole processor to wait for the product. Now it sleeps until
there is something to read."
innocent=$(git rev-parse HEAD)

edit server.c 's|^        exit(0);|        fflush(stdout);\n        exit(0);|'
commit '2015-01-23 10:15:00' 'server: write the total before the end'

edit Makefile 's/^CFLAGS = -O2 -Wall/CFLAGS = -O2 -Wall -Wextra/'
commit '2015-02-04 13:40:00' 'Ask the compiler for more warnings'

edit product.c 's|^            return 1;$|            return EXIT_FAILURE;|'
commit '2015-02-19 17:05:00' 'product: name the status of a failure'

cat >> README <<'END'
`make && ./testcase` builds and tests both.
END
commit '2015-03-10 09:00:00' 'Say how to test'

echo "$(git rev-list --count HEAD) commits in $1, on branch main: $(git rev-parse --short=12 HEAD)"
echo "first: $(git rev-list --max-parents=0 --abbrev-commit --abbrev=12 HEAD)"
echo "the commit that stopped the busy wait: $(git rev-parse --short=12 "$innocent")"

/* A simulated host whose clock is high only while one of its processors never rests.
 *
 * Usage: boost COMMAND [ARGUMENT...]
 *
 * Executes the command and watches the processes of the simulated host meanwhile: those below
 * the parent of `tacho-launcher` (all that tacho started), or below boost's own parent. Then it
 * waits until the time is over that the work takes on the simulated host: 0.5 s at 2801 MHz if
 * one of the processes was running all the time, else longer, as at 1200 MHz. The clock of the
 * real host is neither seen nor set. Where that is permitted, other programs of the real host do
 * not hold the command up.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HIGH_MHZ 2801.0
#define LOW_MHZ 1200.0
#define SECONDS_AT_HIGH 0.5
/* A process never rests that was running in this share of the looks, since it was first seen. */
#define BUSY 0.8
/* Of all looks it was there in at least this share. */
#define THERE 0.6
#define LOOK_EVERY 0.005
#define MOST 4096

struct process {
    int pid, parent, looks, running;
    char state, name[32];
};

static struct process now[MOST], seen[MOST];
static int number, known;

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void rest(double time)
{
    struct timespec left = { (time_t)time, (long)((time - (time_t)time) * 1e9) };

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* The process of a folder of /proc; 0 if it has ended. */
static int read_process(const char *pid, struct process *process)
{
    char path[300], line[512], *end;
    FILE *file;
    size_t length;

    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    end = strrchr(line, ')');
    if (end == NULL || sscanf(end + 1, " %c %d", &process->state, &process->parent) != 2)
        return 0;
    *end = '\0';
    process->pid = atoi(pid);
    snprintf(process->name, sizeof process->name, "%s", strchr(line, '(') + 1);
    process->looks = process->running = 0;
    return 1;
}

static void look_around(void)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;

    number = 0;
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL && number < MOST)
        if (isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, &now[number]))
            number++;
    closedir(folder);
}

static const struct process *with_pid(int pid)
{
    for (int i = 0; i < number; i++)
        if (now[i].pid == pid)
            return &now[i];
    return NULL;
}

/* The process below which all processes of the simulated host are. */
static int top(void)
{
    const struct process *process = with_pid(getpid());

    while (process != NULL && strcmp(process->name, "tacho-launcher") != 0)
        process = with_pid(process->parent);
    return process != NULL ? process->parent : getppid();
}

static int is_below(const struct process *process, int top)
{
    for (int depth = 0; process != NULL && depth < 64; depth++) {
        if (process->parent == top)
            return 1;
        process = with_pid(process->parent);
    }
    return 0;
}

/* Takes note of who is running. */
static void look(int top)
{
    look_around();
    for (int i = 0; i < number; i++) {
        int at;

        if (now[i].pid == getpid() || !is_below(&now[i], top))
            continue;
        for (at = 0; at < known && seen[at].pid != now[i].pid; at++)
            ;
        if (at == known) {
            if (known == MOST)
                continue;
            seen[known++] = now[i];
        }
        seen[at].looks++;
        seen[at].running += now[i].state == 'R';
    }
}

static int is_high(int looks)
{
    for (int i = 0; i < known; i++)
        if (seen[i].looks >= THERE * looks && seen[i].running >= BUSY * seen[i].looks)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    struct sched_param watcher = { .sched_priority = 21 }, watched = { .sched_priority = 20 };
    double began, left;
    int looks = 0, status, of;
    pid_t child;

    if (argc < 2) {
        fprintf(stderr, "usage: boost COMMAND [ARGUMENT...]\n");
        return 2;
    }
    look_around();
    of = top();
    sched_setscheduler(0, SCHED_RR, &watcher);
    began = seconds();
    child = fork();
    if (child == 0) {
        if (sched_getscheduler(0) == SCHED_RR)
            sched_setparam(0, &watched);
        execvp(argv[1], argv + 1);
        fprintf(stderr, "error: cannot execute `%s`: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        perror("error: fork");
        return 2;
    }
    while (waitpid(child, &status, WNOHANG) == 0) {
        rest(LOOK_EVERY);
        look(of);
        looks++;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    left = began + SECONDS_AT_HIGH * (is_high(looks) ? 1 : HIGH_MHZ / LOW_MHZ) - seconds();
    if (left > 0)
        rest(left);
    if (getenv("BOOST_SAYS") != NULL)
        fprintf(stderr, "the clock was %s\n", is_high(looks) ? "high" : "low");
    return 0;
}

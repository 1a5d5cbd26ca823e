/*
 * The launcher: a process with next to no memory of its own and no open files, which starts the
 * subject for `tacho`, waits for its end, and ends all that it leaves behind.
 *
 * A program inherits the peak of memory of the process that it was made from, through fork and
 * exec. That of this one is a few pages, so a subject shows its own. It needs no C library:
 * `build.rs` compiles it into a static program of some KiB, which `src/process/launcher.rs` carries
 * and starts from memory; nothing is installed.
 *
 * Standard input is a socket. Each order that comes is executed and answered; `struct order` and
 * `struct answer` are read and written by `src/process/order.rs` and `answer.rs`. When the other
 * side is shut for writing, the subject is asked to end; when it is gone, however it ended, the
 * subject is killed at once, with all below it. An order may be sent ahead, while the one before it
 * is executed: it follows that at once, if that ended well, and what came of it is told while the
 * next one is executed. What an order means, and what it prints, is not known here.
 *
 * Its parts: `order.h`, what it is told and answers; `system.h`, what it has instead of a C
 * library.
 */
#include "system.h"
#include "order.h"

/* As the kernel has them, in headers that are not everywhere. */
#define CPU_TIME 0
#define ADDRESS_SPACE 9
#define NO_RANDOM_ADDRESSES 0x0040000UL
#define NO_LIMIT (~0ULL)

#define SOCKET 0
/* How long the killed may take to be gone; those that do not are stuck in the kernel. */
#define PATIENCE (5 * SECOND)
/* How often orphans that ended are taken out of the process table while it is executed, and whether it is stopped is seen. */
#define SWEEP SECOND
/* Of a shorter one it is not asked whether it ignored the ends of its children: it cannot have lost much. */
#define WORTH_ASKING (10 * MILLISECOND)
/* A subject that is stopped for so long goes on only if somebody has it go on, and there is nobody. */
#define STOPPED_FOR (10 * SECOND)

enum { STANDARD = 3, MOST_GROUPS = 3, MOST_FILES = STANDARD + MOST_GROUPS + 2 };
/* An order, what came with it, and what comes of it. */
struct job {
	struct order order;
	int files[MOST_FILES];
	int files_count, usage_file, kill_file;
	/* The subject as a file, and its /proc/PID/schedstat; -1 if there is none. */
	int pidfd, account;
	char *strings;
	size_t strings_size;
	/* The pointers into `strings`: two more than the arguments, for a script without `#!`, come before them. */
	char **words, **variables;
	struct answer answer;
};
/* The one that is executed, and the one before or after it. */
static struct job jobs[2];
static struct job *job = jobs;
/* How many processors we may use. */
static int processors;
static int own_pid;
/* What the child tells us, in memory that both have, whatever else they share. */
struct child {
	int failure; /* why it did not become the program */
	int step; /* what it was doing then */
	int64_t preparing; /* nanoseconds that its conditions took */
	int64_t running, waiting; /* of these, on a processor, and waiting for one */
};
static volatile struct child *child;
/* What orphans used that ended before the subject did. */
static struct kernel_usage swept;
static _Alignas(16) char child_stack[16 * 1024];

/* ---- what is to be executed ---- */

/* Fills that memory from the socket; whether the other side was there to the end. */
static int receive(char *memory, size_t size)
{
	while (size > 0) {
		long length = CALL(SYS_read, SOCKET, memory, size, 0);
		if (length <= 0)
			return 0;
		memory += length;
		size -= length;
	}
	return 1;
}

static void close_files(const struct job *job)
{
	for (int i = 0; i < job->files_count; i++)
		CALL(SYS_close, job->files[i], 0, 0, 0);
}

static void close_one(int *file)
{
	if (*file >= 0)
		CALL(SYS_close, *file, 0, 0, 0);
	*file = -1;
}

/* Receives the fixed part of an order and its files, with these flags of recvmsg. */
static int receive_head(struct job *job, int flags)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof job->files)];
	struct iovec memory = { &job->order, sizeof job->order };
	struct msghdr message;
	message.msg_name = NULL;
	message.msg_namelen = 0;
	message.msg_iov = &memory;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof control;
	message.msg_flags = 0;
	long length = CALL(SYS_recvmsg, SOCKET, &message, MSG_CMSG_CLOEXEC | flags, 0);
	struct cmsghdr *first = CMSG_FIRSTHDR(&message);
	const struct order *order = &job->order;
	if (length != sizeof *order || !first || order->groups > MOST_GROUPS)
		return 0;
	job->files_count = (first->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (int i = 0; i < job->files_count; i++)
		job->files[i] = ((int *)CMSG_DATA(first))[i];
	int next = STANDARD + order->groups;
	job->usage_file = order->flags & USAGE_COMES ? job->files[next++] : -1;
	job->kill_file = order->flags & KILL_COMES ? job->files[next++] : -1;
	return job->files_count == next;
}

/* Makes room for the strings and the pointers to them. What was made is kept: nearly all orders are alike. */
static int make_room(struct job *job)
{
	size_t pointers = job->order.arguments + job->order.variables + 4;
	size_t bytes = (job->order.bytes + 15) / 16 * 16;
	size_t size = bytes + pointers * sizeof(char *);
	if (size > job->strings_size) {
		if (job->strings)
			CALL(SYS_munmap, job->strings, job->strings_size, 0, 0);
		job->strings = allocate(size, MAP_PRIVATE);
		if (!job->strings)
			return 0;
		job->strings_size = size;
	}
	job->words = (char **)(job->strings + bytes) + 1;
	job->variables = job->words + job->order.arguments + 1;
	return 1;
}

/* Eight letters at a time: an environment is long, and read between two executions. Behind the strings is room for as many more. */
static char *after(char *string)
{
	const uint64_t ones = 0x0101010101010101ULL;
	for (;; string += 8) {
		uint64_t letters;
		__builtin_memcpy(&letters, string, sizeof letters);
		/* The lowest bit that is left is in the first letter that is zero. */
		uint64_t zeroes = (letters - ones) & ~letters & ones << 7;
		if (zeroes)
			return string + __builtin_ctzll(zeroes) / 8 + 1;
	}
}

/* Has the pointers point at the strings, which are there. */
static void point(struct job *job)
{
	const struct order *order = &job->order;
	char *string = after(job->strings);
	for (uint64_t i = 0; i < order->candidates; i++)
		string = after(string);
	for (uint64_t i = 0; i < order->arguments; i++, string = after(string))
		job->words[i] = string;
	job->words[order->arguments] = NULL;
	for (uint64_t i = 0; i < order->variables; i++, string = after(string))
		job->variables[i] = string;
	job->variables[order->variables] = NULL;
}

/* Receives an order and all that belongs to it; whether there was one, or one is there now if it is not to be waited for. */
static int receive_order(struct job *job, int flags)
{
	if (!receive_head(job, flags))
		return 0;
	if (!make_room(job) || !receive(job->strings, job->order.bytes))
		leave();
	point(job);
	return 1;
}

/* ---- the child ---- */

static __attribute__((noreturn)) void fail(long error)
{
	child->failure = -error;
	for (;;)
		CALL(SYS_exit_group, 127, 0, 0, 0);
}

static void check(long result)
{
	if (result < 0)
		fail(result);
}

/* The same for one of its conditions. */
static void must(int step, long result)
{
	child->step = step;
	check(result);
	child->step = STARTING;
}

/* At the first of the two it is told, at the second it is killed. */
static void limit_itself(int resource, uint64_t soft, uint64_t hard)
{
	uint64_t limits[2];
	limits[0] = soft;
	limits[1] = hard;
	if (soft != NO_LIMIT)
		must(LIMITING, CALL(SYS_prlimit64, 0, resource, limits, 0));
}

/* The kernel quietly leaves out those that are not there or not ours to use. */
static void keep_to_processors(void)
{
	uint64_t kept[sizeof job->order.cpus / sizeof job->order.cpus[0]];
	must(PINNING, CALL(SYS_sched_setaffinity, 0, sizeof job->order.cpus, job->order.cpus, 0));
	long size = CALL(SYS_sched_getaffinity, 0, sizeof kept, kept, 0);
	must(PINNING, size);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (job->order.cpus[i] != (i < size / sizeof kept[0] ? kept[i] : 0))
			must(PINNING, -EINVAL);
}

static void take_conditions(void)
{
	int priority = job->order.priority;
	for (uint64_t i = 0; i < job->order.groups; i++)
		must(JOINING, CALL(SYS_write, job->files[STANDARD + i], "0", 1, 0));
	if (job->order.flags & SET_SCHEDULING)
		must(SCHEDULING, CALL(SYS_sched_setscheduler, 0, job->order.policy, &priority, 0));
	if (job->order.flags & SET_NICE)
		must(NICING, CALL(SYS_setpriority, PRIO_PROCESS, 0, job->order.nice, 0));
	if (job->order.flags & SET_CPUS)
		keep_to_processors();
	if (job->order.flags & SET_RANDOM_ADDRESSES) {
		long others = CALL(SYS_personality, 0xffffffffUL, 0, 0, 0) & ~NO_RANDOM_ADDRESSES;
		unsigned long wanted = job->order.random_addresses ? 0 : NO_RANDOM_ADDRESSES;
		must(RANDOMISING, CALL(SYS_personality, others | wanted, 0, 0, 0));
	}
	if (job->order.flags & NO_HUGE_PAGES)
		must(LIMITING, CALL(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0));
	limit_itself(CPU_TIME, job->order.cpu_seconds, job->order.cpu_seconds + 1);
	limit_itself(ADDRESS_SPACE, job->order.address_space, job->order.address_space);
}

/* Adds what the kernel has of this process's scheduling so far, that often. That of the processor comes from its clock:
 * in its schedstat it is as of the last switch. */
static void account_for_preparing(int times)
{
	char text[64];
	struct timespec time;
	const char *at = text;
	CALL(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time, 0, 0);
	child->running += times * (time.tv_sec * SECOND + time.tv_nsec);
	read_of(CALL(SYS_getpid, 0, 0, 0, 0), "schedstat", text, sizeof text);
	number(&at);
	if (*at == ' ') {
		at++;
		child->waiting += times * number(&at);
	}
}

/* Whether the next folder of the search path may hold what this one does not. */
static int may_be_elsewhere(long error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -EACCES || error == -ESTALE
		|| error == -ENODEV || error == -ETIMEDOUT;
}

/* Tries each candidate as execvp does, a script without `#!` by the shell; only returns why there is none. */
static long become_first(void)
{
	char *candidate = after(job->strings);
	long error = -ENOENT, refused = 0;
	for (uint64_t i = 0; i < job->order.candidates; i++, candidate = after(candidate)) {
		error = CALL(SYS_execve, candidate, job->words, job->variables, 0);
		if (error == -ENOEXEC) {
			job->words[-1] = (char *)"/bin/sh";
			job->words[0] = candidate;
			error = CALL(SYS_execve, job->words[-1], job->words - 1, job->variables, 0);
		}
		if (!may_be_elsewhere(error))
			return error;
		refused |= error == -EACCES;
	}
	return refused ? -EACCES : error;
}

/* The child, from its first instruction until it is the program. */
__attribute__((noreturn, used)) void become(void)
{
	uint64_t none = NO_SIGNALS;
	check(CALL(SYS_setpgid, 0, 0, 0, 0));
	check(CALL(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0));
	if (CALL(SYS_getppid, 0, 0, 0, 0) != own_pid)
		fail(-ESRCH);
	for (int i = 0; i < STANDARD; i++)
		check(CALL(SYS_dup3, job->files[i], i, 0, 0));
	int64_t begun = now();
	/* What cannot make it wait is not worth a look. */
	int may_wait = job->order.groups || job->order.flags & (SET_NICE | SET_SCHEDULING | SET_CPUS);
	if (may_wait)
		account_for_preparing(-1);
	take_conditions();
	if (may_wait)
		account_for_preparing(1);
	child->preparing = now() - begun;
	if (!job->order.candidates)
		leave();
	check(CALL(SYS_chdir, job->strings, 0, 0, 0));
	check(CALL(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, SIGNAL_SET));
	fail(become_first());
}

/* ---- its end ---- */

/* The processor time that its group has used so far; less than 0 if there is none that says. */
static int64_t cpu_time_of_group(void)
{
	char text[64];
	/* `usage_usec 1234`, or nanoseconds alone. */
	long length = job->usage_file < 0 ? 0 : CALL(SYS_pread64, job->usage_file, text, sizeof text - 1, 0);
	text[length > 0 ? length : 0] = 0;
	const char *micro = after_text(text, "usage_usec "), *nano = text;
	return micro ? number(&micro) * 1000 : number(&nano);
}

/* The processor time that it has used so far: its group, else it alone. */
static int64_t cpu_time_of(long pid)
{
	struct timespec time;
	if (job->usage_file >= 0)
		return cpu_time_of_group();
	/* As clock_getcpuclockid has it. */
	CALL(SYS_clock_gettime, (int)(~(unsigned)pid << 3 | 2), &time, 0, 0);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* When its processor time is to be looked at again, 0 if it has used it all. Before that time it cannot have, so
 * that there are few looks; at last they are a millisecond apart. */
static int64_t next_look(long pid, int64_t time)
{
	int64_t left = job->order.cpu_limit - cpu_time_of(pid);
	int64_t wait = left / (int64_t)job->order.cpus_usable;
	return left <= 0 ? 0 : time + (wait > MILLISECOND ? wait : MILLISECOND);
}

/* So much later than then. */
static int64_t later(int64_t then, int64_t by)
{
	return by > NEVER - then ? NEVER : then + by;
}

static void kill_group(long pid)
{
	end(-pid, SIGKILL);
	if (job->kill_file >= 0)
		CALL(SYS_write, job->kill_file, "1", 1, 0);
}

/* Before it is reaped: its number is nobody else's then. It need not be in its group any more. */
static void kill_all(long pid)
{
	kill_group(pid);
	end(pid, SIGKILL);
}

/* Asks it and its group to end, each once. */
static void ask(long pid)
{
	end(-pid, SIGTERM);
	if (CALL(SYS_getpgid, pid, 0, 0, 0) != pid)
		end(pid, SIGTERM);
}

static void add_time(struct timeval *sum, const struct timeval *more)
{
	sum->tv_sec += more->tv_sec;
	sum->tv_usec += more->tv_usec;
	if (sum->tv_usec >= 1000000) {
		sum->tv_usec -= 1000000;
		sum->tv_sec++;
	}
}

/* Adds what an orphan used to what the subject did. */
static void add_usage(struct kernel_usage *sum, const struct kernel_usage *more)
{
	add_time(&sum->ru_utime, &more->ru_utime);
	add_time(&sum->ru_stime, &more->ru_stime);
	if (more->ru_maxrss > sum->ru_maxrss)
		sum->ru_maxrss = more->ru_maxrss;
	sum->ru_minflt += more->ru_minflt;
	sum->ru_majflt += more->ru_majflt;
	sum->ru_inblock += more->ru_inblock;
	sum->ru_oublock += more->ru_oublock;
	sum->ru_nvcsw += more->ru_nvcsw;
	sum->ru_nivcsw += more->ru_nivcsw;
}

/* Takes orphans out of the process table that have ended: there is room for so many in it. Not the subject. */
static void sweep(long subject)
{
	for (;;) {
		siginfo_t found;
		struct kernel_usage usage;
		int status;
		found.si_pid = 0;
		long flags = WEXITED | WNOHANG | WNOWAIT | __WALL;
		if (call(SYS_waitid, P_ALL, 0, (long)&found, flags, 0, 0) || !found.si_pid || found.si_pid == subject)
			return;
		if (reap(found.si_pid, &status, WNOHANG, &usage) > 0)
			add_usage(&swept, &usage);
	}
}

/* The signal that has stopped it, 0 if it goes on. */
static int64_t stopped_by(long pid)
{
	siginfo_t found;
	found.si_pid = 0;
	long result = call(SYS_waitid, P_PID, pid, (long)&found, WSTOPPED | WNOHANG | WNOWAIT | __WALL, 0, 0);
	return result == 0 && found.si_pid == pid ? found.si_status : 0;
}

/* Waits until it has ended and ends it when it must: at its limits, when told to, when nobody is there any more. One that
 * cannot even be killed (it waits for a device, or became another user) is left alone after a
 * while. */
static void watch(int pid, int pidfd, int64_t started)
{
	enum { WATCHING, ASKED, KILLED } stage = WATCHING;
	int64_t limit = later(started, job->order.limit);
	int64_t look = job->order.cpu_limit == NEVER ? NEVER : started;
	int64_t next_sweep = started + SWEEP, stopped_since = 0;
	for (;;) {
		if (stage == WATCHING && look != NEVER && !(look = next_look(pid, now()))) {
			job->answer.cut = CUT_BY_CPU_TIME;
			kill_all(pid);
			stage = KILLED;
			limit = later(now(), job->order.patience);
		}
		struct pollfd fds[2];
		struct timespec left;
		fds[0].fd = pidfd;
		fds[0].events = POLLIN;
		fds[1].fd = stage == KILLED ? -1 : SOCKET;
		fds[1].events = stage == WATCHING ? POLLRDHUP : 0;
		fds[0].revents = fds[1].revents = 0;
		int64_t wake = stage == WATCHING && look < limit ? look : limit;
		wake = next_sweep < wake ? next_sweep : wake;
		call(SYS_ppoll, (long)fds, 2, (long)until(wake, &left), 0, SIGNAL_SET, 0);
		int64_t time = now();
		if (fds[0].revents || (stage == KILLED && time >= limit)) {
			job->answer.wall = time - started;
			job->answer.stuck = !fds[0].revents;
			return;
		}
		if (time >= next_sweep) {
			sweep(pid);
			next_sweep = time + SWEEP;
			if (!stopped_by(pid))
				stopped_since = 0;
			else if (!stopped_since)
				stopped_since = time;
			else if (stage == WATCHING && time - stopped_since >= STOPPED_FOR)
				limit = time;
		}
		if (stage != KILLED && (fds[1].revents & POLLHUP || (stage == ASKED && time >= limit))) {
			kill_all(pid);
			stage = KILLED;
			limit = later(time, job->order.patience);
		} else if (stage == WATCHING && (fds[1].revents || time >= limit)) {
			job->answer.cut = fds[1].revents ? CUT_BY_ORDER : CUT_BY_LIMIT;
			job->answer.stopped = stopped_by(pid);
			ask(pid);
			stage = ASKED;
			limit = later(time, job->order.grace);
		}
	}
}

/* Fields of /proc/PID/stat, as proc(5) numbers them. */
enum { PARENT = 4, GROUP = 5, IGNORED = 33, PROCESSOR = 39 };

/* If that process is a child of ours, kills it, and its group if that is the subject's: a group is only named
 * while one of ours, not reaped yet, is in it, else the number may be another's. */
static void kill_child(long pid, long subject)
{
	char stat[512];
	read_of(pid, "stat", stat, sizeof stat);
	if (field(stat, PARENT) != own_pid)
		return;
	if (field(stat, GROUP) == subject)
		kill_group(subject);
	end(pid, SIGKILL);
}

struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

/* Kills all our children. */
static void kill_children(long subject)
{
	_Alignas(8) char entries[1024];
	long length, table = CALL(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (table < 0)
		return;
	while ((length = CALL(SYS_getdents64, table, entries, sizeof entries, 0)) > 0)
		for (char *at = entries; at < entries + length; at += ((struct entry *)at)->size) {
			const char *name = ((struct entry *)at)->name;
			long pid = number(&name);
			if (pid > 0)
				kill_child(pid, subject);
		}
	CALL(SYS_close, table, 0, 0, 0);
}

/* Ends all that is left of the subject, which is reaped. We are the parent of all orphans below us, whatever group
 * or session they moved to; each round kills all that stand at the top, and so brings up their
 * children. */
static void end_orphans(long subject)
{
	int64_t deadline = 0;
	uint64_t child_ended = 1ULL << (SIGCHLD - 1);
	for (;;) {
		struct timespec left;
		struct kernel_usage usage;
		long reaped;
		int status;
		while ((reaped = reap(-1, &status, WNOHANG, &usage)) > 0) {
			add_usage(&job->answer.usage, &usage);
			/* One that we did not kill had ended of its own. */
			job->answer.left += deadline && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		}
		/* Nearly always there are none; to see that costs one system call. */
		if (reaped == -ECHILD)
			return;
		if (!deadline)
			deadline = now() + PATIENCE;
		if (now() >= deadline) {
			job->answer.stuck = 1;
			return;
		}
		kill_children(subject);
		/* It is blocked, so one that comes before we wait is still there. */
		CALL(SYS_rt_sigtimedwait, &child_ended, 0, until(deadline, &left), SIGNAL_SET);
	}
}

/* ---- one after the other ---- */

/* How often the kernel moved it to another processor, -1 if it does not say. */
static long migrations_of(long pid)
{
	char text[2048];
	read_of(pid, "sched", text, sizeof text);
	const char *at = after_text(text, "se.nr_migrations");
	while (at && (*at == ' ' || *at == ':'))
		at++;
	return at ? number(&at) : -1;
}

/* What can be read of it from its end until it is reaped. */
static void read_ended(long pid)
{
	struct answer *answer = &job->answer;
	char text[512];
	if (job->account < 0)
		job->account = open_of(pid, "schedstat");
	read_from(job->account, answer->schedstat, sizeof answer->schedstat);
	answer->last_cpu = answer->migrations = -1;
	if (!answer->due && answer->wall < WORTH_ASKING)
		return;
	read_of(pid, "stat", text, sizeof text);
	/* Signals as bits, counted from 1. */
	answer->ignores = field(text, IGNORED) >> (SIGCHLD - 1) & 1;
	if (!answer->due)
		return;
	answer->last_cpu = field(text, PROCESSOR);
	answer->migrations = migrations_of(pid);
}

/* Whether there is somebody who hears it. */
static int tell(const struct answer *answer)
{
	const char *memory = (const char *)answer;
	size_t size = sizeof *answer;
	while (size > 0) {
		long length = CALL(SYS_write, SOCKET, memory, size, 0);
		if (length <= 0)
			return 0;
		memory += length;
		size -= length;
	}
	return 1;
}

/* Tells what came of it, and does what nobody waits for; whether there is somebody who hears it. The subject's outputs are closed here
 * and not before: their end would wake the other side while the subject ends, on what may be the
 * same processor and is in its time. */
static int finish(struct job *job)
{
	int heard = tell(&job->answer);
	close_files(job);
	close_one(&job->account);
	close_one(&job->pidfd);
	return heard;
}

static int has_ended(int pidfd)
{
	struct pollfd file = { pidfd, POLLIN, 0 };
	struct timespec none = { 0, 0 };
	return call(SYS_ppoll, (long)&file, 1, (long)&none, 0, SIGNAL_SET, 0) > 0;
}

/* Executes the order; while it is under way, finishes the one before it, if that was followed at once. */
static void execute(struct job *before)
{
	long flags = CLONE_VFORK | CLONE_PIDFD | SIGCHLD | (job->order.flags & OWN_MEMORY ? 0 : CLONE_VM);
	struct answer *answer = &job->answer;
	child->failure = child->step = STARTING;
	child->preparing = child->running = child->waiting = 0;
	clear(answer, sizeof *answer);
	clear(&swept, sizeof swept);
	job->pidfd = job->account = -1;
	answer->began = time_of(CLOCK_REALTIME);
	int64_t started = now();
	long pid = start_on(child_stack + sizeof child_stack, flags, &job->pidfd);
	answer->error = pid < 0 ? -pid : child->failure;
	answer->step = child->step;
	/* Where no processor was free for us meanwhile, its end must not wait for that. If nobody hears it, it is seen below. */
	if (before && !has_ended(job->pidfd)) {
		finish(before);
		before = NULL;
	}
	if (!answer->error) {
		/* The kernel makes much of a process's first file: better while it is executed, if that is elsewhere. */
		if (processors > 1)
			job->account = open_of(pid, "schedstat");
		watch(pid, job->pidfd, started);
		answer->due = started + answer->wall >= job->order.due;
		answer->wall -= child->preparing;
		answer->prepared_running = child->running;
		answer->prepared_waiting = child->waiting;
	}
	if (before)
		finish(before);
	if (answer->stuck) {
		kill_children(pid);
	} else if (pid >= 0) {
		read_ended(pid);
		reap(pid, &answer->status, 0, &answer->usage);
		add_usage(&answer->usage, &swept);
		end_orphans(pid);
	}
	answer->group_cpu = cpu_time_of_group();
}

/* Whether the order that was sent ahead is executed at once, before what came of this one is told. It must be here, and this one
 * must have ended well, and before others are to look at the host: else it is for the other side to
 * say what comes next. */
static int goes_on(struct job *next)
{
	const struct answer *answer = &job->answer;
	int ended_well = !answer->error && !answer->status && !answer->cut && !answer->stuck && !answer->left;
	return ended_well && !answer->due && processors > 1 && receive_order(next, MSG_DONTWAIT);
}

/* Executes an order, and those that were sent ahead as long as one follows the other. */
static void execute_all(void)
{
	execute(NULL);
	for (;;) {
		struct job *before = job, *next = job == jobs ? jobs + 1 : jobs;
		if (!goes_on(next))
			break;
		before->answer.followed = 1;
		job = next;
		execute(before);
	}
	if (!finish(job) || job->answer.stuck)
		leave();
}

/* How many processors we may use; 1 if there are so many that nobody can say. */
static int count_processors(void)
{
	uint64_t usable[sizeof job->order.cpus / sizeof job->order.cpus[0]];
	long size = CALL(SYS_sched_getaffinity, 0, sizeof usable, usable, 0);
	int count = 0;
	for (long i = 0; i < size / (long)sizeof usable[0]; i++)
		for (uint64_t bits = usable[i]; bits; bits &= bits - 1)
			count++;
	return count ? count : 1;
}

static void set_up(void)
{
	/* What the kernel's interface takes: the default, no flags, no mask. */
	uint64_t action[4];
	uint64_t all = ALL_SIGNALS;
	for (int i = 0; i < 4; i++)
		((volatile uint64_t *)action)[i] = 0;
	own_pid = CALL(SYS_getpid, 0, 0, 0, 0);
	/* Whoever wants the execution to end tells the other side. */
	CALL(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, SIGNAL_SET);
	/* While it is ignored, the kernel forgets what ended children used. */
	CALL(SYS_rt_sigaction, SIGCHLD, action, 0, SIGNAL_SET);
	CALL(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
	CALL(SYS_prctl, PR_SET_NAME, "tacho-launcher", 0, 0);
	/* Before Linux 5.9 it is not there; then only what we inherited by others' neglect stays open. */
	CALL(SYS_close_range, 3, ~0U, 0, 0);
	processors = count_processors();
	child = allocate(sizeof *child, MAP_SHARED);
	if (!child)
		leave();
}

__attribute__((noreturn, used)) void launcher(void)
{
	set_up();
	while (receive_order(job, MSG_WAITALL)) {
		/* One that was sent ahead and comes here was not followed: it is sent again if it is still wanted. */
		if (job->order.flags & AHEAD)
			close_files(job);
		else
			execute_all();
	}
	leave();
}

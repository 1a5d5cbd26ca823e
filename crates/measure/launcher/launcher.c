/*
 * The launcher: a process with next to no memory of its own and no open files, which starts the subject for
 * `tacho`, waits for its end, and ends all that it leaves behind.
 *
 * A program inherits the peak of memory of the process that it was made from, through fork and exec. That of this
 * one is a few pages, so a subject shows its own. It needs no C library: `build.rs` compiles it into a static
 * program of some KiB, which `src/process/launcher.rs` carries and starts from memory; nothing is installed.
 *
 * Standard input is a socket. Each order that comes is executed and answered; `struct order` and `struct answer`
 * are read and written by `src/process/order.rs` and `answer.rs`. When the other side is shut for writing, the
 * subject is asked to end; when it is gone, however it ended, the subject is killed at once, with all below it.
 * What an order means, and what it prints, is not known here.
 *
 * To port it to another processor, write `call`, `start_on` and `_start` for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* As the kernel has them, in headers that are not everywhere. */
#define CPU_TIME 0
#define ADDRESS_SPACE 9
#define NO_RANDOM_ADDRESSES 0x0040000UL
#define NO_LIMIT (~0ULL)

#define SOCKET 0
#define SECOND 1000000000LL
#define MILLISECOND 1000000LL
#define NEVER INT64_MAX
/* How long the killed may take to be gone; those that do not are stuck in the kernel. */
#define PATIENCE (5 * SECOND)
#define NO_SIGNALS 0ULL
#define ALL_SIGNALS (~0ULL)
#define SIGNAL_SET sizeof(uint64_t)

/* Which conditions are set, which files come, and how the child is made. */
enum {
	SET_NICE = 1 << 0,
	SET_SCHEDULING = 1 << 1,
	SET_CPUS = 1 << 2,
	SET_RANDOM_ADDRESSES = 1 << 3,
	OWN_MEMORY = 1 << 4, /* it shares no memory with us: the kernel may kill it for want of some */
	USAGE_COMES = 1 << 5, /* a file with the processor time that its control group has used */
	KILL_COMES = 1 << 6, /* a file that kills its control group */
};

/* What to execute. With it come the three files that become the standard ones, `groups` files that make who writes
 * 0 to them a member of a control group, and those that the flags name. Then these strings, each ended by a zero:
 * the folder, `candidates` paths to try in turn, `arguments` words and `variables` NAME=VALUE. Without a candidate
 * the child takes its conditions upon itself and ends. */
struct order {
	int64_t limit; /* nanoseconds that it may take */
	int64_t grace; /* nanoseconds between asking it to end and killing it */
	int64_t cpu_limit; /* nanoseconds of processor time that it may use */
	uint64_t cpu_seconds, address_space; /* what each of its processes may have, or no limit */
	uint64_t flags;
	int64_t nice, policy, priority, random_addresses;
	uint64_t cpus[16]; /* a bit each */
	uint64_t cpus_usable; /* how many it can use at once */
	uint64_t groups;
	uint64_t bytes; /* of all strings */
	uint64_t candidates, arguments, variables;
};

enum { NOT_CUT, CUT_BY_LIMIT, CUT_BY_ORDER, CUT_BY_CPU_TIME };

/* What a child was doing when it could not go on. */
enum { STARTING, JOINING, SCHEDULING, NICING, PINNING, RANDOMISING, LIMITING };

/* What came of it. All but the last are numbers of 64 bits, which is what `struct rusage` consists of. */
struct answer {
	int64_t error; /* why it could not be started, or 0 */
	int64_t step; /* what it was doing then */
	int64_t status; /* as wait4 has it */
	int64_t cut; /* why we ended it */
	int64_t left; /* how many processes of it were alive after it had ended */
	int64_t stuck; /* whether something of it is alive still: this launcher ends */
	int64_t wall; /* nanoseconds from before it was made until it had ended, without those for its conditions */
	int64_t migrations; /* how often it was moved to another processor, or -1 */
	int64_t last_cpu; /* the processor that it used last, or -1 */
	struct rusage usage; /* its own, that of its descendants that were waited for, and of all orphans */
	char schedstat[64]; /* its /proc/PID/schedstat after it had ended, zeroes behind */
};
_Static_assert(sizeof(struct answer) == (9 + 18) * 8 + 64, "numbers of 64 bits");

static struct order order;
static struct answer answer;
enum { STANDARD = 3, MOST_GROUPS = 3, MOST_FILES = STANDARD + MOST_GROUPS + 2 };
static int files[MOST_FILES];
static int files_count, usage_file, kill_file;
static char *strings;
static size_t strings_size;
/* The pointers into `strings`: two more than the arguments, for a script without `#!`, come before them. */
static char **words, **variables;
static int own_pid;
/* What the child tells us, in memory that both have, whatever else they share. */
struct child {
	int failure; /* why it did not become the program */
	int step; /* what it was doing then */
	int64_t preparing; /* nanoseconds that its conditions took */
};
static volatile struct child *child;
static _Alignas(16) char child_stack[16 * 1024];

/* ---- the processor ---- */

void launcher(void);
void become(void);

#if defined(__x86_64__) && defined(__LP64__)

__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	and $-16, %rsp\n"
	"	call launcher\n");

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
		: "=a"(result)
		: "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

/* Makes a child that calls `become` on that stack; its number, or minus why not. */
static long start_on(char *stack, long flags, int *pidfd)
{
	long result;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	__asm__ volatile("syscall\n"
		"	test %%rax, %%rax\n"
		"	jnz 1f\n"
		"	xor %%ebp, %%ebp\n"
		"	call become\n"
		"1:"
		: "=a"(result)
		: "a"(SYS_clone), "D"(flags), "S"(stack), "d"(pidfd), "r"(r10), "r"(r8)
		: "rcx", "r11", "memory");
	return result;
}

#elif defined(__aarch64__) && defined(__LP64__)

__asm__(".globl _start\n"
	"_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	bl launcher\n");

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc #0"
		: "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		: "memory");
	return x0;
}

/* Makes a child that calls `become` on that stack; its number, or minus why not. */
static long start_on(char *stack, long flags, int *pidfd)
{
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = flags;
	register long x1 __asm__("x1") = (long)stack;
	register long x2 __asm__("x2") = (long)pidfd;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;
	__asm__ volatile("svc #0\n"
		"	cbnz x0, 1f\n"
		"	mov x29, #0\n"
		"	bl become\n"
		"1:"
		: "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
		: "x30", "memory");
	return x0;
}

#else
#error "the launcher knows x86-64 and AArch64 only; see the end of its first comment"
#endif

/* ---- system calls, each of which returns minus its error ---- */

#define CALL(number, a, b, c, d) call(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static __attribute__((noreturn)) void leave(void)
{
	for (;;)
		CALL(SYS_exit_group, 0, 0, 0, 0);
}

/* Memory of that size, or NULL. */
static void *allocate(size_t size, int flags)
{
	long memory = call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

static int64_t now(void)
{
	struct timespec time;
	CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &time, 0, 0);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* The time until then; no pointer for no end. */
static struct timespec *until(int64_t then, struct timespec *left)
{
	if (then == NEVER)
		return NULL;
	int64_t nanoseconds = then - now();
	if (nanoseconds < 0)
		nanoseconds = 0;
	left->tv_sec = nanoseconds / SECOND;
	left->tv_nsec = nanoseconds % SECOND;
	return left;
}

static long end(long pid, int signal)
{
	return CALL(SYS_kill, pid, signal, 0, 0);
}

/* Waits for that child, or any if -1, and takes it out of the process table. */
static long reap(long pid, void *status, int flags, struct rusage *usage)
{
	return CALL(SYS_wait4, pid, status, flags | __WALL, usage);
}

/* ---- text ---- */

static char *append(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	*end = 0;
	return end;
}

static char *append_number(char *end, unsigned long number)
{
	char digits[24], *first = digits + sizeof digits;
	*--first = 0;
	do
		*--first = '0' + number % 10;
	while (number /= 10);
	return append(end, first);
}

/* The number that the text starts with, -1 if with none; the text after it. */
static long number(const char **text)
{
	long value = -1;
	for (; **text >= '0' && **text <= '9'; ++*text)
		value = (value < 0 ? 0 : value) * 10 + (**text - '0');
	return value;
}

/* What comes after that text, NULL if it does not occur. */
static const char *after_text(const char *text, const char *wanted)
{
	for (; *text; text++) {
		const char *at = text, *rest = wanted;
		while (*rest && *at == *rest)
			at++, rest++;
		if (!*rest)
			return at;
	}
	return NULL;
}

/* The field of that number, from 3 on, of a /proc/PID/stat; -1 if it has none. The name of the program, in
 * parentheses, may hold anything, parentheses included. */
static long field(const char *stat, int wanted)
{
	const char *rest = NULL;
	for (; *stat; stat++)
		if (*stat == ')')
			rest = stat + 1;
	for (int at = 2; rest && *rest; )
		if (*rest++ == ' ' && ++at == wanted)
			return number(&rest);
	return -1;
}

/* Reads /proc/PID/NAME as far as it fits; its length. Its end is a zero. */
static size_t read_of(long pid, const char *name, char *buffer, size_t size)
{
	char path[64];
	append(append(append_number(append(path, "/proc/"), pid), "/"), name);
	long file = CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long length = file < 0 ? file : CALL(SYS_read, file, buffer, size - 1, 0);
	if (file >= 0)
		CALL(SYS_close, file, 0, 0, 0);
	if (length < 0)
		length = 0;
	buffer[length] = 0;
	return length;
}

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

/* Closes our files from that one on, the standard ones being the first. */
static void close_files(int first, int end)
{
	for (int i = first; i < end; i++)
		CALL(SYS_close, files[i], 0, 0, 0);
}

/* Receives the fixed part of an order and its files. */
static int receive_order(void)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof files)];
	struct iovec memory = { &order, sizeof order };
	struct msghdr message;
	message.msg_name = NULL;
	message.msg_namelen = 0;
	message.msg_iov = &memory;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof control;
	message.msg_flags = 0;
	long length = CALL(SYS_recvmsg, SOCKET, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL, 0);
	struct cmsghdr *first = CMSG_FIRSTHDR(&message);
	if (length != sizeof order || !first || order.groups > MOST_GROUPS)
		return 0;
	files_count = (first->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (int i = 0; i < files_count; i++)
		files[i] = ((int *)CMSG_DATA(first))[i];
	int next = STANDARD + order.groups;
	usage_file = order.flags & USAGE_COMES ? files[next++] : -1;
	kill_file = order.flags & KILL_COMES ? files[next++] : -1;
	return files_count == next;
}

/* Makes room for the strings and the pointers to them. What was made is kept: nearly all orders are alike. */
static int make_room(void)
{
	size_t pointers = order.arguments + order.variables + 4;
	size_t size = (order.bytes + 15) / 16 * 16 + pointers * sizeof(char *);
	if (size > strings_size) {
		if (strings)
			CALL(SYS_munmap, strings, strings_size, 0, 0);
		strings = allocate(size, MAP_PRIVATE);
		if (!strings)
			return 0;
		strings_size = size;
	}
	words = (char **)(strings + (order.bytes + 15) / 16 * 16) + 1;
	variables = words + order.arguments + 1;
	return 1;
}

static char *after(char *string)
{
	while (*string++)
		;
	return string;
}

/* Has the pointers point at the strings, which are there. */
static void point(void)
{
	char *string = after(strings);
	for (uint64_t i = 0; i < order.candidates; i++)
		string = after(string);
	for (uint64_t i = 0; i < order.arguments; i++, string = after(string))
		words[i] = string;
	words[order.arguments] = NULL;
	for (uint64_t i = 0; i < order.variables; i++, string = after(string))
		variables[i] = string;
	variables[order.variables] = NULL;
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
	uint64_t kept[sizeof order.cpus / sizeof order.cpus[0]];
	must(PINNING, CALL(SYS_sched_setaffinity, 0, sizeof order.cpus, order.cpus, 0));
	long size = CALL(SYS_sched_getaffinity, 0, sizeof kept, kept, 0);
	must(PINNING, size);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (order.cpus[i] != (i < size / sizeof kept[0] ? kept[i] : 0))
			must(PINNING, -EINVAL);
}

static void take_conditions(void)
{
	int priority = order.priority;
	for (uint64_t i = 0; i < order.groups; i++)
		must(JOINING, CALL(SYS_write, files[STANDARD + i], "0", 1, 0));
	if (order.flags & SET_SCHEDULING)
		must(SCHEDULING, CALL(SYS_sched_setscheduler, 0, order.policy, &priority, 0));
	if (order.flags & SET_NICE)
		must(NICING, CALL(SYS_setpriority, PRIO_PROCESS, 0, order.nice, 0));
	if (order.flags & SET_CPUS)
		keep_to_processors();
	if (order.flags & SET_RANDOM_ADDRESSES) {
		long others = CALL(SYS_personality, 0xffffffffUL, 0, 0, 0) & ~NO_RANDOM_ADDRESSES;
		unsigned long wanted = order.random_addresses ? 0 : NO_RANDOM_ADDRESSES;
		must(RANDOMISING, CALL(SYS_personality, others | wanted, 0, 0, 0));
	}
	limit_itself(CPU_TIME, order.cpu_seconds, order.cpu_seconds + 1);
	limit_itself(ADDRESS_SPACE, order.address_space, order.address_space);
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
	char *candidate = after(strings);
	long error = -ENOENT, refused = 0;
	for (uint64_t i = 0; i < order.candidates; i++, candidate = after(candidate)) {
		error = CALL(SYS_execve, candidate, words, variables, 0);
		if (error == -ENOEXEC) {
			words[-1] = (char *)"/bin/sh";
			words[0] = candidate;
			error = CALL(SYS_execve, words[-1], words - 1, variables, 0);
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
		check(CALL(SYS_dup3, files[i], i, 0, 0));
	int64_t begun = now();
	take_conditions();
	child->preparing = now() - begun;
	if (!order.candidates)
		leave();
	check(CALL(SYS_chdir, strings, 0, 0, 0));
	check(CALL(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, SIGNAL_SET));
	fail(become_first());
}

/* ---- its end ---- */

/* The processor time that it has used so far: its group, else it alone. */
static int64_t cpu_time_of(long pid)
{
	char text[64];
	struct timespec time;
	if (usage_file >= 0) {
		/* `usage_usec 1234`, or nanoseconds alone. */
		long length = CALL(SYS_pread64, usage_file, text, sizeof text - 1, 0);
		text[length > 0 ? length : 0] = 0;
		const char *micro = after_text(text, "usage_usec "), *nano = text;
		return micro ? number(&micro) * 1000 : number(&nano);
	}
	/* As clock_getcpuclockid has it. */
	CALL(SYS_clock_gettime, (int)(~(unsigned)pid << 3 | 2), &time, 0, 0);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* When its processor time is to be looked at again, 0 if it has used it all. Before that time it cannot have, so
 * that there are few looks; at last they are a millisecond apart. */
static int64_t next_look(long pid, int64_t time)
{
	int64_t left = order.cpu_limit - cpu_time_of(pid);
	int64_t wait = left / (int64_t)order.cpus_usable;
	return left <= 0 ? 0 : time + (wait > MILLISECOND ? wait : MILLISECOND);
}

static void kill_all(long pid)
{
	end(-pid, SIGKILL);
	if (kill_file >= 0)
		CALL(SYS_write, kill_file, "1", 1, 0);
}

/* Waits until it has ended and ends it when it must: at its limits, when told to, when nobody is there any more. */
static void watch(int pid, int pidfd, int64_t started)
{
	enum { WATCHING, ASKED, KILLED } stage = WATCHING;
	int64_t limit = order.limit > NEVER - started ? NEVER : started + order.limit;
	int64_t look = order.cpu_limit == NEVER ? NEVER : started;
	for (;;) {
		if (stage == WATCHING && look != NEVER && !(look = next_look(pid, now()))) {
			answer.cut = CUT_BY_CPU_TIME;
			kill_all(pid);
			stage = KILLED;
			limit = NEVER;
		}
		struct pollfd fds[2];
		struct timespec left;
		fds[0].fd = pidfd;
		fds[0].events = POLLIN;
		fds[1].fd = stage == KILLED ? -1 : SOCKET;
		fds[1].events = stage == WATCHING ? POLLRDHUP : 0;
		fds[0].revents = fds[1].revents = 0;
		int64_t wake = stage == WATCHING && look < limit ? look : limit;
		call(SYS_ppoll, (long)fds, 2, (long)until(wake, &left), 0, SIGNAL_SET, 0);
		int64_t time = now();
		if (fds[0].revents) {
			answer.wall = time - started;
			return;
		}
		if (stage != KILLED && (fds[1].revents & POLLHUP || (stage == ASKED && time >= limit))) {
			kill_all(pid);
			stage = KILLED;
			limit = NEVER;
		} else if (stage == WATCHING && (fds[1].revents || time >= limit)) {
			answer.cut = fds[1].revents ? CUT_BY_ORDER : CUT_BY_LIMIT;
			end(-pid, SIGTERM);
			stage = ASKED;
			limit = time + order.grace;
		}
	}
}

/* Fields of /proc/PID/stat, as proc(5) numbers them. */
enum { PARENT = 4, GROUP = 5, PROCESSOR = 39 };

/* If that process is a child of ours, kills it, and its group if that is the subject's: a group is only named
 * while one of ours, not reaped yet, is in it, else the number may be another's. */
static void kill_child(long pid, long subject)
{
	char stat[512];
	read_of(pid, "stat", stat, sizeof stat);
	if (field(stat, PARENT) != own_pid)
		return;
	if (field(stat, GROUP) == subject)
		kill_all(subject);
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
static void add_usage(struct rusage *sum, const struct rusage *more)
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

/* Ends all that is left of the subject, which is reaped. We are the parent of all orphans below us, whatever group
 * or session they moved to; each round kills all that stand at the top, and so brings up their children. */
static void end_orphans(long subject)
{
	int64_t deadline = 0;
	uint64_t child_ended = 1ULL << (SIGCHLD - 1);
	for (;;) {
		struct timespec left;
		struct rusage usage;
		long reaped;
		int status;
		while ((reaped = reap(-1, &status, WNOHANG, &usage)) > 0) {
			add_usage(&answer.usage, &usage);
			/* One that we did not kill had ended of its own. */
			answer.left += deadline && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		}
		/* Nearly always there are none; to see that costs one system call. */
		if (reaped == -ECHILD)
			return;
		if (!deadline)
			deadline = now() + PATIENCE;
		if (now() >= deadline) {
			answer.stuck = 1;
			return;
		}
		kill_children(subject);
		/* It is blocked, so one that comes before we wait is still there. */
		CALL(SYS_rt_sigtimedwait, &child_ended, 0, until(deadline, &left), SIGNAL_SET);
	}
}

/* ---- one after the other ---- */

/* What can be read of it from its end until it is reaped. */
static void read_ended(long pid)
{
	static char text[2048];
	read_of(pid, "schedstat", answer.schedstat, sizeof answer.schedstat);
	read_of(pid, "stat", text, sizeof text);
	answer.last_cpu = field(text, PROCESSOR);
	read_of(pid, "sched", text, sizeof text);
	const char *at = after_text(text, "nr_migrations");
	while (at && (*at == ' ' || *at == ':'))
		at++;
	answer.migrations = at ? number(&at) : -1;
}

static void execute(void)
{
	int pidfd = -1;
	long flags = CLONE_VFORK | CLONE_PIDFD | SIGCHLD | (order.flags & OWN_MEMORY ? 0 : CLONE_VM);
	child->failure = child->step = STARTING;
	child->preparing = 0;
	for (size_t i = 0; i < sizeof answer; i++)
		((volatile char *)&answer)[i] = 0;
	int64_t started = now();
	long pid = start_on(child_stack + sizeof child_stack, flags, &pidfd);
	close_files(0, STANDARD);
	answer.error = pid < 0 ? -pid : child->failure;
	answer.step = child->step;
	if (!answer.error) {
		watch(pid, pidfd, started);
		answer.wall -= child->preparing;
	}
	if (pid >= 0) {
		CALL(SYS_close, pidfd, 0, 0, 0);
		read_ended(pid);
		reap(pid, &answer.status, 0, &answer.usage);
		end_orphans(pid);
	}
	close_files(STANDARD, files_count);
}

static void tell(void)
{
	const char *memory = (const char *)&answer;
	size_t size = sizeof answer;
	while (size > 0) {
		long length = CALL(SYS_write, SOCKET, memory, size, 0);
		if (length <= 0)
			leave();
		memory += length;
		size -= length;
	}
	if (answer.stuck)
		leave();
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
	child = allocate(sizeof *child, MAP_SHARED);
	if (!child)
		leave();
}

__attribute__((noreturn, used)) void launcher(void)
{
	set_up();
	while (receive_order()) {
		if (!make_room() || !receive(strings, order.bytes))
			leave();
		point();
		execute();
		tell();
	}
	leave();
}

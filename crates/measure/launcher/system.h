/*
 * What the launcher has instead of a C library: the processor, the system calls that it makes, and
 * text.
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

/* `struct rusage` as the kernel writes it: that of some C libraries, such as musl, is longer. */
struct kernel_usage {
	struct timeval ru_utime, ru_stime;
	long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap;
	long ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define SECOND 1000000000LL
#define MILLISECOND 1000000LL
#define NEVER INT64_MAX
#define NO_SIGNALS 0ULL
#define ALL_SIGNALS (~0ULL)
#define SIGNAL_SET sizeof(uint64_t)

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
#error "the launcher knows x86-64 and AArch64 only; see the first comment"
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

static void clear(void *memory, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)memory)[i] = 0;
}

/* In nanoseconds. */
static int64_t time_of(int clock)
{
	struct timespec time;
	CALL(SYS_clock_gettime, clock, &time, 0, 0);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static int64_t now(void)
{
	return time_of(CLOCK_MONOTONIC);
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
static long reap(long pid, void *status, int flags, struct kernel_usage *usage)
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

/* /proc/PID/NAME, or minus why not. */
static long open_of(long pid, const char *name)
{
	char path[64];
	append(append(append_number(append(path, "/proc/"), pid), "/"), name);
	return CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

/* Reads a file, if it is one, as far as it fits; its length. Its end is a zero. */
static size_t read_from(long file, char *buffer, size_t size)
{
	long length = file < 0 ? file : CALL(SYS_read, file, buffer, size - 1, 0);
	if (length < 0)
		length = 0;
	buffer[length] = 0;
	return length;
}

/* Reads /proc/PID/NAME as far as it fits; its length. Its end is a zero. */
static size_t read_of(long pid, const char *name, char *buffer, size_t size)
{
	long file = open_of(pid, name);
	size_t length = read_from(file, buffer, size);
	if (file >= 0)
		CALL(SYS_close, file, 0, 0, 0);
	return length;
}

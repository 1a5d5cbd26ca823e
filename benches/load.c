/* Uses a known amount of something, for measuring instruments against the truth. What it used is printed, in
 * nanoseconds or bytes: all but its own end, which nobody can tell while alive.
 * Usage: load sleep MILLISECONDS
 *        load spin MILLISECONDS [PROCESSES [DEPTH]]   that much CPU in each child, and below it
 *        load touch MEBIBYTES [DEPTH]                 so much memory in a child so many below */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Until this process has used so much, its start included. */
static void spin(long long nanoseconds)
{
	while (now(CLOCK_PROCESS_CPUTIME_ID) < nanoseconds)
		;
}

/* Touches that memory and prints the process' own peak, as the kernel has it right then. */
static void touch(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		exit(1);
	for (size_t at = 0; at < bytes; at += 4096)
		memory[at] = 1;
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof line, status))
		if (strncmp(line, "VmHWM:", 6) == 0)
			printf("%lld\n", atoll(line + 6) * 1024);
}

/* The sum is exact, whatever the split. */
static long long used_by_children(void)
{
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL
		+ (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

/* Does it that many generations below. */
static void below(int depth, int spins, double amount)
{
	if (depth > 0) {
		pid_t child = fork();
		if (child < 0)
			exit(1);
		if (child == 0) {
			below(depth - 1, spins, amount);
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	} else if (spins) {
		spin(amount * 1e6);
	} else {
		touch(amount * 1048576);
	}
}

int main(int count, char **words)
{
	if (count < 3)
		return 2;
	double amount = atof(words[2]);
	if (strcmp(words[1], "sleep") == 0) {
		struct timespec time = { (time_t)(amount / 1000), (long)(amount * 1e6) % 1000000000L };
		long long before = now(CLOCK_MONOTONIC);
		nanosleep(&time, NULL);
		printf("%lld\n", now(CLOCK_MONOTONIC) - before);
	} else if (strcmp(words[1], "touch") == 0) {
		below(count > 3 ? atoi(words[3]) : 0, 0, amount);
	} else if (count > 3) {
		for (int i = 0; i < atoi(words[3]); i++)
			below(count > 4 ? atoi(words[4]) : 1, 1, amount);
	} else {
		spin(amount * 1e6);
	}
	if (strcmp(words[1], "spin") == 0)
		printf("%lld\n", now(CLOCK_PROCESS_CPUTIME_ID) + used_by_children());
	return 0;
}

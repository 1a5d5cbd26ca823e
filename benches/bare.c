/* The least that executing a command can cost: posix_spawn and wait4 in a loop, timed around each.
 * Usage: bare COUNT PROGRAM [ARGUMENT]...; prints one line of nanoseconds an execution. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words)
{
	if (count < 3)
		return 2;
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	int executions = atoi(words[1]);
	long long *took = calloc(executions, sizeof *took);
	for (int i = 0; i < executions; i++) {
		pid_t child;
		int status;
		struct rusage usage;
		long long before = now();
		if (posix_spawnp(&child, words[2], &files, NULL, words + 2, environ) != 0)
			return 1;
		wait4(child, &status, 0, &usage);
		took[i] = now() - before;
	}
	for (int i = 0; i < executions; i++)
		printf("%lld\n", took[i]);
	return 0;
}

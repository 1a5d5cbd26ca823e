/* Writes to standard output, in blocks as large as those of `yes`, for so many milliseconds; says to standard error
 * how many bytes that were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **words)
{
	static char block[16 * 1024];
	double end = now() + (count > 1 ? atoi(words[1]) : 2000) / 1e3;
	unsigned long long bytes = 0;
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = "y\n"[i % 2];
	while (now() < end)
		for (int i = 0; i < 64; i++) {
			ssize_t written = write(STDOUT_FILENO, block, sizeof block);
			if (written < 0)
				return 1;
			bytes += written;
		}
	fprintf(stderr, "%llu\n", bytes);
	return 0;
}

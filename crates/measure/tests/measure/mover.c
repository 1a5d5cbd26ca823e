/* Has itself moved to and fro between two processors, so many times, and waits for a second. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words)
{
	struct timespec second = { 1, 0 };
	for (int move = 0; count > 3 && move < atoi(words[1]); move++) {
		cpu_set_t one;
		CPU_ZERO(&one);
		CPU_SET(atoi(words[2 + move % 2]), &one);
		if (sched_setaffinity(0, sizeof one, &one) != 0)
			return 1;
	}
	return nanosleep(&second, NULL) != 0;
}

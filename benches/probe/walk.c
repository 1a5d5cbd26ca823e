/*
 * Walks a buffer on the stack. With an argument it does the work that many times.
 *
 * Built with -DSENSITIVE it does a third more where its buffer begins in the first eighth of a
 * page, and says so. Where that is, the length of the environment decides, and random addresses. A
 * caricature of what alignment does to real programs, of a known size.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile uint64_t buffer[64];
	uint64_t rounds = 10000000 * (argc > 1 ? strtod(argv[1], NULL) : 1.0);
#ifdef SENSITIVE
	int is_slow = ((uintptr_t)buffer & 0xfff) < 0x200;
	puts(is_slow ? "slow" : "fast");
	rounds += is_slow ? rounds / 3 : 0;
#endif
	for (uint64_t i = 0; i < rounds; i++)
		buffer[i % 64] += i ^ (i << 7);
	return 0;
}

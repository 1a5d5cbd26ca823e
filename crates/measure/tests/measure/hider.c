/* Hides as well as a process can: forks twice, leaves its group and session, ignores all that can be ignored, and goes
 * on for ever at each level. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
	for (int number = 1; number < 65; number++)
		signal(number, SIG_IGN);
	for (int depth = 0; depth < 2; depth++)
		if (fork() == 0)
			setsid();
	for (;;)
		pause();
}

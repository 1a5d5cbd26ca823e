/* Hides as well as a process can: forks twice, leaves its group and session, ignores all that can be ignored, and goes
 * on for ever at each level. Given a file, its first process leaves its group too, for that of a
 * child, and then makes the file. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int main(int count, char **words)
{
	for (int number = 1; number < 65; number++)
		signal(number, SIG_IGN);
	if (count > 1) {
		int child = fork();
		if (child == 0)
			for (;;)
				pause();
		setpgid(child, child);
		if (setpgid(0, child) == 0)
			close(open(words[1], O_CREAT | O_WRONLY, 0600));
	}
	for (int depth = 0; depth < 2; depth++)
		if (fork() == 0)
			setsid();
	for (;;)
		pause();
}

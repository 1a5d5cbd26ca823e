/* Kills its launcher and does not die with it, and has a child that does not either. */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	int launcher = getppid();
	prctl(PR_SET_PDEATHSIG, 0);
	if (fork() == 0)
		setsid();
	else
		kill(launcher, SIGKILL);
	for (;;)
		pause();
}

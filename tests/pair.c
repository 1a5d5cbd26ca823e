/* A server and its client: `pair serve PORT` says when it listens and gives back each byte, `pair ask PORT COUNT` asks
 * so often and says how many answers that were a second. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int serve(int from, const struct sockaddr *address, socklen_t size)
{
	char byte;
	if (bind(from, address, size) < 0 || listen(from, 8) < 0) {
		perror("cannot listen");
		return 1;
	}
	printf("listening\n");
	fflush(stdout);
	for (;;) {
		int client = accept(from, NULL, NULL);
		while (read(client, &byte, 1) == 1)
			if (write(client, &byte, 1) != 1)
				break;
		close(client);
	}
}

static int ask(int server, const struct sockaddr *address, socklen_t size, int count)
{
	struct timespec begin, end;
	char byte = 'x';
	if (connect(server, address, size) < 0) {
		perror("cannot connect");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < count; i++)
		if (write(server, &byte, 1) != 1 || read(server, &byte, 1) != 1)
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("rate: %.0f\n", count / (end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9));
	return 0;
}

int main(int words, char **word)
{
	struct sockaddr_in address;
	int on = 1, own = socket(AF_INET, SOCK_STREAM, 0);
	if (words < 3)
		return 2;
	memset(&address, 0, sizeof address);
	address.sin_family = AF_INET;
	address.sin_port = htons(atoi(word[2]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(own, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (strcmp(word[1], "serve") == 0)
		return serve(own, (struct sockaddr *)&address, sizeof address);
	return ask(own, (struct sockaddr *)&address, sizeof address, words > 3 ? atoi(word[3]) : 1);
}

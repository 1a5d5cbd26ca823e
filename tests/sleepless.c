/* Put before the C library of cvs. Before cvs ends it sleeps into the next second, so that a file
   that a user edits right then has another time. Here nobody edits: instead of sleeping, the clock
   of this process goes forward by as much. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define SECOND 1000000000LL

/* How far the clock has gone forward, in nanoseconds. */
static long long ahead;

int nanosleep(const struct timespec *requested, struct timespec *left) {
  (void)left;
  ahead += requested->tv_sec * SECOND + requested->tv_nsec;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  long long nanoseconds = now->tv_nsec + ahead;
  now->tv_sec += nanoseconds / SECOND;
  now->tv_nsec = nanoseconds % SECOND;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  int failed = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return failed;
}

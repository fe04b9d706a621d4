/* Two symbols that the headers of glibc 2.36 and of libstdc++ 12 use, and glibc 2.28 lacks. They become part of what is
 * linked with the libraries of manylinux.py, and no other library sees them. */
#include <pthread.h>
#include <time.h>

/* Tells std::shared_ptr that there may be threads, as the variable of a later glibc does once a thread has started. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

enum { kNanosecondsPerSecond = 1000000000 };

/* Returns when the system's clock will show the time at which another clock shows `then`. */
static struct timespec OnSystemClock(clockid_t clock, struct timespec const* then) {
  struct timespec now, time;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += then->tv_sec - now.tv_sec;
  time.tv_nsec += then->tv_nsec - now.tv_nsec;
  if (time.tv_nsec < 0) {
    time.tv_sec -= 1;
    time.tv_nsec += kNanosecondsPerSecond;
  } else if (time.tv_nsec >= kNanosecondsPerSecond) {
    time.tv_sec += 1;
    time.tv_nsec -= kNanosecondsPerSecond;
  }
  return time;
}

/* Waits at most until a clock shows `then`. std::condition_variable::wait_for looks at the steady clock itself after it
 * returns, so a system clock that is set meanwhile makes nobody give up too early. */
__attribute__((visibility("hidden"))) int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                                 clockid_t clock, struct timespec const* then) {
  struct timespec const time = OnSystemClock(clock, then);
  return pthread_cond_timedwait(condition, mutex, &time);
}

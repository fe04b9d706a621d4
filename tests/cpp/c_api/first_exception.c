/* A thread's first exception says that memory has run out. The library is opened at run time, as Python opens it, by a
 * program without the C++ runtime: then the runtime's state of a thread's exceptions is memory that glibc allocates at
 * its first use, and glibc ends the process if it cannot. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void* __libc_malloc(size_t size); /* glibc's own */
typedef int (*Create)(float const* data, unsigned long n_rows, unsigned long n_cols, float missing, void** out);
typedef int (*Free)(void* matrix);

static __thread bool t_fails = false;
static Create g_create;
static Free g_free;

/* Stands in for glibc's function, also in the libraries that the program opens. */
void* malloc(size_t size) { return t_fails ? NULL : __libc_malloc(size); }

/* Returns NULL if the call without memory failed as it should. */
static void* CallTwice(void* unused) {
  static float const kValues[] = {1.0F, 2.0F, 3.0F, 4.0F};
  void* matrix = NULL;
  (void)unused;
  if (g_create(kValues, 2, 2, -1.0F, &matrix) != 0) return "the call with memory failed";
  g_free(matrix);
  t_fails = true;
  int const status = g_create(kValues, 2, 2, -1.0F, &matrix);
  t_fails = false;
  return status == -1 ? NULL : "the call without memory did not fail";
}

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return fprintf(stderr, "usage: %s LIBKAURI\n%s\n", argv[0], argc == 2 ? dlerror() : ""), 2;
  *(void**)&g_create = dlsym(library, "XGDMatrixCreateFromMat");
  *(void**)&g_free = dlsym(library, "XGDMatrixFree");
  pthread_t thread;
  void* problem = NULL;
  if (pthread_create(&thread, NULL, CallTwice, NULL) != 0 || pthread_join(thread, &problem) != 0) return 3;
  if (problem != NULL) fprintf(stderr, "%s\n", (char const*)problem);
  return problem != NULL;
}

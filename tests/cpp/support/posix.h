/// \file Calls of POSIX systems for tests: fork(), limits of resources, pipes with names. Windows has none of them, so
/// tests that need them are between `#if KAURI_TEST_POSIX` and `#endif`. It has setenv() by another name.
#pragma once

#ifdef _WIN32
#define KAURI_TEST_POSIX 0
#include <stdlib.h>
inline int setenv(char const* name, char const* value, int /*replaces*/) { return _putenv_s(name, value); }
#else
#define KAURI_TEST_POSIX 1
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

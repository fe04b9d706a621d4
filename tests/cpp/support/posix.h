/// \file Calls of POSIX systems for tests: fork(), limits of resources, pipes with names. Windows has none of them, so
/// tests that need them are between `#if KAURI_TEST_POSIX` and `#endif`.
#pragma once

#ifdef _WIN32
#define KAURI_TEST_POSIX 0
#else
#define KAURI_TEST_POSIX 1
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

/// \file Child processes, for state that a process computes only once.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

namespace kauri::testing {

/// Returns the result of `answer`, or its error message, from a forked child. `answer` must not start threads.
inline std::string InChildProcess(std::function<std::string()> const& answer) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  auto const child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = answer();
    } catch (std::exception const& error) {
      text = error.what();
    }
    auto const written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t n = read(ends[0], block, sizeof(block)); n > 0; n = read(ends[0], block, sizeof(block))) {
    text.append(block, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with " << status << ": " << text;
  return text;
}

}  // namespace kauri::testing

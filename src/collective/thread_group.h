/// \file Ranks that are threads of this process: for tests, and for the devices of one host.
#pragma once

#include <chrono>
#include <memory>

#include "kauri/collective.h"

namespace kauri {

/// Ranks outlive neither their group nor each other's calls.
class ThreadGroup {
 public:
  /// timeout: how long a call waits for the other ranks before it fails.
  explicit ThreadGroup(int n_ranks, std::chrono::milliseconds timeout = std::chrono::minutes(5));
  ~ThreadGroup();
  ThreadGroup(ThreadGroup const&) = delete;
  ThreadGroup& operator=(ThreadGroup const&) = delete;

  /// For the thread that is this rank.
  Collective* Of(int rank);

 private:
  class Room;
  class Member;

  std::unique_ptr<Room> room_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace kauri

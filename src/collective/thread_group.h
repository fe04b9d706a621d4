/// \file Ranks that are threads of this process, for tests and for the devices of one host.
#pragma once

#include <chrono>
#include <memory>

#include "kauri/collective.h"

namespace kauri {

/// A group of threads. Ranks must not outlive their group, and the group must outlive all of their calls.
class ThreadGroup {
 public:
  /// timeout: how long a call waits for the other ranks before it fails.
  explicit ThreadGroup(int n_ranks, std::chrono::milliseconds timeout = std::chrono::minutes(5));
  ~ThreadGroup();
  ThreadGroup(ThreadGroup const&) = delete;
  ThreadGroup& operator=(ThreadGroup const&) = delete;

  /// Returns the collective for the thread that is this rank.
  Collective* Of(int rank);

 private:
  class Room;
  class Member;

  std::unique_ptr<Room> room_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace kauri

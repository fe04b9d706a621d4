/// \file The process that brings the workers of a group together.
///
/// 1. A worker connects, proves the secret (channel.h) and says its task and the port at which it listens.
/// 2. Once all have come, they are sorted and get their ranks, and each learns the addresses of all. Their own
///    connections carry the data (socket_group.h); the tracker sees none of them.
/// 3. Each worker keeps its connection to the tracker. One that reports an error, or is gone before it said goodbye,
///    ends the group: the tracker tells the others the reason.
/// 4. After the last goodbye, or a failure, the tracker turns newcomers away until it is freed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collective/network/door.h"
#include "collective/network/socket.h"
#include "common/platform/process.h"

namespace kauri {

/// The order of ranks: by host, then task; or by task alone. Texts are compared byte by byte.
enum class SortBy { kHost, kTask };

struct TrackerOptions {
  Address address;    ///< where it listens; port 0: the system chooses one
  int n_workers = 1;  ///< at least 1
  SortBy sort_by = SortBy::kHost;
  double timeout = 0;  ///< seconds until all workers have come, and from the first goodbye to the last; 0: no limit
  std::string secret;
};

class Tracker {
 public:
  /// Binds the port. \throws Error(kIo).
  explicit Tracker(TrackerOptions options);
  ~Tracker();
  Tracker(Tracker const&) = delete;
  Tracker& operator=(Tracker const&) = delete;

  Address const& Where() const { return options_.address; }
  std::string const& Secret() const { return options_.secret; }
  /// Starts the thread; a second call does nothing.
  void Run();
  /// Returns whether Run was called, in this process: a copy of it that fork() makes has no thread.
  bool IsRunning() const { return thread_.joinable() && platform::ProcessId() == process_; }
  /// Waits until the group has ended. seconds: none: as long as that takes. \throws Error(kCollective) with the reason
  /// if the group failed, and if it has not ended in time, which ends it.
  void Wait(std::optional<double> seconds);
  /// Returns whether the group has neither ended by goodbyes nor failed by a worker.
  bool IsUnfinished();

 private:
  struct Member {
    Channel channel;
    Address address;
    std::string host_name;
    std::string task;
    bool has_left = false;
    bool is_gone = false;
  };
  enum class State { kComing, kWorking, kEnded, kFailed, kGivenUp };

  void Wake() const;
  void Loop();
  void Step();
  std::vector<platform::SocketWait> Waits() const;
  State NowIs();
  void Welcome(Guest guest);
  void AssignRanks();
  void Hear(std::size_t rank);
  void Obey(std::size_t rank, std::string const& text);
  void Lose(std::size_t rank, std::string const& how);
  void LookAtClock();
  void EndGroup(State state, std::string const& why);
  /// Fails the group when there is no memory even for EndGroup: the connections close.
  void EndWithoutMemory() noexcept;
  std::string NameOf(std::size_t rank) const;

  TrackerOptions options_;
  Door door_;
  Socket wakes_;  ///< a byte sent here wakes the thread
  Socket woken_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
  pid_t process_ = 0;            ///< of the thread
  std::vector<Member> members_;  ///< by rank, once there are ranks; used by the thread alone
  std::optional<Deadline> deadline_;

  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  State state_ = State::kComing;
  std::string why_;
  std::optional<std::string> given_up_;  ///< reason of the caller to end the group
};

}  // namespace kauri

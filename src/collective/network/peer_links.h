/// \file A worker's connections: to the other ranks, for data, and to the tracker, for bad news.
///
/// A collective call is one or two exchanges. In an exchange a rank sends a message to some ranks and receives one from
/// some, all at the same time, so ranks that send each other more than the network holds do not block each other. The
/// header of a message names the call; both sides compare it, so ranks that are out of step are told so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collective/network/channel.h"
#include "collective/network/socket.h"
#include "common/platform/process.h"
#include "kauri/span.h"

namespace kauri {

/// Describes an exchange, the same on all ranks.
struct CallLabel {
  std::string name;            ///< for messages, of at most 15 letters
  std::uint64_t n_values = 0;  ///< 0 if the ranks may have different numbers
};

struct Outgoing {
  int rank;
  Span<std::byte const> bytes;
};

struct Incoming {
  int rank;
  std::vector<std::byte>* bytes;  ///< receives the message, of any length
};

/// Another rank. `name` is for messages: number, host and task.
struct Peer {
  Socket socket;
  std::string name;
};

class PeerLinks {
 public:
  /// peers: by rank; this rank's socket is not open. timeout: seconds without any byte after which an exchange fails.
  PeerLinks(int rank, std::vector<Peer> peers, Channel tracker, double timeout);

  int Rank() const { return rank_; }
  int Size() const { return static_cast<int>(peers_.size()); }
  /// \throws Error(kCollective) naming the rank that is to blame, after which all ranks' exchanges fail.
  void Exchange(CallLabel const& label, std::vector<Outgoing> const& outgoing, std::vector<Incoming> const& incoming);
  /// Makes this and all later exchanges of all ranks fail. Callable from any thread.
  void End(std::string const& why) noexcept;
  /// Sends a line to the tracker's log. \throws Error(kParameter) if it is longer than 1 MiB, and Error(kCollective) if
  /// the group has ended.
  void Print(std::string const& line);
  /// Says goodbye to all. There are no exchanges afterwards.
  void Leave() noexcept;

 private:
  class Transfer;

  void Run(std::vector<Transfer>* transfers);
  void Wait(std::vector<Transfer> const& transfers, Deadline deadline);
  void CheckHeader(Transfer const& transfer);
  bool IsCopy() const { return platform::ProcessId() != process_; }
  /// Throws the reason for which the group has ended, if it has, and in a process that fork() made.
  void RequireAlive();
  /// Reads what the tracker says. Returns its reason to end the group.
  std::optional<std::string> NewsOfTracker();
  [[noreturn]] void FailLost(int rank);
  [[noreturn]] void FailLate(std::vector<Transfer> const& transfers);
  [[noreturn]] void FailAll(std::string const& why);
  std::string Here() const;

  int rank_;
  std::vector<Peer> peers_;
  double timeout_;
  int process_ = platform::ProcessId();  ///< a copy of it that fork() makes must not touch the connections
  Socket wakes_;
  Socket woken_;
  CallLabel label_{"", 0};
  std::uint64_t n_exchanges_ = 0;

  std::mutex mutex_;  ///< for what follows
  Channel tracker_;
  std::optional<std::string> why_;  ///< reason for which the group has ended
};

}  // namespace kauri

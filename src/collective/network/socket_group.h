/// \file Ranks that are processes or threads on any hosts, connected by sockets that a tracker introduced (tracker.h).
///
/// Every pair of ranks has a connection. Short arrays, and all arrays of two ranks, go from every rank to every other,
/// and each reduces all of them. Long arrays are cut into one part a rank: each rank receives its part from all,
/// reduces it and sends it to all. So a rank sends 2 (n - 1) / n of a long array, whatever the number n of ranks; if it
/// needs the result of its own part only, half of that. Contributions are combined in the order of ranks, on every
/// rank, so even sums of floating-point numbers are the same on all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/network/elements.h"
#include "collective/network/peer_links.h"
#include "kauri/collective.h"

namespace kauri {

struct JoinOptions {
  Address tracker;
  std::string secret;     ///< of the tracker
  std::string task;       ///< by which the tracker sorts ranks
  int retries = 3;        ///< further attempts to reach the tracker
  double timeout = 1800;  ///< seconds: to join the group, and without any byte in a call
  int port = 0;           ///< where this rank listens for the others; 0: the system chooses one
};

class SocketGroup : public Collective {
 public:
  /// Waits for the other workers. \throws Error(kCollective) saying who was missing, at the timeout at the latest.
  explicit SocketGroup(JoinOptions const& options);

  int Rank() const override { return links_.Rank(); }
  int Size() const override { return links_.Size(); }
  void Sum(Span<std::int64_t> values) override;
  void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) override;
  void Max(Span<std::uint64_t> values) override;
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override;
  void Abort(std::string const& why) noexcept override { links_.End(why); }

  /// Reduces an array of any type over all ranks. name: of the call, for messages.
  void Reduce(std::string const& name, SharedArray* elements);
  /// Copies the bytes of a rank to all others. \throws Error(kParameter) if there is no such rank.
  void Broadcast(Span<std::byte> bytes, int root);
  /// Adds a line to the tracker's log.
  void Print(std::string const& line) { links_.Print(line); }
  /// Leaves the group after its last call.
  void Leave() noexcept { links_.Leave(); }

 private:
  bool IsShort(std::uint64_t n_bytes) const;
  std::vector<std::uint64_t> EvenParts(std::uint64_t count) const;
  void ReduceWhole(std::string const& name, SharedArray* elements);
  void ReduceParts(std::string const& name, SharedArray* elements, Span<std::uint64_t const> begins);
  void ShareParts(std::string const& name, SharedArray* elements, Span<std::uint64_t const> begins);

  PeerLinks links_;
};

}  // namespace kauri

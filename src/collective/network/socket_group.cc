#include "collective/network/socket_group.h"

#include <algorithm>

#include "collective/network/join.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::uint64_t kShortBytes = 1 << 17;  // sent at most by each rank in one step
using Messages = std::vector<std::vector<std::byte>>;

}  // namespace

SocketGroup::SocketGroup(JoinOptions const& options) : links_(Join(options)) {}

bool SocketGroup::IsShort(std::uint64_t n_bytes) const {
  return Size() == 2 || n_bytes * static_cast<std::uint64_t>(Size()) <= kShortBytes;
}

std::vector<std::uint64_t> SocketGroup::EvenParts(std::uint64_t count) const {
  auto const n_parts = static_cast<std::uint64_t>(Size());
  std::vector<std::uint64_t> begins;
  for (std::uint64_t part = 0; part <= n_parts; ++part) {
    begins.push_back(count / n_parts * part + std::min(part, count % n_parts));
  }
  return begins;
}

void SocketGroup::Reduce(std::string const& name, SharedArray* elements) {
  if (Size() == 1) return;
  if (IsShort(elements->NumBytes())) return ReduceWhole(name, elements);
  auto const begins = EvenParts(elements->Count());
  ReduceParts(name, elements, begins);
  ShareParts(name, elements, begins);
}

void SocketGroup::ReduceWhole(std::string const& name, SharedArray* elements) {
  Messages messages(static_cast<std::size_t>(Size()));
  std::vector<std::byte> mine;
  elements->Write(0, elements->Count(), &mine);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int rank = 0; rank < Size(); ++rank) {
    if (rank == Rank()) continue;
    outgoing.push_back({rank, mine});
    incoming.push_back({rank, &messages[rank]});
  }
  links_.Exchange({name, elements->Count()}, outgoing, incoming);
  messages[Rank()] = std::move(mine);
  elements->Replace(0, elements->Count(), messages[0]);
  for (int rank = 1; rank < Size(); ++rank) elements->Combine(0, elements->Count(), messages[rank]);
}

void SocketGroup::ReduceParts(std::string const& name, SharedArray* elements, Span<std::uint64_t const> begins) {
  Messages sent(static_cast<std::size_t>(Size()));
  Messages received(static_cast<std::size_t>(Size()));
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int rank = 0; rank < Size(); ++rank) {
    elements->Write(begins[rank], begins[rank + 1], &sent[rank]);
    if (rank == Rank()) continue;
    outgoing.push_back({rank, sent[rank]});
    incoming.push_back({rank, &received[rank]});
  }
  links_.Exchange({name, elements->Count()}, outgoing, incoming);
  received[Rank()] = std::move(sent[Rank()]);
  auto const begin = begins[Rank()];
  auto const end = begins[Rank() + 1];
  elements->Replace(begin, end, received[0]);
  for (int rank = 1; rank < Size(); ++rank) elements->Combine(begin, end, received[rank]);
}

void SocketGroup::ShareParts(std::string const& name, SharedArray* elements, Span<std::uint64_t const> begins) {
  Messages received(static_cast<std::size_t>(Size()));
  std::vector<std::byte> mine;
  elements->Write(begins[Rank()], begins[Rank() + 1], &mine);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int rank = 0; rank < Size(); ++rank) {
    if (rank == Rank()) continue;
    outgoing.push_back({rank, mine});
    incoming.push_back({rank, &received[rank]});
  }
  links_.Exchange({name, elements->Count()}, outgoing, incoming);
  for (int rank = 0; rank < Size(); ++rank) {
    if (rank != Rank()) elements->Replace(begins[rank], begins[rank + 1], received[rank]);
  }
}

void SocketGroup::Sum(Span<std::int64_t> values) { Reduce("sum", PackedSums(values).get()); }

void SocketGroup::SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) {
  if (Size() > 1) ReduceParts("sum of parts", PackedSums(values).get(), begins);
}

void SocketGroup::Max(Span<std::uint64_t> values) {
  Reduce("maximum", PlainElements(values.data(), values.size(), ElementType::kU64, ReduceOp::kMax).get());
}

std::vector<std::vector<std::byte>> SocketGroup::Gather(Span<std::byte const> mine) {
  Messages all(static_cast<std::size_t>(Size()));
  all[Rank()].assign(mine.begin(), mine.end());
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int rank = 0; rank < Size(); ++rank) {
    if (rank == Rank()) continue;
    outgoing.push_back({rank, mine});
    incoming.push_back({rank, &all[rank]});
  }
  links_.Exchange({"gather"}, outgoing, incoming);
  return all;
}

void SocketGroup::Broadcast(Span<std::byte> bytes, int root) {
  if (root < 0 || root >= Size()) {
    Fail(ErrorKind::kParameter, "there is no rank ", root, " to broadcast from; expected 0 to ", Size() - 1, ".");
  }
  if (Size() == 1) return;
  auto const elements = PlainElements(bytes.data(), bytes.size(), ElementType::kU8, ReduceOp::kMax);
  auto const begins = IsShort(bytes.size()) ? std::vector<std::uint64_t>() : EvenParts(bytes.size());
  auto const part_of = [&](int rank) {
    return begins.empty() ? Span<std::byte>(bytes) : bytes.subspan(begins[rank], begins[rank + 1] - begins[rank]);
  };
  std::vector<Outgoing> outgoing;
  std::vector<std::byte> received;
  for (int rank = 0; rank < Size() && Rank() == root; ++rank) {
    if (rank != root) outgoing.push_back({rank, part_of(rank)});
  }
  if (Rank() == root) {
    links_.Exchange({"broadcast", bytes.size()}, outgoing, {});
  } else {
    links_.Exchange({"broadcast", bytes.size()}, {}, {{root, &received}});
    auto const begin = begins.empty() ? 0 : begins[Rank()];
    elements->Replace(begin, begins.empty() ? bytes.size() : begins[Rank() + 1], received);
  }
  if (!begins.empty()) ShareParts("broadcast", elements.get(), begins);
}

}  // namespace kauri

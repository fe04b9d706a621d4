#include "collective/network/peer_links.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "common/text/json_text.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kMostAtOnce = 1 << 20;
constexpr std::size_t kRoomAtFirst = 1 << 20;  // grows with the bytes that arrive, whatever a header announces
constexpr std::size_t kMostLine = 1 << 20;     // six times as long in a message, if all letters are escaped
constexpr double kSecondsForNews = 3.0;        // the tracker says why a rank is gone
constexpr double kSecondsToTell = 5.0;

/// The head of a message, in the byte order of the machines.
struct Header {
  std::array<char, 8> magic{'k', 'b', 'd', 'a', 't', 'a', '1', '\0'};
  std::array<char, 16> name{};
  std::uint64_t number = 0;
  std::uint64_t n_values = 0;
  std::uint64_t n_bytes = 0;
};

constexpr char const* kGoodbye = "goodbye";

Header HeaderOf(CallLabel const& label, std::uint64_t number, std::uint64_t n_bytes) {
  Header header;
  std::strncpy(header.name.data(), label.name.c_str(), header.name.size() - 1);
  header.number = number;
  header.n_values = label.n_values;
  header.n_bytes = n_bytes;
  return header;
}

std::string Describe(std::string const& name, std::uint64_t number, std::uint64_t n_values) {
  auto text = "call " + std::to_string(number) + " (" + name;
  if (n_values > 0) text += " of " + std::to_string(n_values) + " values";
  return text + ")";
}

}  // namespace

/// A message on its way, in one direction.
class PeerLinks::Transfer {
 public:
  Transfer(Outgoing const& message, Header const& header)
      : rank(message.rank), is_outgoing(true), header(header), bytes_(message.bytes) {}
  explicit Transfer(Incoming const& message) : rank(message.rank), is_outgoing(false), into_(message.bytes) {
    into_->clear();
  }

  bool IsDone() const { return n_head_ == sizeof(Header) && n_body_ == header.n_bytes; }
  bool HasHeader() const { return n_head_ == sizeof(Header); }

  /// Moves what the socket takes or has. Stops once after the header. Returns the bytes moved, -1 if the connection is
  /// lost.
  std::ptrdiff_t Move(Socket const& socket) {
    auto const in_head = !HasHeader();
    auto const n_left = in_head ? sizeof(Header) - n_head_ : header.n_bytes - n_body_;
    auto const n_now = static_cast<std::size_t>(std::min<std::uint64_t>(n_left, kMostAtOnce));
    auto* const head = reinterpret_cast<char*>(&header) + n_head_;
    std::ptrdiff_t n_moved = 0;
    if (is_outgoing) {
      n_moved = socket.Send(in_head ? head : reinterpret_cast<char const*>(bytes_.data()) + n_body_, n_now);
    } else {
      n_moved = socket.Receive(in_head ? head : Room(n_now), n_now);
    }
    if (n_moved > 0) (in_head ? n_head_ : n_body_) += static_cast<std::uint64_t>(n_moved);
    if (!is_outgoing && IsDone()) into_->resize(n_body_);
    return n_moved;
  }

  int rank;
  bool is_outgoing;
  bool is_checked = false;  ///< whether the header of an incoming message is the expected one
  Header header;

 private:
  char* Room(std::size_t n_bytes) {
    if (into_->size() < n_body_ + n_bytes) {
      auto const room = std::max<std::uint64_t>(2 * into_->size(), kRoomAtFirst);
      into_->resize(std::max<std::uint64_t>(n_body_ + n_bytes, std::min(room, header.n_bytes)));
    }
    return reinterpret_cast<char*>(into_->data()) + n_body_;
  }

  Span<std::byte const> bytes_;
  std::vector<std::byte>* into_ = nullptr;
  std::uint64_t n_head_ = 0;
  std::uint64_t n_body_ = 0;
};

PeerLinks::PeerLinks(int rank, std::vector<Peer> peers, Channel tracker, double timeout)
    : rank_(rank), peers_(std::move(peers)), timeout_(timeout), tracker_(std::move(tracker)) {
  std::tie(wakes_, woken_) = ConnectedPair();
}

std::string PeerLinks::Here() const {
  return peers_[rank_].name + " in " + Describe(label_.name, n_exchanges_, label_.n_values);
}

void PeerLinks::Exchange(CallLabel const& label, std::vector<Outgoing> const& outgoing,
                         std::vector<Incoming> const& incoming) {
  label_ = label;
  ++n_exchanges_;
  RequireAlive();
  std::vector<Transfer> transfers;
  for (auto const& each : outgoing) {
    transfers.emplace_back(each, HeaderOf(label, n_exchanges_, each.bytes.size()));
  }
  for (auto const& each : incoming) transfers.emplace_back(each);
  Run(&transfers);
}

void PeerLinks::Run(std::vector<Transfer>* transfers) {
  auto deadline = SecondsFromNow(timeout_);
  for (;;) {
    auto has_moved = false;
    auto is_done = true;
    for (auto& each : *transfers) {
      if (each.IsDone() && (each.is_outgoing || each.is_checked)) continue;
      auto const n_moved = each.IsDone() ? 0 : each.Move(peers_[each.rank].socket);
      if (n_moved < 0) FailLost(each.rank);
      if (!each.is_outgoing && !each.is_checked && each.HasHeader()) {
        CheckHeader(each);
        each.is_checked = true;
      }
      has_moved |= n_moved > 0;
      is_done &= each.IsDone();
    }
    if (is_done) return;
    if (has_moved) {
      deadline = SecondsFromNow(timeout_);
    } else {
      Wait(*transfers, deadline);
    }
  }
}

void PeerLinks::Wait(std::vector<Transfer> const& transfers, Deadline deadline) {
  std::vector<platform::SocketWait> waits{{woken_.Descriptor(), true}, {tracker_.Connection().Descriptor(), true}};
  for (auto const& each : transfers) {
    auto const socket = peers_[each.rank].socket.Descriptor();
    if (!each.IsDone()) waits.push_back({socket, !each.is_outgoing, each.is_outgoing});
  }
  if (!WaitForAny(&waits, deadline)) FailLate(transfers);
  if (waits[0].is_ready) RequireAlive();
  if (!waits[1].is_ready) return;
  if (auto const news = NewsOfTracker()) FailAll(*news);
}

void PeerLinks::CheckHeader(Transfer const& transfer) {
  auto const& header = transfer.header;
  auto const expected = HeaderOf(label_, n_exchanges_, header.n_bytes);
  if (std::memcmp(&header, &expected, sizeof(Header)) == 0) return;
  auto const& peer = peers_[transfer.rank].name;
  if (header.magic != expected.magic) {
    FailAll(peer + " has sent something else than a message to " + Here() +
            "; use the same version of Kauri everywhere.");
  }
  std::string const name(header.name.data(), strnlen(header.name.data(), header.name.size()));
  if (name == kGoodbye) {
    FailAll(peer + " has ended its communicator, while the group waits for it: " + Here() +
            ". All ranks must make the same calls; look for an error on that rank.");
  }
  FailAll("the ranks have lost step: " + Here() + ", " + peer + " in " +
          Describe(name, header.number, header.n_values) +
          ". All ranks must make the same calls with the same sizes, parameters and version.");
}

void PeerLinks::RequireAlive() {
  if (IsCopy()) {
    Fail(ErrorKind::kCollective, "this process is a fork() of ", peers_[rank_].name,
         ", which alone can use its connections; call XGCommunicatorInit in each process.");
  }
  std::lock_guard<std::mutex> const lock(mutex_);
  if (why_) Fail(ErrorKind::kCollective, *why_);
}

std::optional<std::string> PeerLinks::NewsOfTracker() {
  std::lock_guard<std::mutex> const lock(mutex_);
  try {
    while (auto const text = tracker_.Next()) {
      auto const document = ParseJsonText(*text, ErrorKind::kCollective);
      auto const& end = JsonMember(document.Root(), "end");
      if (end.is_string()) return end.get<std::string>();
    }
  } catch (Error const& error) {
    return std::string("the tracker has sent a wrong message: ") + error.what();
  }
  if (!tracker_.IsLost()) return std::nullopt;
  return "the tracker is gone: its process has ended or freed it, or the network between has failed. Keep the tracker "
         "until all workers have ended, then train again.";
}

void PeerLinks::FailLost(int rank) {
  auto const deadline = SecondsFromNow(kSecondsForNews);
  std::vector<platform::SocketWait> waits{{tracker_.Connection().Descriptor(), true}};
  while (WaitForAny(&waits, deadline)) {
    if (auto const news = NewsOfTracker()) FailAll(*news);
  }
  FailAll(peers_[rank].name + " has closed its connection, while the group waits for it: " + Here() +
          ". Look at what that rank wrote, then train again.");
}

void PeerLinks::FailLate(std::vector<Transfer> const& transfers) {
  std::string late;
  for (auto const& each : transfers) {
    if (each.IsDone()) continue;
    auto const& name = peers_[each.rank].name;
    if (late.find(name) == std::string::npos) late += (late.empty() ? "" : ", ") + name;
  }
  FailAll(Here() + " has waited " + std::to_string(static_cast<std::int64_t>(timeout_)) + " s in vain for " + late +
          ". Look at what that rank does; if it only needs longer, raise dmlc_timeout.");
}

void PeerLinks::FailAll(std::string const& why) {
  End(why);
  RequireAlive();
  Fail(ErrorKind::kCollective, why);
}

void PeerLinks::End(std::string const& why) noexcept {
  if (IsCopy()) return;
  try {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (why_) return;
    why_ = why;
    tracker_.Send(JsonObject({{"error", JsonQuoted(why)}}), SecondsFromNow(kSecondsToTell));
  } catch (...) {  // no memory: the closed connections tell the others
  }
  wakes_.Send("!", 1);
  for (auto const& peer : peers_) peer.socket.ShutDown();
}

void PeerLinks::Print(std::string const& line) {
  if (line.size() > kMostLine) {
    Fail(ErrorKind::kParameter, "a line of ", line.size(), " bytes is too long for the tracker's log; print at most ",
         kMostLine, " at once.");
  }
  RequireAlive();
  std::lock_guard<std::mutex> const lock(mutex_);
  if (tracker_.Send(JsonObject({{"print", JsonQuoted(line)}}), SecondsFromNow(timeout_))) return;
  Fail(ErrorKind::kCollective, "the tracker does not take a line for its log; it is gone, or hangs.");
}

void PeerLinks::Leave() noexcept {
  if (IsCopy()) return;
  try {
    auto const header = HeaderOf({kGoodbye}, 0, 0);
    for (auto const& peer : peers_) {
      if (peer.socket.IsOpen()) peer.socket.Send(&header, sizeof(header));
    }
    std::lock_guard<std::mutex> const lock(mutex_);
    tracker_.Send(JsonObject({{"bye", "1"}}), SecondsFromNow(kSecondsToTell));
  } catch (...) {  // no memory: the closed connections tell the others
  }
}

}  // namespace kauri

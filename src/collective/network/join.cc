#include "collective/network/join.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collective/network/door.h"
#include "common/platform/process.h"
#include "common/text/json_text.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kSlice = 0.2;       // seconds between looks at the tracker
constexpr double kFirstPause = 0.1;  // seconds before the second attempt to come in; it doubles
constexpr int kMostDoublings = 6;
constexpr std::size_t kStrangers = 64;  // connections to a worker that have not proved the secret

struct PeerPlace {
  Address address;
  std::string name;
};

/// The tracker's answer to a worker.
struct Assignment {
  int rank = 0;
  std::string group;
  std::vector<PeerPlace> places;  ///< by rank
};

/// One worker on its way into the group.
class Joining {
 public:
  explicit Joining(JoinOptions const& options)
      : options_(options),
        deadline_(SecondsFromNow(options.timeout)),
        tracker_(CallTracker()),
        own_{OwnHost(tracker_.Connection()), options.port},
        door_(ListenAt(&own_), options.secret, kStrangers) {}

  PeerLinks Run() {
    auto const assigned = WaitForAssignment();
    std::vector<Peer> peers(assigned.places.size());
    door_.MakeRoom(kStrangers + peers.size());
    for (std::size_t rank = 0; rank < peers.size(); ++rank) peers[rank].name = assigned.places[rank].name;
    try {
      for (int rank = 0; rank < assigned.rank; ++rank) peers[rank].socket = ConnectToRank(assigned, rank);
      LetIn(assigned, &peers);
    } catch (Error const& error) {  // the others need not wait for their deadlines
      tracker_.Send(JsonObject({{"error", JsonQuoted(peers[assigned.rank].name +
                                                     " cannot reach the other ranks: " + error.what())}}),
                    SecondsFromNow(kSlice));
      throw;
    }
    return {assigned.rank, std::move(peers), std::move(tracker_), options_.timeout};
  }

 private:
  /// Waits before the next attempt to come in. \throws Error(kCollective) with the reason if there is none.
  void AwaitNextAttempt(std::string const& why) {
    auto const pause = std::chrono::duration<double>(kFirstPause * (1 << std::min(n_failed_, kMostDoublings)));
    if (n_failed_++ >= options_.retries || SteadyClock::now() + pause >= deadline_) Fail(ErrorKind::kCollective, why);
    std::this_thread::sleep_for(pause);
  }

  Channel CallTracker() {
    for (;;) {
      try {
        return Channel(ConnectTo(options_.tracker, deadline_, [] {}), Side::kClient, options_.secret);
      } catch (Error const& error) {
        AwaitNextAttempt(std::string(error.what()) + " after " + std::to_string(n_failed_ + 1) +
                         " attempts: does the tracker run there, and can this host reach it?");
      }
    }
  }

  /// Tells the tracker about this worker. Returns its answer, if any comes.
  std::optional<std::string> AskTracker() {
    tracker_.Queue(JsonObject({{"port", std::to_string(own_.port)},
                               {"host", JsonQuoted(platform::HostName())},
                               {"task", JsonQuoted(options_.task)}}));
    return tracker_.Receive(deadline_);
  }

  Assignment WaitForAssignment() {
    auto text = AskTracker();
    while (!text && tracker_.IsLost()) {
      AwaitNextAttempt(
          "the tracker at " + TextOf(options_.tracker) +
          " has closed the connection: it has ended, or kauri_tracker_secret is missing or another tracker's. Pass the "
          "arguments of the tracker unchanged.");
      tracker_ = CallTracker();
      text = AskTracker();
    }
    if (!text) {
      Fail(ErrorKind::kCollective, "the other workers have not come in ", options_.timeout,
           " s; start as many as the tracker expects, or raise dmlc_timeout.");
    }
    auto const document = ParseJsonText(*text, ErrorKind::kCollective);
    RequireGoodNews(document.Root());
    return Read(document.Root());
  }

  static void RequireGoodNews(nlohmann::json const& message) {
    for (auto const* key : {"refuse", "end"}) {
      auto const& why = JsonMember(message, key);
      if (why.is_string()) Fail(ErrorKind::kCollective, "the tracker says: ", why.get<std::string>());
    }
  }

  static Assignment Read(nlohmann::json const& message) {
    try {
      Assignment assigned{message.at("rank").get<int>(), message.at("group").get<std::string>(), {}};
      for (auto const& peer : message.at("peers")) {
        assigned.places.push_back(
            {{peer.at(0).get<std::string>(), peer.at(1).get<int>()}, peer.at(2).get<std::string>()});
      }
      if (assigned.rank >= 0 && assigned.rank < static_cast<int>(assigned.places.size())) return assigned;
    } catch (nlohmann::json::exception const&) {  // of another version
    }
    Fail(ErrorKind::kCollective, "the tracker's answer is not understood; use the same version of Kauri everywhere.");
  }

  /// Throws if the tracker has ended the group.
  void LookAtTracker() {
    auto const text = tracker_.Next();
    if (text) RequireGoodNews(ParseJsonText(*text, ErrorKind::kCollective).Root());
    if (tracker_.IsLost()) Fail(ErrorKind::kCollective, "the tracker is gone, before the group was complete.");
  }

  Socket ConnectToRank(Assignment const& assigned, int rank) {
    auto const& place = assigned.places[rank];
    Channel channel(ConnectTo(place.address, deadline_, [this] { LookAtTracker(); }), Side::kClient, options_.secret);
    channel.Queue(JsonObject({{"rank", std::to_string(assigned.rank)}, {"group", JsonQuoted(assigned.group)}}));
    while (!channel.Receive(std::min(deadline_, SecondsFromNow(kSlice)))) {
      LookAtTracker();
      if (channel.IsLost() || SteadyClock::now() >= deadline_) {
        Fail(ErrorKind::kCollective, place.name, " at ", TextOf(place.address), " does not answer");
      }
    }
    return channel.Take();
  }

  /// Waits for the higher ranks.
  void LetIn(Assignment const& assigned, std::vector<Peer>* peers) {
    auto n_missing = peers->size() - static_cast<std::size_t>(assigned.rank) - 1;
    while (n_missing > 0) {
      std::vector<platform::SocketWait> waits{{tracker_.Connection().Descriptor(), true}};
      door_.AddTo(&waits);
      WaitForAny(&waits, std::min(deadline_, SecondsFromNow(kSlice)));
      LookAtTracker();
      for (auto& guest : door_.Admit()) {
        if (Seat(assigned, &guest, peers)) --n_missing;
      }
      if (n_missing > 0 && SteadyClock::now() >= deadline_) {
        Fail(ErrorKind::kCollective, n_missing, " ranks have not connected in ", options_.timeout,
             " s; the hosts must be able to reach each other, at the port of dmlc_worker_port if one is given.");
      }
    }
  }

  /// Takes the connection of a higher rank. Returns false for a guest of another group.
  static bool Seat(Assignment const& assigned, Guest* guest, std::vector<Peer>* peers) {
    auto const document = ParseJsonText(guest->message, ErrorKind::kCollective);
    auto const& rank = JsonMember(document.Root(), "rank");
    auto const& group = JsonMember(document.Root(), "group");
    if (!rank.is_number_integer() || !group.is_string() || group.get<std::string>() != assigned.group) return false;
    auto const number = rank.get<std::int64_t>();
    if (number <= assigned.rank || number >= static_cast<std::int64_t>(peers->size())) return false;
    auto& peer = (*peers)[number];
    if (peer.socket.IsOpen() || !guest->channel.Send("{}", SecondsFromNow(kSlice))) return false;
    peer.socket = guest->channel.Take();
    return true;
  }

  JoinOptions const& options_;
  Deadline deadline_;
  int n_failed_ = 0;  ///< attempts to come in
  Channel tracker_;
  Address own_;
  Door door_;
};

}  // namespace

PeerLinks Join(JoinOptions const& options) {
  try {
    return Joining(options).Run();
  } catch (Error const& error) {
    Fail(error.Kind(), "Failed to bootstrap the communication. ", error.what());
  }
}

}  // namespace kauri

#include "collective/network/tracker.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <tuple>
#include <utility>

#include "common/text/json_text.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kMostStrangers = 64;
constexpr std::int64_t kMostPorts = 65535;
constexpr double kStep = 0.5;  // seconds between looks at the clock

std::string Message(char const* key, std::string const& text) { return JsonObject({{key, JsonQuoted(text)}}); }

/// Returns a text or number of a message; empty or -1 if it has none. Messages are authenticated, but may be of another
/// version.
std::string TextIn(nlohmann::json const& message, char const* key) {
  auto const& value = JsonMember(message, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}
std::int64_t NumberIn(nlohmann::json const& message, char const* key) {
  auto const& value = JsonMember(message, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : -1;
}

}  // namespace

Tracker::Tracker(TrackerOptions options)
    : options_(std::move(options)),
      door_(ListenAt(&options_.address), options_.secret,
            kMostStrangers + 2 * static_cast<std::size_t>(options_.n_workers)) {
  std::tie(wakes_, woken_) = ConnectedPair();
}

Tracker::~Tracker() {
  if (thread_.joinable() && !IsRunning()) {  // after a fork(); the thread object of the copy must not be destroyed
    static_cast<void>(new std::thread(std::move(thread_)));
    return;
  }
  is_stopping_ = true;
  Wake();
  if (thread_.joinable()) thread_.join();
}

void Tracker::Wake() const { wakes_.Send("!", 1); }

void Tracker::Run() {
  if (thread_.joinable()) return;
  if (options_.timeout > 0) deadline_ = SecondsFromNow(options_.timeout);
  process_ = platform::ProcessId();
  thread_ = std::thread([this] { Loop(); });
}

void Tracker::Wait(std::optional<double> seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto const is_over = [&] { return state_ != State::kComing && state_ != State::kWorking; };
  if (!seconds) {
    changed_.wait(lock, is_over);
  } else if (!changed_.wait_for(lock, std::chrono::duration<double>(*seconds), is_over)) {
    given_up_ = "Timeout waiting for the tracker: the group has not ended in " +
                std::to_string(static_cast<std::int64_t>(*seconds)) + " s; give more time, or no limit.";
    Wake();
    changed_.wait(lock, is_over);
  }
  if (state_ != State::kEnded) Fail(ErrorKind::kCollective, why_);
}

Tracker::State Tracker::NowIs() {
  std::lock_guard<std::mutex> const lock(mutex_);
  return state_;
}

bool Tracker::IsUnfinished() {
  auto const state = NowIs();
  return state != State::kEnded && state != State::kFailed;
}

void Tracker::Loop() {
  try {
    while (!is_stopping_) Step();
  } catch (std::exception const& failure) {
    try {
      EndGroup(State::kFailed, std::string("the tracker failed: ") + failure.what());
    } catch (std::exception const&) {
      EndWithoutMemory();
    }
  }
}

void Tracker::EndWithoutMemory() noexcept {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (state_ == State::kComing || state_ == State::kWorking) state_ = State::kFailed;
  }
  changed_.notify_all();
  members_.clear();
}

std::vector<platform::SocketWait> Tracker::Waits() const {
  std::vector<platform::SocketWait> waits{{woken_.Descriptor(), true}};
  door_.AddTo(&waits);
  for (auto const& member : members_) {
    if (member.is_gone) continue;
    waits.push_back({member.channel.Connection().Descriptor(), true, member.channel.HasQueued()});
  }
  return waits;
}

void Tracker::Step() {
  auto waits = Waits();
  WaitForAny(&waits, SecondsFromNow(kStep));
  std::array<char, 16> wakes{};
  while (woken_.Receive(wakes.data(), wakes.size()) > 0) {
  }
  for (auto& guest : door_.Admit()) {
    try {
      Welcome(std::move(guest));
    } catch (Error const&) {  // not a worker, though it knows the secret
    }
  }
  for (std::size_t i = members_.size(); i-- > 0;) {
    if (!members_[i].is_gone) Hear(i);
  }
  LookAtClock();
}

void Tracker::Welcome(Guest guest) {
  auto const document = ParseJsonText(guest.message, ErrorKind::kCollective);
  auto const& message = document.Root();
  if (NowIs() != State::kComing) {
    std::lock_guard<std::mutex> const lock(mutex_);
    guest.channel.Queue(Message("refuse", state_ == State::kWorking
                                              ? "the group is complete: all " + std::to_string(options_.n_workers) +
                                                    " workers have come; start a tracker for each training."
                                              : "the group of this tracker has ended; start another tracker. " + why_));
    guest.channel.Flush();
    return;
  }
  auto const port = NumberIn(message, "port");
  if (port < 1 || port > kMostPorts) return;  // of another version
  Address const address{std::move(guest.host), static_cast<int>(port)};
  members_.push_back({std::move(guest.channel), address, TextIn(message, "host"), TextIn(message, "task")});
  if (members_.size() == static_cast<std::size_t>(options_.n_workers)) AssignRanks();
}

void Tracker::AssignRanks() {
  auto const by_host = options_.sort_by == SortBy::kHost;
  std::stable_sort(members_.begin(), members_.end(), [&](Member const& one, Member const& other) {
    if (by_host && one.address.host != other.address.host) return one.address.host < other.address.host;
    return one.task < other.task;
  });
  std::vector<std::string> peers;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    auto const& address = members_[rank].address;
    peers.push_back(JsonArray({JsonQuoted(address.host), std::to_string(address.port), JsonQuoted(NameOf(rank))}));
  }
  auto const all = JsonArray(peers);
  auto const group = JsonQuoted(RandomHex(16));
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    members_[rank].channel.Queue(JsonObject({{"rank", std::to_string(rank)}, {"peers", all}, {"group", group}}));
    members_[rank].channel.Flush();
  }
  deadline_.reset();
  std::lock_guard<std::mutex> const lock(mutex_);
  state_ = State::kWorking;
}

std::string Tracker::NameOf(std::size_t rank) const {
  auto const& member = members_[rank];
  auto const task = member.task.empty() ? std::string() : ", task " + Quoted(member.task);
  return "rank " + std::to_string(rank) + " (host " + member.host_name + task + ")";
}

void Tracker::Hear(std::size_t rank) {
  auto& member = members_[rank];
  try {
    member.channel.Flush();
    while (auto const message = member.channel.Next()) {
      Obey(rank, *message);
      if (member.is_gone) return;
    }
  } catch (Error const& error) {
    return Lose(rank, std::string("has sent a wrong message: ") + error.what());
  }
  if (member.channel.IsLost()) Lose(rank, "is gone: its process has ended, or the network between has failed.");
}

void Tracker::Obey(std::size_t rank, std::string const& text) {
  auto const document = ParseJsonText(text, ErrorKind::kCollective);
  auto const& message = document.Root();
  if (message.contains("print")) return LogLine(LogLevel::kInfo, TextIn(message, "print"));
  if (message.contains("error")) return EndGroup(State::kFailed, TextIn(message, "error"));
  if (!message.contains("bye")) return;
  members_[rank].has_left = true;
  members_[rank].is_gone = true;
  if (options_.timeout > 0 && !deadline_) deadline_ = SecondsFromNow(options_.timeout);
  auto const has_left = [](Member const& member) { return member.has_left; };
  if (std::all_of(members_.begin(), members_.end(), has_left)) EndGroup(State::kEnded, "");
}

void Tracker::Lose(std::size_t rank, std::string const& how) {
  members_[rank].is_gone = true;
  auto const state = NowIs();
  if (state == State::kComing) {
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(rank));  // it may come again
  } else if (state == State::kWorking) {
    EndGroup(State::kFailed, NameOf(rank) + " " + how + " Look at what it wrote, then train again.");
  }
}

void Tracker::LookAtClock() {
  std::optional<std::string> given_up;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    given_up.swap(given_up_);
  }
  if (given_up) return EndGroup(State::kGivenUp, *given_up);
  if (!deadline_ || SteadyClock::now() < *deadline_) return;
  deadline_.reset();
  auto const is_coming = NowIs() == State::kComing;
  auto const n_there = std::count_if(members_.begin(), members_.end(),
                                     [&](Member const& member) { return is_coming || member.has_left; });
  std::ostringstream why;
  why << "Timeout of the tracker: after " << options_.timeout << " s " << n_there << " of " << options_.n_workers
      << " workers have "
      << (is_coming ? "come; start all of them, or give the tracker more time."
                    : "ended; look at the others, or give the tracker more time.");
  EndGroup(State::kGivenUp, why.str());
}

void Tracker::EndGroup(State state, std::string const& why) {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (state_ != State::kComing && state_ != State::kWorking) return;
    state_ = state;
    why_ = why;
  }
  changed_.notify_all();
  for (auto& member : members_) {
    if (member.is_gone) continue;
    member.channel.Queue(Message("end", why));
    member.channel.Flush();
  }
}

}  // namespace kauri

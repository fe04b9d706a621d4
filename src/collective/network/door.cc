#include "collective/network/door.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "common/text/log.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kSecondsToProve = 10.0;
constexpr double kSecondsOfRest = 0.5;  // before it accepts again, after there was no room for another descriptor

/// The state of a connection that waits.
struct Progress {
  bool is_over = false;
  std::optional<std::string> message;
};

Progress Advance(Channel* channel) {
  Progress progress;
  try {
    channel->Flush();
    progress.message = channel->Next();
    progress.is_over = channel->IsLost();
  } catch (Error const&) {  // a stranger; it learns nothing
    progress.is_over = true;
  }
  return progress;
}

}  // namespace

void Door::AddTo(std::vector<platform::SocketWait>* waits) const {
  if (!resting_ || SteadyClock::now() >= *resting_) waits->push_back({listener_.Descriptor(), true});
  for (auto const& each : waiting_) waits->push_back({each.channel.Connection().Descriptor(), true});
}

void Door::DropOne() {
  std::map<std::string, std::size_t> n_of_host;
  for (auto const& each : waiting_) ++n_of_host[each.host];
  auto const most = std::max_element(n_of_host.begin(), n_of_host.end(),
                                     [](auto const& one, auto const& other) { return one.second < other.second; });
  waiting_.erase(
      std::find_if(waiting_.begin(), waiting_.end(), [&](Waiting const& each) { return each.host == most->first; }));
}

void Door::Accept() {
  auto is_full = false;
  for (std::size_t i = 0; i < most_waiting_; ++i) {  // those that wait are heard before more come
    auto accepted = listener_.Accept(&is_full);
    if (!accepted.IsOpen()) break;
    if (waiting_.size() >= most_waiting_) DropOne();
    auto host = OtherHost(accepted);
    waiting_.push_back(
        {Channel(std::move(accepted), Side::kServer, secret_), std::move(host), SecondsFromNow(kSecondsToProve)});
    waiting_.back().channel.Flush();
  }
  if (is_full && !resting_) {
    LogLine(LogLevel::kWarning,
            "no more connections can be accepted: this process or the system has no room for another open file; raise "
            "the limit of open files.");
  }
  if (is_full) {
    resting_ = SecondsFromNow(kSecondsOfRest);
  } else {
    resting_.reset();
  }
}

std::vector<Guest> Door::HearAll() {
  std::vector<Guest> guests;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    auto progress = Advance(&each->channel);
    if (progress.message) {
      guests.push_back({std::move(each->channel), std::move(each->host), *std::move(progress.message)});
    }
    auto const is_over = progress.message || progress.is_over || SteadyClock::now() > each->deadline;
    each = is_over ? waiting_.erase(each) : std::next(each);
  }
  return guests;
}

std::vector<Guest> Door::Admit() {
  auto guests = HearAll();
  Accept();
  return guests;
}

}  // namespace kauri

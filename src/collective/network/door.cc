#include "collective/network/door.h"

#include <optional>
#include <utility>

#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kSecondsToProve = 10.0;

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

void Door::AddTo(std::vector<pollfd>* waits) const {
  waits->push_back({listener_.Descriptor(), POLLIN, 0});
  for (auto const& each : waiting_) waits->push_back({each.channel.Connection().Descriptor(), POLLIN, 0});
}

void Door::Accept() {
  for (auto accepted = listener_.Accept(); accepted.IsOpen(); accepted = listener_.Accept()) {
    if (waiting_.size() >= most_waiting_) waiting_.pop_front();
    waiting_.push_back({Channel(std::move(accepted), Side::kServer, secret_), SecondsFromNow(kSecondsToProve)});
  }
}

std::vector<Guest> Door::Admit() {
  Accept();
  std::vector<Guest> guests;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    auto progress = Advance(&each->channel);
    if (progress.message) {
      auto host = OtherHost(each->channel.Connection());
      guests.push_back({std::move(each->channel), std::move(host), *std::move(progress.message)});
    }
    auto const is_over = progress.message || progress.is_over || SteadyClock::now() > each->deadline;
    each = is_over ? waiting_.erase(each) : std::next(each);
  }
  return guests;
}

}  // namespace kauri

#include "cuda/common/idle_memory.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace kauri::cuda {
namespace {

struct Registered {
  std::mutex mutex;
  std::vector<std::weak_ptr<IdleMemory const>> all;
};

Registered& All() {
  static Registered registered;
  return registered;
}

/// Returns a copy of the list, so that no lock is held while memory is freed.
std::vector<std::shared_ptr<IdleMemory const>> Alive() {
  std::vector<std::shared_ptr<IdleMemory const>> alive;
  std::lock_guard<std::mutex> const lock(All().mutex);
  for (auto const& one : All().all) {
    if (auto memory = one.lock()) alive.push_back(std::move(memory));
  }
  return alive;
}

}  // namespace

void RegisterIdleMemory(std::shared_ptr<IdleMemory const> const& memory) {
  std::lock_guard<std::mutex> const lock(All().mutex);
  auto& all = All().all;
  all.erase(std::remove_if(all.begin(), all.end(), [](auto const& one) { return one.expired(); }), all.end());
  all.push_back(memory);
}

void GiveUpIdleMemory(int device) {
  for (auto const& memory : Alive()) {
    if (memory->Device() == device) memory->GiveUp();
  }
}

}  // namespace kauri::cuda

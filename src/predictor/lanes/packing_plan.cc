#include "predictor/lanes/packing_plan.h"

#include <algorithm>

namespace kauri {
namespace {

/// `count` bins first, first + step, ... in the order in which they were filled.
struct BinRange {
  std::int64_t first;
  std::int64_t count;
  std::int32_t step;

  std::int64_t At(std::int64_t place) const { return first + step * place; }
};

class Planner {
 public:
  explicit Planner(std::int32_t capacity) : capacity_(capacity), open_(ToSize(capacity) + 1) {}

  void Place(std::int32_t size, std::int64_t count) {
    left_ = count;
    for (auto room = size; room <= capacity_ && left_ > 0; ++room) {
      while (left_ > 0 && !open_[room].empty()) Fill(Take(room, BinsFor(size, room)), size, room);
    }
    if (left_ == 0) return;
    auto const n_fresh = BinsFor(size, capacity_);
    BinRange const fresh{plan_.n_bins, n_fresh, 1};
    plan_.n_bins += n_fresh;
    Fill(fresh, size, capacity_);
  }

  PackingPlan Finish() {
    for (std::int32_t room = 0; room <= capacity_; ++room) {
      for (auto const& range : open_[room]) {
        auto const lowest = range.step > 0 ? range.first : range.At(range.count - 1);
        plan_.loads.push_back({lowest, capacity_ - room});
      }
    }
    std::sort(plan_.loads.begin(), plan_.loads.end(),
              [](BinLoad const& a, BinLoad const& b) { return a.first_bin < b.first_bin; });
    return std::move(plan_);
  }

 private:
  /// Returns the number of bins with this room that the remaining items need.
  std::int64_t BinsFor(std::int32_t size, std::int32_t room) const {
    auto const each = room / size;
    return (left_ + each - 1) / each;
  }

  /// Takes up to `most` bins of the range that was filled last, the last bin first.
  BinRange Take(std::int32_t room, std::int64_t most) {
    auto& range = open_[room].back();
    auto const count = std::min(range.count, most);
    BinRange const taken{range.At(range.count - 1), count, -range.step};
    range.count -= count;
    if (range.count == 0) open_[room].pop_back();
    return taken;
  }

  /// Fills all of `bins`. They have no more space than the remaining items need, rounded up to whole bins.
  void Fill(BinRange const& bins, std::int32_t size, std::int32_t room) {
    auto const each = room / size;
    auto const placed = std::min(left_, bins.count * each);
    auto const full = placed / each;
    auto const rest = static_cast<std::int32_t>(placed % each);
    plan_.runs.push_back({n_placed_, bins.first, bins.step, each, size, capacity_ - room});
    if (full > 0) open_[room - each * size].push_back({bins.first, full, bins.step});
    if (rest > 0) open_[room - rest * size].push_back({bins.At(full), 1, 1});
    left_ -= placed;
    n_placed_ += placed;
  }

  std::int32_t capacity_;
  std::vector<std::vector<BinRange>> open_;  ///< by room
  std::int64_t left_ = 0;                    ///< remaining items of the current size
  std::int64_t n_placed_ = 0;
  PackingPlan plan_;
};

}  // namespace

PackingPlan PlanBestFit(Span<std::int64_t const> counts, std::int32_t capacity) {
  Planner planner(capacity);
  for (auto size = capacity; size > 0; --size) planner.Place(size, counts[size]);
  return planner.Finish();
}

}  // namespace kauri

#include "predictor/lanes/bin_packing.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "kauri/error.h"

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

namespace {

using Bins = std::vector<std::int64_t>;  ///< bin of each item

/// Returns the items by size, the largest first; items of one size keep their order.
std::vector<std::int64_t> LargestFirst(Span<std::uint8_t const> sizes, std::int32_t capacity) {
  std::vector<std::int64_t> begin(ToSize(capacity) + 2, 0);
  for (auto const size : sizes) ++begin[(capacity - size) + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<std::int64_t> order(sizes.size());
  for (std::size_t item = 0; item < sizes.size(); ++item) {
    order[begin[capacity - sizes[item]]++] = static_cast<std::int64_t>(item);
  }
  return order;
}

/// Assigns bins as planned by PlanBestFit.
Bins BestFit(Span<std::uint8_t const> sizes, std::int32_t capacity, std::vector<std::int64_t> const& order) {
  std::vector<std::int64_t> counts(ToSize(capacity) + 1, 0);
  for (auto const size : sizes) ++counts[size];
  auto const plan = PlanBestFit(counts, capacity);
  Bins bins(sizes.size());
  for (std::size_t run = 0; run < plan.runs.size(); ++run) {
    auto const& here = plan.runs[run];
    auto const end = run + 1 < plan.runs.size() ? plan.runs[run + 1].first : static_cast<std::int64_t>(order.size());
    for (auto i = here.first; i < end; ++i) bins[order[i]] = PlaceOfItem(&here, 1, i).bin;
  }
  return bins;
}

Bins FirstFit(Span<std::uint8_t const> sizes, std::int32_t capacity, std::vector<std::int64_t> const& order) {
  using Oldest = std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>;
  std::vector<Oldest> open(ToSize(capacity) + 1);  // by free room
  Bins bins(sizes.size());
  std::int64_t n_bins = 0;
  for (auto const item : order) {
    std::int64_t oldest = -1;
    auto left = capacity;
    for (std::int32_t room = sizes[item]; room <= capacity; ++room) {
      auto const& of_room = open[room];
      if (of_room.empty() || (oldest >= 0 && of_room.top() > oldest)) continue;
      oldest = of_room.top();
      left = room;
    }
    if (oldest >= 0) open[left].pop();
    bins[item] = oldest >= 0 ? oldest : n_bins++;
    open[left - sizes[item]].push(bins[item]);
  }
  return bins;
}

Bins NextFit(Span<std::uint8_t const> sizes, std::int32_t capacity) {
  Bins bins(sizes.size());
  std::int64_t bin = -1;
  std::int32_t left = 0;
  for (std::size_t item = 0; item < sizes.size(); ++item) {
    if (sizes[item] > left) {
      ++bin;
      left = capacity;
    }
    left -= sizes[item];
    bins[item] = bin;
  }
  return bins;
}

Bins OneEach(Span<std::uint8_t const> sizes) {
  Bins bins(sizes.size());
  for (std::size_t item = 0; item < sizes.size(); ++item) bins[item] = static_cast<std::int64_t>(item);
  return bins;
}

/// Lists the items of each bin. each(list) calls list(item) for all items; the items of a bin are listed in that order.
template <typename Each>
void ListByBin(Bins const& bins, Each&& each, Packing* packing) {
  std::int64_t n_bins = 0;
  for (auto const bin : bins) n_bins = bin < n_bins ? n_bins : bin + 1;
  auto& begin = packing->bin_begin;
  begin.assign(ToSize(n_bins) + 1, 0);
  for (auto const bin : bins) ++begin[bin + 1];
  for (std::size_t bin = 0; bin < ToSize(n_bins); ++bin) begin[bin + 1] += begin[bin];
  auto next = begin;
  packing->items.resize(bins.size());
  each([&](std::int64_t item) { packing->items[next[bins[item]]++] = item; });
}

void ListDecreasing(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method, Packing* packing) {
  auto const order = LargestFirst(sizes, capacity);
  auto const bins =
      method == BinPacking::kBestFitDecreasing ? BestFit(sizes, capacity, order) : FirstFit(sizes, capacity, order);
  auto const each = [&](auto&& list) {
    for (auto const item : order) list(item);
  };
  ListByBin(bins, each, packing);
}

void ListInOrder(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method, Packing* packing) {
  auto const bins = method == BinPacking::kNextFit ? NextFit(sizes, capacity) : OneEach(sizes);
  auto const each = [&](auto&& list) {
    for (std::size_t item = 0; item < sizes.size(); ++item) list(static_cast<std::int64_t>(item));
  };
  ListByBin(bins, each, packing);
}

}  // namespace

double Packing::Utilisation() const {
  auto const room = static_cast<double>(NumBins()) * capacity;
  return room > 0.0 ? static_cast<double>(used) / room : 1.0;
}

Packing PackBins(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method) {
  Packing packing;
  packing.capacity = capacity;
  for (auto const size : sizes) {
    if (size < 1 || size > capacity) {
      Fail(ErrorKind::kInternal, "an item of size ", static_cast<int>(size), " does not fit into bins of capacity ",
           capacity, ".");
    }
    packing.used += size;
  }
  auto const decreasing = method == BinPacking::kBestFitDecreasing || method == BinPacking::kFirstFitDecreasing;
  (decreasing ? ListDecreasing : ListInOrder)(sizes, capacity, method, &packing);
  return packing;
}

}  // namespace kauri

#include "predictor/lanes/bin_packing.h"

#include <functional>
#include <queue>

#include "kauri/error.h"

namespace kauri {
namespace {

using Bins = std::vector<std::int64_t>;  ///< the bin of each item

/// Items by size, the largest first; of one size in order.
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

/// Puts each item into the bin that take(size) finds; take returns -1 where no open bin has room, and keep(bin, left)
/// gets the bin back.
template <typename Take, typename Keep>
Bins PlaceDecreasing(Span<std::uint8_t const> sizes, std::int32_t capacity, Take&& take, Keep&& keep) {
  Bins bins(sizes.size());
  std::int64_t n_bins = 0;
  for (auto const item : LargestFirst(sizes, capacity)) {
    auto const size = sizes[item];
    auto left = capacity;
    auto bin = take(size, &left);
    if (bin < 0) bin = n_bins++;
    bins[item] = bin;
    keep(bin, left - size);
  }
  return bins;
}

Bins BestFit(Span<std::uint8_t const> sizes, std::int32_t capacity) {
  std::vector<std::vector<std::int64_t>> open(ToSize(capacity) + 1);  // by what is left
  auto const take = [&](std::int32_t size, std::int32_t* left) -> std::int64_t {
    for (auto room = size; room <= capacity; ++room) {
      auto& bins = open[room];
      if (bins.empty()) continue;
      auto const bin = bins.back();
      bins.pop_back();
      *left = room;
      return bin;
    }
    return -1;
  };
  return PlaceDecreasing(sizes, capacity, take,
                         [&](std::int64_t bin, std::int32_t left) { open[left].push_back(bin); });
}

Bins FirstFit(Span<std::uint8_t const> sizes, std::int32_t capacity) {
  using Oldest = std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>;
  std::vector<Oldest> open(ToSize(capacity) + 1);  // by what is left
  auto const take = [&](std::int32_t size, std::int32_t* left) -> std::int64_t {
    std::int64_t oldest = -1;
    for (auto room = size; room <= capacity; ++room) {
      auto const& bins = open[room];
      if (bins.empty() || (oldest >= 0 && bins.top() > oldest)) continue;
      oldest = bins.top();
      *left = room;
    }
    if (oldest >= 0) open[*left].pop();
    return oldest;
  };
  return PlaceDecreasing(sizes, capacity, take, [&](std::int64_t bin, std::int32_t left) { open[left].push(bin); });
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

Bins Place(Span<std::uint8_t const> sizes, std::int32_t capacity, BinPacking method) {
  switch (method) {
    case BinPacking::kBestFitDecreasing:
      return BestFit(sizes, capacity);
    case BinPacking::kFirstFitDecreasing:
      return FirstFit(sizes, capacity);
    case BinPacking::kNextFit:
      return NextFit(sizes, capacity);
    case BinPacking::kNone:
      break;
  }
  return OneEach(sizes);
}

/// Items by bin; of one bin in order.
void OrderByBin(Bins const& bins, Packing* packing) {
  std::int64_t n_bins = 0;
  for (auto const bin : bins) n_bins = bin < n_bins ? n_bins : bin + 1;
  auto& begin = packing->bin_begin;
  begin.assign(ToSize(n_bins) + 1, 0);
  for (auto const bin : bins) ++begin[bin + 1];
  for (std::size_t bin = 0; bin < ToSize(n_bins); ++bin) begin[bin + 1] += begin[bin];
  auto next = begin;
  packing->items.resize(bins.size());
  for (std::size_t item = 0; item < bins.size(); ++item) {
    packing->items[next[bins[item]]++] = static_cast<std::int64_t>(item);
  }
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
      Fail(ErrorKind::kInternal, "an item of size ", static_cast<int>(size), " for bins of ", capacity, ".");
    }
    packing.used += size;
  }
  OrderByBin(Place(sizes, capacity, method), &packing);
  return packing;
}

}  // namespace kauri

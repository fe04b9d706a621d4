#include "data/label_classes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "common/threads/parallel_for.h"
#include "data/arrays/array_dispatch.h"

namespace kauri {
namespace {

constexpr std::int64_t kLabelsPerBlock = 1 << 16;

/// A hash table of numbers with open addressing, at most half full.
class ClassTable {
 public:
  ClassTable() { codes_.fill(kEmpty); }

  /// Returns the code of a value, kEmpty if it is not in the table.
  std::int32_t Find(double value) const {
    for (auto slot = SlotOf(value);; slot = (slot + 1) % kSlots) {
      if (codes_[slot] == kEmpty || values_[slot] == value) return codes_[slot];
    }
  }
  void Insert(double value, std::int32_t code) {
    auto slot = SlotOf(value);
    while (codes_[slot] != kEmpty) slot = (slot + 1) % kSlots;
    values_[slot] = value;
    codes_[slot] = code;
  }

  static constexpr std::int32_t kEmpty = -1;

 private:
  static constexpr std::size_t kSlots = 2 * std::size_t{kMostFoundClasses};

  static std::size_t SlotOf(double value) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
    constexpr unsigned kShift = 64U - 11U;  // leaves the bits of a slot
    static_assert(kSlots == std::size_t{1} << (64U - kShift));
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return static_cast<std::size_t>(bits * kGolden >> kShift);
  }

  std::array<double, kSlots> values_{};
  std::array<std::int32_t, kSlots> codes_{};
};

/// Returns whether float64 represents the label and its neighbours.
template <typename T>
bool IsClassNumber(double value) {
  constexpr double kMostExact = 0x1p53;
  return std::is_integral_v<T> ? std::fabs(value) < kMostExact : std::isfinite(value);
}

/// Calls fn(index, value) for the labels of a block until it returns false; returns whether it never did.
template <typename T, typename Fn>
bool ForLabels(ArrayView const& labels, std::int64_t begin, std::int64_t end, Fn&& fn) {
  auto const* address = static_cast<char const*>(labels.data) + begin * labels.strides[0];
  for (auto i = begin; i < end; ++i, address += labels.strides[0]) {
    auto const value = static_cast<double>(LoadElement<T>(address)) + 0.0;  // makes 0 of -0
    if (!IsClassNumber<T>(value) || !fn(i, value)) return false;
  }
  return true;
}

/// Returns the distinct values of a block, at most max_classes; false for labels that FindClasses does not take.
template <typename T>
bool ValuesOfBlock(ArrayView const& labels, std::int64_t begin, std::int64_t end, std::uint32_t max_classes,
                   std::vector<double>* values) {
  ClassTable seen;
  return ForLabels<T>(labels, begin, end, [&](std::int64_t, double value) {
    if (seen.Find(value) != ClassTable::kEmpty) return true;
    if (values->size() == max_classes) return false;
    seen.Insert(value, 0);
    values->push_back(value);
    return true;
  });
}

/// Returns the distinct values of all labels, ascending; empty as FindClasses says.
template <typename T>
std::vector<double> DistinctLabels(Context const& ctx, ArrayView const& labels, std::uint32_t max_classes) {
  auto const n = labels.shape[0];
  std::vector<std::vector<double>> of_block(NumBlocks(n, kLabelsPerBlock));
  std::atomic<bool> is_known{true};
  ParallelForBlocks(ctx, n, kLabelsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    if (is_known.load(std::memory_order_relaxed) &&
        !ValuesOfBlock<T>(labels, begin, end, max_classes, &of_block[block])) {
      is_known = false;
    }
  });
  if (!is_known) return {};
  std::vector<double> values;
  for (auto const& more : of_block) {
    values.insert(values.end(), more.begin(), more.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > max_classes) return {};
  }
  return values;
}

template <typename T>
std::vector<double> FindClassesOf(Context const& ctx, ArrayView const& labels, std::uint32_t max_classes,
                                  Span<float> codes) {
  auto classes = DistinctLabels<T>(ctx, labels, max_classes);
  if (classes.empty()) return classes;
  ClassTable table;
  for (std::size_t code = 0; code < classes.size(); ++code)
    table.Insert(classes[code], static_cast<std::int32_t>(code));
  ParallelForBlocks(ctx, labels.shape[0], kLabelsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    ForLabels<T>(labels, begin, end, [&](std::int64_t i, double value) {
      codes[i] = static_cast<float>(table.Find(value));
      return true;
    });
  });
  return classes;
}

}  // namespace

std::vector<double> FindClasses(Context const& ctx, ArrayView const& labels, std::uint32_t max_classes,
                                Span<float> codes) {
  auto const most = std::min(max_classes, kMostFoundClasses);
  return DispatchDType(labels.dtype, [&](auto tag) { return FindClassesOf<decltype(tag)>(ctx, labels, most, codes); });
}

}  // namespace kauri

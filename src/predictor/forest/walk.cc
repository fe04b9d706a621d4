#include "predictor/forest/walk.h"

#include <algorithm>
#include <vector>

namespace kauri {
namespace {

/// Floats of the buffer that rows are copied to before the values of slots are extracted. Rows wider than this are
/// copied one at a time.
constexpr std::int64_t kScratchFloats = 1 << 16;

/// Destination of keys and its layout.
struct KeyTarget {
  std::int32_t* keys;
  std::int64_t n_slots;
  std::int64_t lanes;
};

/// Stores the keys of rows. values: [n_rows, stride]; columns: [n_slots], or nullptr if slots and columns are the same.
/// `first` is the position of the first row in the tile.
void StoreKeys(float const* values, std::int64_t stride, std::uint32_t const* columns, std::int64_t first,
               std::int64_t n_rows, KeyTarget const& target) {
  for (auto row = first; row < first + n_rows; ++row, values += stride) {
    auto* keys = target.keys + row / target.lanes * target.lanes * target.n_slots + row % target.lanes;
    if (columns == nullptr) {
      for (std::int64_t slot = 0; slot < target.n_slots; ++slot) keys[slot * target.lanes] = KeyOf(values[slot]);
    } else {
      for (std::int64_t slot = 0; slot < target.n_slots; ++slot)
        keys[slot * target.lanes] = KeyOf(values[columns[slot]]);
    }
  }
}

}  // namespace

void ReadKeys(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, std::int64_t lanes,
              std::int32_t* keys) {
  KeyTarget const target{keys, forest.NumSlots(), lanes};
  auto const n_used_cols = static_cast<std::int64_t>(forest.slot_of_feature.size());
  if (target.n_slots == 0) return;
  auto const* columns = target.n_slots == n_used_cols ? nullptr : forest.feature_of_slot.data();
  if (auto const* dense = rows.DenseRows(); dense != nullptr && n_used_cols <= rows.NumCols()) {
    StoreKeys(dense + begin * rows.NumCols(), rows.NumCols(), columns, 0, end - begin, target);
    return;
  }
  auto const chunk = std::min(end - begin, std::max<std::int64_t>(1, kScratchFloats / n_used_cols));
  std::vector<float> scratch(chunk * n_used_cols);
  for (auto row = begin; row < end; row += chunk) {
    auto const last = std::min(end, row + chunk);
    if (rows.CopyFeatures(row, last, forest.slot_of_feature, target.n_slots, scratch.data())) {
      StoreKeys(scratch.data(), target.n_slots, nullptr, row - begin, last - row, target);
    } else {
      rows.CopyRows(row, last, n_used_cols, scratch.data());
      StoreKeys(scratch.data(), n_used_cols, columns, row - begin, last - row, target);
    }
  }
}

}  // namespace kauri

#include "data/bins/bin_view.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "data/bins/bin_layout.h"

namespace kauri {
namespace {

constexpr float kMissingValue = std::numeric_limits<float>::quiet_NaN();

/// Returns the value of each cell, [n_cells]: NaN for cells of missing values and for cells without a code.
std::vector<float> ValuesOfCells(BinMatrix const& layout) {
  std::vector<float> values(layout.NumCells(), kMissingValue);
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(layout.NumCols()); ++feature) {
    auto* const cells = values.data() + layout.FeatureBegin()[feature];
    for (std::uint32_t bin = 0; bin < layout.NumBins(feature); ++bin) {
      cells[bin] = ValueOfBin(layout.Cuts(), feature, bin);
    }
  }
  return values;
}

/// The tables that decode rows.
struct BinTable {
  explicit BinTable(BinMatrix const& bins) : layout(bins), values(ValuesOfCells(bins)) {
    if (!layout.IsDense()) features = FeaturesOfCells(layout.FeatureBegin());
  }

  BinMatrix const& layout;
  std::vector<float> values;
  std::vector<std::uint32_t> features;  ///< sparse data only
};

/// A view of a store. It does not request the codes, which may be on a device, before rows are read.
class BinView : public DataView {
 public:
  explicit BinView(BinStore const& store) : store_(store) {}
  std::int64_t NumRows() const override { return store_.NumRows(); }
  std::int64_t NumCols() const override { return store_.Cuts().NumCols(); }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    std::vector<std::int32_t> slots(NumCols());
    for (std::size_t feature = 0; feature < slots.size(); ++feature) {
      auto const slot = static_cast<std::int64_t>(feature);
      slots[feature] = slot < n_cols ? static_cast<std::int32_t>(slot) : -1;
    }
    CopyFeatures(begin, end, slots, n_cols, tile);
  }

  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override {
    auto const& layout = Table().layout;
    if (!layout.IsDense()) {
      std::fill(tile, tile + (end - begin) * n_slots, kMissingValue);
      CopyEntries(begin, end, slot_of_feature, n_slots, tile);
    } else if (layout.HasByteCodes()) {
      CopyCodes(layout.Bytes(), begin, end, slot_of_feature, n_slots, tile);
    } else {
      CopyCodes(layout.Words(), begin, end, slot_of_feature, n_slots, tile);
    }
    return true;
  }

 private:
  using Slots = Span<std::int32_t const>;

  BinTable const& Table() const {
    std::call_once(is_made_, [this] { table_ = std::make_unique<BinTable>(store_.Layout()); });
    return *table_;
  }

  template <typename Code>
  void CopyCodes(BinCodes<Code> const& codes, std::int64_t begin, std::int64_t end, Slots slots, std::int64_t n_slots,
                 float* tile) const {
    std::vector<Code> read;
    auto const* of_row = codes.rows.data() + begin * codes.row_stride;
    if (store_.IsInFile()) {
      read.resize((end - begin) * codes.row_stride);
      store_.ReadCodes(begin, {reinterpret_cast<char*>(read.data()), read.size() * sizeof(Code)});
      of_row = read.data();
    }
    auto const wanted = WantedColumns(slots);
    // A slot without a column is missing in all rows.
    if (static_cast<std::int64_t>(wanted.size()) < n_slots) {
      std::fill(tile, tile + (end - begin) * n_slots, kMissingValue);
    }
    for (auto row = begin; row < end; ++row, tile += n_slots, of_row += codes.row_stride) {
      for (auto const& column : wanted) tile[column.slot] = column.values[of_row[column.feature]];
    }
  }

  /// A column to read: its slot in the output, and the values of its codes.
  struct Wanted {
    float const* values;
    std::uint32_t feature;
    std::int32_t slot;
  };

  std::vector<Wanted> WantedColumns(Slots slots) const {
    auto const& table = Table();
    std::vector<Wanted> wanted;
    for (std::size_t feature = 0; feature < std::min(slots.size(), static_cast<std::size_t>(NumCols())); ++feature) {
      if (slots[feature] < 0) continue;
      auto const* values = table.values.data() + table.layout.FeatureBegin()[feature];
      wanted.push_back({values, static_cast<std::uint32_t>(feature), slots[feature]});
    }
    return wanted;
  }

  void CopyEntries(std::int64_t begin, std::int64_t end, Slots slots, std::int64_t n_slots, float* tile) const {
    auto const& table = Table();
    std::vector<std::int64_t> read_ptr;
    std::vector<std::uint32_t> read_cells;
    auto const* row_ptr = table.layout.Entries().row_ptr.data() + begin;
    auto const* cells = table.layout.Entries().cells.data();
    std::int64_t first = 0;  // the index of the entry cells[0]
    if (store_.IsInFile()) {
      read_ptr.resize(static_cast<std::size_t>(end - begin) + 1);
      store_.ReadRowPtr(begin, read_ptr);
      read_cells.resize(read_ptr.back() - read_ptr.front());
      store_.ReadCodes(read_ptr.front(),
                       {reinterpret_cast<char*>(read_cells.data()), read_cells.size() * sizeof(read_cells[0])});
      row_ptr = read_ptr.data();
      cells = read_cells.data();
      first = read_ptr.front();
    }
    for (std::int64_t row = 0; row < end - begin; ++row, tile += n_slots) {
      for (auto entry = row_ptr[row]; entry < row_ptr[row + 1]; ++entry) {
        auto const cell = cells[entry - first];
        auto const feature = table.features[cell];
        if (feature < slots.size() && slots[feature] >= 0) tile[slots[feature]] = table.values[cell];
      }
    }
  }

  BinStore const& store_;
  mutable std::once_flag is_made_;
  mutable std::unique_ptr<BinTable const> table_;
};

}  // namespace

float ValueOfBin(QuantileCuts const& cuts, std::size_t feature, std::uint32_t bin) {
  if (bin > 0) return cuts.Of(feature)[bin - 1];
  return cuts.IsCategorical(feature) ? static_cast<float>(cuts.categories[feature][0]) : cuts.first_values[feature];
}

std::unique_ptr<DataView> MakeBinView(BinStore const& store) { return std::make_unique<BinView>(store); }

}  // namespace kauri

#include "data/bins/bin_store.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/bins/bin_layout.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kPointerBytes = sizeof(std::int64_t);
constexpr std::int64_t kCellBytes = sizeof(std::uint32_t);

Span<char> BytesOf(Span<std::int64_t> values) {
  return {reinterpret_cast<char*>(values.data()), values.size() * sizeof(values[0])};
}

/// Copies chosen rows of dense codes, in the order of `rows`.
void CopyCodes(Context const& ctx, BinMatrix const& from, Span<std::int32_t const> rows, BinMatrix* to) {
  constexpr std::int64_t kRowsPerBlock = 1 << 12;
  auto const row_bytes = from.CodeBytesOfRow();
  auto const* codes = from.HasByteCodes() ? reinterpret_cast<char const*>(from.Bytes().rows.data())
                                          : reinterpret_cast<char const*>(from.Words().rows.data());
  auto* out = to->MutableCodes().data();
  ParallelForBlocks(ctx, static_cast<std::int64_t>(rows.size()), kRowsPerBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto i = begin; i < end; ++i) {
                        auto const row = std::int64_t{rows[i]};
                        std::copy_n(codes + row * row_bytes, row_bytes, out + i * row_bytes);
                      }
                    });
}

/// Copies chosen rows of sparse entries. Renumbers the cells, because bundles leave gaps between the cells of features.
void CopyEntries(BinMatrix const& matrix, Span<std::int32_t const> rows, BinMatrix* to) {
  auto const& from = matrix.Entries();
  auto const feature_of = FeaturesOfCells(matrix.FeatureBegin());
  std::int64_t n_entries = 0;
  for (auto const row : rows) {
    n_entries += from.row_ptr[row + 1] - from.row_ptr[row];
  }
  to->Resize(static_cast<std::int64_t>(rows.size()), n_entries);
  auto* cells = reinterpret_cast<std::uint32_t*>(to->MutableCodes().data());
  auto row_ptr = to->MutableRowPtr();
  row_ptr[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const begin = from.row_ptr[rows[i]];
    auto const end = from.row_ptr[(rows[i]) + 1];
    std::transform(from.cells.begin() + begin, from.cells.begin() + end, cells + row_ptr[i], [&](std::uint32_t cell) {
      auto const feature = feature_of[cell];
      return cell - matrix.FeatureBegin()[feature] + to->FeatureBegin()[feature];
    });
    row_ptr[i + 1] = row_ptr[i] + end - begin;
  }
}

}  // namespace

BinStore::BinStore(std::shared_ptr<BinMatrix const> bins, int max_bin) : layout_(std::move(bins)), max_bin_(max_bin) {}

BinStore::BinStore(BinMatrix layout, BinFile file, int max_bin)
    : layout_(std::make_shared<BinMatrix const>(std::move(layout))), file_(std::move(file)), max_bin_(max_bin) {}

BinStore::BinStore(QuantileCuts cuts, BinsOnDevice on_device, int max_bin)
    : on_device_(std::move(on_device)), max_bin_(max_bin) {
  auto without_rows = on_device_.shape;
  without_rows.n_rows = 0;
  without_rows.by_column = false;
  layout_ = std::make_shared<BinMatrix const>(Context{}, std::move(cuts), without_rows);
}

std::shared_ptr<BinMatrix const> BinStore::InMemory() const {
  if (IsInFile()) return nullptr;
  if (on_device_.codes == nullptr) return layout_;
  std::call_once(is_fetched_, [&] {
    Context ctx;
    ctx.threads = on_device_.threads;
    auto bins = std::make_shared<BinMatrix>(ctx, Cuts(), on_device_.shape);
    on_device_.codes->CopyTo(bins.get());
    bins->FinishCodes(ctx);
    fetched_ = std::move(bins);
  });
  return fetched_;
}

std::int64_t BinStore::NumRows() const {
  if (IsInFile()) return file_.n_rows;
  return on_device_.codes == nullptr ? layout_->NumRows() : on_device_.shape.n_rows;
}

std::unique_ptr<DataView> BinStore::View() const { return MakeBinView(*this); }

std::string BinStore::Describe() const {
  return IsInFile() ? "in external memory, as bins" : "a QuantileDMatrix, which keeps bins";
}

std::vector<std::int64_t> BinStore::PlanPages(std::int64_t max_bytes, std::int64_t* largest) const {
  std::vector<std::int64_t> starts{0};
  auto const n_rows = NumRows();
  if (layout_->IsDense()) {
    auto const rows = std::max<std::int64_t>(1, max_bytes / std::max<std::int64_t>(1, layout_->CodeBytesOfRow()));
    *largest = std::min(rows, n_rows) * layout_->CodeBytesOfRow();
    while (starts.back() < n_rows) starts.push_back(starts.back() + std::min(rows, n_rows - starts.back()));
    return starts;
  }
  constexpr std::int64_t kRowsAtOnce = 1 << 14;
  std::vector<std::int64_t> row_ptr;
  std::int64_t page_bytes = 0;
  *largest = 0;
  for (std::int64_t begin = 0; begin < n_rows; begin += kRowsAtOnce) {
    auto const end = std::min(n_rows, begin + kRowsAtOnce);
    row_ptr.resize(static_cast<std::size_t>(end - begin) + 1);
    ReadRowPtr(begin, row_ptr);
    for (auto row = begin; row < end; ++row) {
      auto const at = static_cast<std::size_t>(row - begin);
      auto const row_bytes = kPointerBytes + (row_ptr[at + 1] - row_ptr[at]) * kCellBytes;
      if (page_bytes + row_bytes > max_bytes && row > starts.back()) {
        starts.push_back(row);
        page_bytes = 0;
      }
      page_bytes += row_bytes;
      *largest = std::max(*largest, page_bytes);
    }
  }
  if (n_rows > 0) starts.push_back(n_rows);
  return starts;
}

void BinStore::ReadPage(std::int64_t begin, std::int64_t end, BinMatrix* page) const {
  if (layout_->IsDense()) {
    page->Resize(end - begin, 0);
    ReadCodes(begin, page->MutableCodes());
    return;
  }
  std::int64_t first = 0;
  std::int64_t last = 0;
  ReadRowPtr(begin, {&first, 1});
  ReadRowPtr(end, {&last, 1});
  page->Resize(end - begin, last - first);
  auto const row_ptr = page->MutableRowPtr();
  ReadRowPtr(begin, row_ptr);
  for (auto& pointer : row_ptr) pointer -= first;
  ReadCodes(first, page->MutableCodes());
}

void BinStore::ReadCodes(std::int64_t first, Span<char> codes) const {
  auto const offset =
      layout_->IsDense() ? first * layout_->CodeBytesOfRow() : (file_.n_rows + 1) * kPointerBytes + first * kCellBytes;
  file_.file->Read(offset, codes);
}

void BinStore::ReadRowPtr(std::int64_t first, Span<std::int64_t> row_ptr) const {
  file_.file->Read(first * kPointerBytes, BytesOf(row_ptr));
}

std::shared_ptr<BinStore const> BinsOf(DataMatrix const& data) {
  return std::dynamic_pointer_cast<BinStore const>(data.Store());
}

std::shared_ptr<BinMatrix const> LoadBins(Context const& ctx, BinStore const& store, MemoryBudget const& budget) {
  std::int64_t bytes = 0;
  store.PlanPages(MemoryBudget::kNoLimit, &bytes);
  budget.Require(2 * bytes, "the bins of all rows, by rows and by columns,");
  auto shape = store.Layout().Shape();
  shape.n_rows = store.NumRows();
  shape.by_column = true;
  auto bins = std::make_shared<BinMatrix>(ctx, store.Layout().Cuts(), shape);
  store.ReadPage(0, store.NumRows(), bins.get());
  bins->FinishCodes(ctx);
  return bins;
}

BinMatrix MakePage(BinMatrix const& layout, std::int64_t n_rows) {
  BinShape shape = layout.Shape();
  shape.n_rows = n_rows;
  shape.by_column = false;
  return {{}, layout.Cuts(), shape};
}

std::shared_ptr<BinStore const> SliceBins(Context const& ctx, BinStore const& store, Span<std::int32_t const> rows) {
  if (store.IsInFile()) {
    Fail(ErrorKind::kData, "rows in external memory cannot be sliced; give the slices' rows to matrices of their own.");
  }
  auto const& from = store.Layout();
  auto shape = from.Shape();
  shape.n_rows = static_cast<std::int64_t>(rows.size());
  auto bins = std::make_shared<BinMatrix>(ctx, from.Cuts(), shape);
  if (from.IsDense()) {
    CopyCodes(ctx, from, rows, bins.get());
  } else {
    CopyEntries(from, rows, bins.get());
  }
  bins->FinishCodes(ctx);
  return std::make_shared<BinStore const>(std::move(bins), store.MaxBin());
}

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
      read.resize(SizeInMemory((end - begin) * codes.row_stride));
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

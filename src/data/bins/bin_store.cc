#include "data/bins/bin_store.h"

#include <algorithm>
#include <utility>

#include "common/threads/parallel_for.h"
#include "data/bins/bin_layout.h"
#include "data/bins/bin_view.h"
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

}  // namespace kauri

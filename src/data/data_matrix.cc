#include "kauri/data_matrix.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "data/arrays/value_rules.h"
#include "data/derived_data.h"
#include "data/info_memo.h"
#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 10;

std::uint64_t NextId() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

void CheckColumnCount(std::int64_t n_cols) {
  if (n_cols < 0 || n_cols > std::numeric_limits<std::int32_t>::max()) {
    Fail(ErrorKind::kData, "the data have ", n_cols, " columns; at most 2147483647 are supported.");
  }
}

/// Returns n_rows * n_cols of a matrix that is to be stored densely.
std::size_t NumCells(std::int64_t n_rows, std::int64_t n_cols) {
  std::int64_t cells = 0;
  if (__builtin_mul_overflow(n_rows, n_cols, &cells) || cells > (std::int64_t{1} << 60U)) {
    Fail(ErrorKind::kMemory, n_rows, " x ", n_cols, " values do not fit in memory.");
  }
  return static_cast<std::size_t>(cells);
}

void CheckRowPtr(CsrStorage const& csr) {
  auto const& row_ptr = csr.row_ptr;
  if (row_ptr.empty() || row_ptr.front() != 0 || !std::is_sorted(row_ptr.begin(), row_ptr.end()) ||
      static_cast<std::size_t>(row_ptr.back()) != csr.features.size() || csr.features.size() != csr.values.size()) {
    Fail(ErrorKind::kData, "CSR arrays disagree: row pointers must ascend from 0 to the number of entries; ",
         row_ptr.empty() ? -1 : row_ptr.back(), " is the last pointer, with ", csr.features.size(), " indices and ",
         csr.values.size(), " values.");
  }
}

/// Sorts the entries [begin, end) of one row by feature.
void SortRow(CsrStorage* csr, std::size_t begin, std::size_t end,
             std::vector<std::pair<std::uint32_t, float>>* scratch) {
  scratch->clear();
  for (auto i = begin; i < end; ++i) scratch->emplace_back(csr->features[i], csr->values[i]);
  std::stable_sort(scratch->begin(), scratch->end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (auto i = begin; i < end; ++i) std::tie(csr->features[i], csr->values[i]) = (*scratch)[i - begin];
}

/// Sorts a row if needed and checks its entries. Returns true if it stores a feature twice.
bool NormaliseRow(CsrStorage* csr, std::int64_t row, std::int64_t n_cols,
                  std::vector<std::pair<std::uint32_t, float>>* scratch) {
  auto const begin = static_cast<std::size_t>(csr->row_ptr[row]);
  auto const end = static_cast<std::size_t>(csr->row_ptr[row + 1]);
  auto const* features = csr->features.data();
  if (!std::is_sorted(features + begin, features + end)) SortRow(csr, begin, end, scratch);
  for (auto i = begin; i < end; ++i) {
    if (features[i] >= n_cols) {
      Fail(ErrorKind::kData, "row ", row, " has the feature index ", features[i], ", but there are ", n_cols,
           " columns.");
    }
    if (std::isinf(csr->values[i])) FailInfinite(row, features[i], csr->values[i]);
    if (std::isnan(csr->values[i])) {
      Fail(ErrorKind::kData, "row ", row, " stores NaN for feature ", features[i], "; leave missing entries out.");
    }
  }
  return std::adjacent_find(features + begin, features + end) != features + end;
}

/// Adds up the values that a row stores for the same feature.
void SumRepeated(CsrStorage* csr) {
  std::int64_t next = 0;
  std::int64_t begin = 0;
  for (std::size_t row = 0; row + 1 < csr->row_ptr.size(); ++row) {
    auto const end = csr->row_ptr[row + 1];
    for (auto entry = begin; entry < end; ++entry) {
      auto const feature = csr->features[entry];
      auto value = csr->values[entry];
      for (; entry + 1 < end && csr->features[entry + 1] == feature; ++entry) value += csr->values[entry + 1];
      if (std::isinf(value)) FailInfinite(static_cast<std::int64_t>(row), feature, value);
      csr->features[next] = feature;
      csr->values[next++] = value;
    }
    csr->row_ptr[row + 1] = next;
    begin = end;
  }
  csr->features.resize(next);
  csr->values.resize(next);
}

/// Establishes the invariants of CsrStorage.
void Normalise(Context const& ctx, std::int64_t n_cols, CsrStorage* csr) {
  std::atomic<bool> has_repeated{false};
  auto const n_rows = static_cast<std::int64_t>(csr->row_ptr.size()) - 1;
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<std::pair<std::uint32_t, float>> scratch;
    for (auto row = begin; row < end; ++row) {
      if (NormaliseRow(csr, row, n_cols, &scratch)) has_repeated = true;
    }
  });
  if (has_repeated) SumRepeated(csr);
}

}  // namespace

DataMatrix::DataMatrix()
    : id_(NextId()), derived_(std::make_shared<DerivedData>()), memo_(std::make_shared<InfoMemo>()) {}

void DataMatrix::Finish(std::int64_t n_rows, std::int64_t n_cols, std::int64_t n_entries) {
  info_.n_rows = n_rows;
  info_.n_cols = n_cols;
  n_entries_ = n_entries;
}

namespace {

struct DenseCopy {
  DenseStorage storage;
  std::int64_t n_present = 0;
};

/// Copies rows, and counts and checks their values while these are in a cache: 8 bytes of memory per value.
DenseCopy CopyDense(Context const& ctx, DataView const& view) {
  auto const n_rows = view.NumRows();
  auto const n_cols = view.NumCols();
  CheckColumnCount(n_cols);
  if (n_cols == 0 && n_rows > std::numeric_limits<std::int32_t>::max()) {  // no memory limits their number
    Fail(ErrorKind::kData, "the data have ", n_rows, " rows but no columns.");
  }
  DenseCopy copy;
  ResizeLarge(ctx, &copy.storage.values, NumCells(n_rows, n_cols));
  std::atomic<std::int64_t> n_present{0};
  ParallelForBlocks(ctx, n_cols == 0 ? 0 : n_rows, kRowsPerBlock, [&](auto begin, auto end, std::int64_t) {
    auto* const rows = copy.storage.values.data() + begin * n_cols;
    view.CopyRows(begin, end, n_cols, rows);
    n_present += CountFinite({begin, end - begin, n_cols}, rows);
  });
  copy.n_present = n_present;
  return copy;
}

}  // namespace

std::unique_ptr<DataMatrix> DataMatrix::FromView(Context const& ctx, DataView const& view) {
  std::unique_ptr<DataMatrix> matrix;
  if (auto const* sparse = dynamic_cast<SparseView const*>(&view)) {
    matrix = FromCsr(sparse->CopyCsr(ctx), view.NumCols(), ctx);
  } else {
    auto copy = CopyDense(ctx, view);
    matrix.reset(new DataMatrix());
    matrix->dense_ = std::move(copy.storage);
    matrix->Finish(view.NumRows(), view.NumCols(), copy.n_present);
  }
  matrix->info_.category_names.assign(view.Categories().begin(), view.Categories().end());
  return matrix;
}

std::unique_ptr<DataMatrix> DataMatrix::FromDense(DenseStorage storage, std::int64_t n_rows, std::int64_t n_cols,
                                                  Context const& ctx) {
  CheckColumnCount(n_cols);
  if (storage.values.size() != NumCells(n_rows, n_cols)) {
    Fail(ErrorKind::kData, "there are ", storage.values.size(), " values for ", n_rows, " rows of ", n_cols,
         " columns.");
  }
  std::unique_ptr<DataMatrix> matrix(new DataMatrix());
  matrix->dense_ = std::move(storage);
  matrix->Finish(n_rows, n_cols, CountFinite(ctx, matrix->dense_.values.data(), n_rows, n_cols));
  return matrix;
}

std::unique_ptr<DataMatrix> DataMatrix::FromCsr(CsrStorage storage, std::int64_t n_cols, Context const& ctx) {
  CheckRowPtr(storage);
  CheckColumnCount(n_cols);
  Normalise(ctx, n_cols, &storage);
  auto const n_rows = static_cast<std::int64_t>(storage.row_ptr.size()) - 1;
  auto const n_entries = storage.row_ptr.back();
  std::unique_ptr<DataMatrix> matrix(new DataMatrix());
  if (IsMostlyPresent(n_entries, n_rows, n_cols)) {
    auto& values = matrix->dense_.values;
    ResizeLarge(ctx, &values, NumCells(n_rows, n_cols));
    auto const view = MakeStorageView(storage, n_cols);
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      view->CopyRows(begin, end, n_cols, values.data() + begin * n_cols);
    });
  } else {
    matrix->csr_ = std::move(storage);
  }
  matrix->Finish(n_rows, n_cols, n_entries);
  return matrix;
}

std::unique_ptr<DataMatrix> DataMatrix::FromDevice(std::unique_ptr<DeviceStorage const> storage) {
  auto const& layout = storage->Layout();
  CheckColumnCount(layout.n_cols);
  std::unique_ptr<DataMatrix> matrix(new DataMatrix());
  matrix->Finish(layout.n_rows, layout.n_cols, layout.n_entries);
  matrix->device_ = std::move(storage);
  return matrix;
}

std::unique_ptr<DataMatrix> DataMatrix::FromStore(std::shared_ptr<RowStore const> store, std::int64_t n_rows,
                                                  std::int64_t n_cols, std::int64_t n_entries) {
  CheckColumnCount(n_cols);
  std::unique_ptr<DataMatrix> matrix(new DataMatrix());
  matrix->Finish(n_rows, n_cols, n_entries);
  matrix->store_ = std::move(store);
  return matrix;
}

void DataMatrix::FailWithoutValues(char const* what) const {
  Fail(ErrorKind::kData, what, " needs the values of the features in memory, but the data are ", store_->Describe(),
       ". Only the `hist` tree method can use it: make a DMatrix of the same rows, or train with tree_method=hist.");
}

std::unique_ptr<DataView> DataMatrix::View() const {
  auto view = store_ != nullptr    ? store_->View()
              : device_ != nullptr ? MakeDeviceView(*device_)
              : IsDense()          ? MakeRowsView(dense_.values.data(), NumRows(), NumCols())
                                   : MakeStorageView(csr_, NumCols());
  view->SetCategories(info_.category_names);
  view->SetEncoded(info_.is_encoded);
  return view;
}

}  // namespace kauri

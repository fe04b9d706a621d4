#include <algorithm>
#include <cmath>

#include "data/arrays/array_dispatch.h"
#include "data/arrays/value_rules.h"
#include "data/matrix_view.h"
#include "kauri/data_matrix.h"

namespace kauri {
namespace {

/// Rows that are converted on demand.
template <typename T>
class StridedView : public DataView {
 public:
  StridedView(ArrayView const& array, float missing) : array_(array), missing_(missing) {}
  std::int64_t NumRows() const override { return array_.shape[0]; }
  std::int64_t NumCols() const override { return array_.shape[1]; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    auto const n_shared = std::min(n_cols, NumCols());
    for (auto row = begin; row < end; ++row, tile += n_cols) {
      auto const infinite =
          ConvertValues<T>(ElementAddress(array_, row, 0), array_.strides[1], n_shared, missing_, tile);
      if (infinite) FailAtInfinite(tile, row, 1, n_shared);
      std::fill(tile + n_shared, tile + n_cols, kMissingValue);
    }
  }

 private:
  ArrayView array_;
  float missing_;
};

/// Rows that already are as the library wants them.
class RowsView : public DataView {
 public:
  RowsView(float const* values, std::int64_t n_rows, std::int64_t n_cols)
      : values_(values), n_rows_(n_rows), n_cols_(n_cols) {}
  std::int64_t NumRows() const override { return n_rows_; }
  std::int64_t NumCols() const override { return n_cols_; }
  float const* DenseRows() const override { return values_; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    auto const n_shared = std::min(n_cols, n_cols_);
    if (n_shared == n_cols && n_shared == n_cols_) {
      std::copy(values_ + begin * n_cols_, values_ + end * n_cols_, tile);
      return;
    }
    for (auto row = begin; row < end; ++row, tile += n_cols) {
      std::copy_n(values_ + row * n_cols_, n_shared, tile);
      std::fill(tile + n_shared, tile + n_cols, kMissingValue);
    }
  }

 private:
  float const* values_;
  std::int64_t n_rows_;
  std::int64_t n_cols_;
};

/// Rows in device memory, for whoever cannot read them there.
class DeviceView : public DataView {
 public:
  explicit DeviceView(DeviceStorage const& storage) : storage_(storage) {}
  std::int64_t NumRows() const override { return storage_.Layout().n_rows; }
  std::int64_t NumCols() const override { return storage_.Layout().n_cols; }
  float const* DenseRows() const override { return storage_.Host().values.data(); }
  DeviceStorage const* OnDevice() const override { return &storage_; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    RowsView(DenseRows(), NumRows(), NumCols()).CopyRows(begin, end, n_cols, tile);
  }

 private:
  DeviceStorage const& storage_;
};

}  // namespace

DenseStorage const& DeviceStorage::Host() const {
  if (!has_host_.load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (!has_host_.load(std::memory_order_relaxed)) {
      host_.values = CopyToHost();
      has_host_.store(true, std::memory_order_release);
    }
  }
  return host_;
}

std::unique_ptr<DataView> MakeDeviceView(DeviceStorage const& storage) { return std::make_unique<DeviceView>(storage); }

std::unique_ptr<DataView> MakeRowsView(float const* values, std::int64_t n_rows, std::int64_t n_cols) {
  return std::make_unique<RowsView>(values, n_rows, n_cols);
}

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, float missing, Context const& ctx) {
  auto const* values = array.dtype == DType::kF32 && std::isnan(missing) ? ContiguousData<float>(array) : nullptr;
  if (values != nullptr) {
    CountFinite(ctx, values, array.shape[0], array.shape[1]);
    return MakeRowsView(values, array.shape[0], array.shape[1]);
  }
  return DispatchDType(array.dtype, [&](auto tag) -> std::unique_ptr<DataView> {
    return std::make_unique<StridedView<decltype(tag)>>(array, missing);
  });
}

}  // namespace kauri

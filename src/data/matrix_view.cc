#include "data/matrix_view.h"

#include <algorithm>
#include <utility>

#include "data/arrays/value_rules.h"

namespace kauri {
namespace {

/// Rows that already have the library's form.
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

/// Rows in device memory, copied to the host for readers that cannot access the device. Owns the rows if `owned` is
/// given.
class DeviceView : public DataView {
 public:
  explicit DeviceView(DeviceStorage const& storage, std::unique_ptr<DeviceStorage> owned = nullptr)
      : owned_(std::move(owned)), storage_(storage) {}
  std::int64_t NumRows() const override { return storage_.Layout().n_rows; }
  std::int64_t NumCols() const override { return storage_.Layout().n_cols; }
  float const* DenseRows() const override { return storage_.Host().values.data(); }
  DeviceStorage const* OnDevice() const override { return &storage_; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    RowsView(DenseRows(), NumRows(), NumCols()).CopyRows(begin, end, n_cols, tile);
  }

 private:
  std::unique_ptr<DeviceStorage> owned_;
  DeviceStorage const& storage_;
};

/// Owned rows, which were checked when the library took them over.
class StorageView : public EntryView<StorageView> {
 public:
  StorageView(CsrStorage const& storage, std::int64_t n_cols) : storage_(storage), n_cols_(n_cols) {}
  std::int64_t NumRows() const override { return static_cast<std::int64_t>(storage_.row_ptr.size()) - 1; }
  std::int64_t NumCols() const override { return n_cols_; }
  CsrStorage CopyCsr(Context const&) const override { return storage_; }
  CsrStorage const* OwnedCsr() const override { return &storage_; }

  /// See EntryView.
  template <typename Fn>
  void ForEachEntry(std::int64_t row, Fn&& fn) const {
    auto const last = static_cast<std::size_t>(storage_.row_ptr[row + 1]);
    for (auto entry = static_cast<std::size_t>(storage_.row_ptr[row]); entry < last; ++entry) {
      fn(storage_.features[entry], storage_.values[entry]);
    }
  }

 private:
  CsrStorage const& storage_;
  std::int64_t n_cols_;
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

std::unique_ptr<DataView> MakeDeviceView(std::unique_ptr<DeviceStorage> storage) {
  auto const& rows = *storage;
  return std::make_unique<DeviceView>(rows, std::move(storage));
}

std::unique_ptr<DataView> MakeRowsView(float const* values, std::int64_t n_rows, std::int64_t n_cols) {
  return std::make_unique<RowsView>(values, n_rows, n_cols);
}

std::unique_ptr<DataView> MakeStorageView(CsrStorage const& storage, std::int64_t n_cols) {
  return std::make_unique<StorageView>(storage, n_cols);
}

}  // namespace kauri

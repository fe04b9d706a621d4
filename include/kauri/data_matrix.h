/// \file The data for training and prediction.
///
/// Vocabulary. An entry is a present value. A value is missing if it equals `missing`, is NaN, or is not stored by a
/// sparse row. Inside the library "missing" is always NaN (dense) or absent (CSR).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/uninitialised.h"

namespace kauri {

class DeviceStorage;
class DerivedData;
class InfoMemo;

/// A view of rows in any storage of the caller; not owning, cheap to copy. Predictors read features through it only.
class DataView {
 public:
  virtual ~DataView() = default;
  virtual std::int64_t NumRows() const = 0;
  virtual std::int64_t NumCols() const = 0;
  /// Writes rows [begin, end) densely to `tile`, [end - begin, n_cols] row-major, NaN where missing.
  /// Only the first `n_cols` features are written; n_cols may be smaller or larger than NumCols() (the rest is NaN).
  virtual void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const = 0;
  /// Copies chosen features only, like CopyRows: tile [end - begin, n_slots] row-major, feature f in column
  /// slot_of_feature[f], skipped if that is negative or past the end. Returns false, with nothing written, when
  /// CopyRows is equally good. A sparse view saves clearing the columns that a model never reads.
  virtual bool CopyFeatures(std::int64_t /*begin*/, std::int64_t /*end*/, Span<std::int32_t const> /*slot_of_feature*/,
                            std::int64_t /*n_slots*/, float* /*tile*/) const {
    return false;
  }
  /// Returns the rows themselves if they are contiguous float32 with NaN for missing, row-major with NumCols() per row;
  /// otherwise nullptr.
  virtual float const* DenseRows() const { return nullptr; }
  /// Returns the rows if they are in device memory, otherwise nullptr. The functions above then copy all of them to
  /// host memory, once.
  virtual DeviceStorage const* OnDevice() const { return nullptr; }

  /// Returns the category names of each column, [n_cols], or empty if categories are identified by their numbers.
  Span<CategoryNames const> Categories() const { return categories_; }
  /// Sets the category names; `names` must outlive the view.
  void SetCategories(Span<CategoryNames const> names) { categories_ = names; }
  /// Returns whether the rows are already encoded as a model's trees expect, so that no value is translated
  /// (MetaInfo::is_encoded).
  bool IsEncoded() const { return is_encoded_; }
  void SetEncoded(bool is_encoded) { is_encoded_ = is_encoded; }

 private:
  Span<CategoryNames const> categories_;
  bool is_encoded_ = false;
};

/// Creates a view of a dense array of any numeric type. \throws Error(kData) for an infinite value unless `missing` is
/// infinite: from here if DenseRows() will return the rows (one pass over the array, on the threads of `ctx`),
/// otherwise from CopyRows.
std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, float missing, Context const& ctx = Context{});
/// Creates a view of CSR arrays: indptr [n_rows + 1], indices and values [n_entries]; their bounds are checked once,
/// here. An infinite value is an error from CopyRows and CopyFeatures. Values of a cell that is stored more than once
/// are added.
std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, float missing, Context const& ctx = Context{});

/// Owned storage: one of the four kinds is used. Sparse input that fills half of the cells or more is stored densely.
struct DenseStorage {
  FloatVector values;  ///< [n_rows, n_cols], row-major, NaN = missing
};
struct CsrStorage {
  std::vector<std::int64_t> row_ptr;    ///< [n_rows + 1]
  std::vector<std::uint32_t> features;  ///< [n_entries], ascending within a row, no duplicates
  std::vector<float> values;            ///< [n_entries], never NaN
};

/// Location of the rows of a DeviceStorage; addresses are the device's.
struct DeviceLayout {
  int device = 0;  ///< ordinal
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  std::int64_t n_entries = 0;     ///< present values
  float const* values = nullptr;  ///< element (row, col) at row * row_stride + col * col_stride; NaN = missing, finite
  std::int64_t row_stride = 0;    ///< in floats
  std::int64_t col_stride = 1;
};
/// Dense rows in device memory, made by a plug-in (kauri/device_memory.h). Immutable, safe to read from many threads.
class DeviceStorage {
 public:
  explicit DeviceStorage(DeviceLayout const& layout) : layout_(layout) {}
  virtual ~DeviceStorage() = default;
  DeviceStorage(DeviceStorage const&) = delete;
  DeviceStorage& operator=(DeviceStorage const&) = delete;
  DeviceLayout const& Layout() const { return layout_; }
  /// Returns the rows in host memory; the first call copies them.
  DenseStorage const& Host() const;

 private:
  virtual FloatVector CopyToHost() const = 0;

  DeviceLayout layout_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> has_host_{false};
  mutable DenseStorage host_;
};

/// Creates a view of rows in device memory; `storage` must outlive it.
std::unique_ptr<DataView> MakeDeviceView(DeviceStorage const& storage);
/// Creates a view that owns its storage.
std::unique_ptr<DataView> MakeDeviceView(std::unique_ptr<DeviceStorage> storage);

/// Rows that are not stored as values in memory, but as bins or in a file. Immutable, safe to read from many threads.
class RowStore {
 public:
  RowStore() = default;
  virtual ~RowStore() = default;
  RowStore(RowStore const&) = delete;
  RowStore& operator=(RowStore const&) = delete;
  /// Returns the rows as predictions see them: their values, or representatives of them. Valid while the store lives.
  virtual std::unique_ptr<DataView> View() const = 0;
  /// Returns its description in messages, which says why its values are not available: "a QuantileDMatrix, which keeps
  /// bins".
  virtual std::string Describe() const = 0;
};

/// An immutable matrix of features with its labels and weights. Shared by boosters; safe to read from many threads.
class DataMatrix {
 public:
  /// Copies `view`. \throws Error(kData) for infinite values.
  static std::unique_ptr<DataMatrix> FromView(Context const& ctx, DataView const& view);
  /// Takes over CSR arrays. Rows may be unsorted; values of a cell that is stored more than once are added. \throws
  /// Error(kData) when the arrays disagree, an index is out of range, or a value is NaN or infinite.
  static std::unique_ptr<DataMatrix> FromCsr(CsrStorage storage, std::int64_t n_cols, Context const& ctx = Context{});
  /// Takes over dense rows. \throws Error(kData) when the size is not n_rows * n_cols, or for an infinite value.
  static std::unique_ptr<DataMatrix> FromDense(DenseStorage storage, std::int64_t n_rows, std::int64_t n_cols,
                                               Context const& ctx = Context{});
  /// Takes over rows in device memory; they are row-major and contiguous.
  static std::unique_ptr<DataMatrix> FromDevice(std::unique_ptr<DeviceStorage const> storage);
  /// Takes over rows of a RowStore: Dense() and Csr() are errors, View() is not.
  static std::unique_ptr<DataMatrix> FromStore(std::shared_ptr<RowStore const> store, std::int64_t n_rows,
                                               std::int64_t n_cols, std::int64_t n_entries);

  std::int64_t NumRows() const { return info_.n_rows; }
  std::int64_t NumCols() const { return info_.n_cols; }
  std::int64_t NumEntries() const { return n_entries_; }  ///< present values
  bool IsDense() const { return csr_.row_ptr.empty(); }
  bool HasMissing() const { return n_entries_ < NumRows() * NumCols(); }
  /// Returns the dense rows. Rows in device memory are copied by the first call. \throws Error(kData) when the values
  /// are not stored (Store()).
  DenseStorage const& Dense() const {
    if (store_ != nullptr) FailWithoutValues("this");
    return device_ == nullptr ? dense_ : device_->Host();
  }
  /// Returns the rows if they are in device memory (IsDense() holds), otherwise nullptr.
  DeviceStorage const* OnDevice() const { return device_.get(); }
  /// Returns the sparse rows. \throws Error(kData) as Dense() does.
  CsrStorage const& Csr() const {
    if (store_ != nullptr) FailWithoutValues("this");
    return csr_;
  }
  /// Returns the store of the rows if they are not stored as values in memory, otherwise nullptr.
  std::shared_ptr<RowStore const> const& Store() const { return store_; }
  /// \throws Error(kData), which says that `what` needs values in memory, if the matrix has a Store().
  void RequireValues(char const* what) const {
    if (store_ != nullptr) FailWithoutValues(what);
  }
  MetaInfo const& Info() const { return info_; }
  /// Returns the info for setters of labels, weights and other fields (data/meta_info.h); features never change. Counts
  /// as a change of the info.
  MetaInfo* MutableInfo() {
    ++info_revision_;
    return &info_;
  }
  /// Returns a number that grows with every MutableInfo. Data derived from an older revision are stale.
  std::uint64_t InfoRevision() const { return info_revision_; }
  /// Returns the data that were derived from the rows and are kept for the next training (data/derived_data.h).
  /// Thread-safe.
  DerivedData& Derived() const { return *derived_; }
  /// Returns the facts about the info that are kept for the next training (data/info_memo.h). Thread-safe.
  InfoMemo& Memo() const { return *memo_; }
  /// Creates a view of this matrix, valid while the matrix lives.
  std::unique_ptr<DataView> View() const;
  /// Returns a number that is unique in this process; caches use it as a key.
  std::uint64_t Id() const { return id_; }

  DataMatrix(DataMatrix const&) = delete;
  DataMatrix& operator=(DataMatrix const&) = delete;

 private:
  DataMatrix();
  void Finish(std::int64_t n_rows, std::int64_t n_cols, std::int64_t n_entries);
  [[noreturn]] void FailWithoutValues(char const* what) const;

  std::uint64_t id_;
  std::uint64_t info_revision_ = 0;
  MetaInfo info_;
  DenseStorage dense_;
  CsrStorage csr_;
  std::unique_ptr<DeviceStorage const> device_;
  std::shared_ptr<RowStore const> store_;
  std::int64_t n_entries_ = 0;
  std::shared_ptr<DerivedData> derived_;
  std::shared_ptr<InfoMemo> memo_;
};

}  // namespace kauri

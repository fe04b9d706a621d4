/// \file The training data as small integers in device memory: data/bins/bin_matrix.h, laid out for kernels.
///
/// Vocabulary, in addition to bin_matrix.h. A code column has one code (bin index) for each row: the codes of a
/// feature, or of a bundle of features (data/bins/feature_bundles.h). A group is up to 32 code columns whose codes of
/// one row lie side by side in `width` bytes, at most a sector of device memory. Gathering a row by its number moves no
/// more bytes than streaming it, so codes are never reordered.
///
/// Codes take one of three forms, like the host's: bytes in groups, words of two bytes row by row, or the cells of the
/// entries of sparse rows. A cell is a bin, numbered column by column without gaps. A histogram for bytes has the sums
/// of one code of all columns of a group side by side, like shared memory while rows are added
/// (histogram/shared_sums.cuh), with room for the largest number of codes of a column. Other histograms are in the
/// order of cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "data/bins/bin_matrix.h"
#include "data/sketch/quantile_sketch.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

enum class CodePlace { kDevice, kHost };

/// Owns uninitialised codes. Kernels and copies can use the addresses of both kinds.
template <typename T>
class CodeArray {
 public:
  CodeArray() = default;
  /// \throws Error(kMemory).
  CodeArray(CudaContext const& cuda, std::size_t size, CodePlace place) : size_(size) {
    if (place == CodePlace::kHost) {
      on_host_.Reserve(size);
    } else {
      on_device_ = Buffer<T>(cuda, size);
    }
  }

  /// Refers to somebody else's codes, which must outlive the array.
  static CodeArray Borrowed(T* data, std::size_t size) {
    CodeArray memory;
    memory.size_ = size;
    memory.borrowed_ = data;
    return memory;
  }

  T* data() const {
    if (borrowed_ != nullptr) return borrowed_;
    return on_host_.size() != 0 ? on_host_.data() : on_device_.data();
  }
  std::size_t size() const { return size_; }
  /// Returns whether it owns memory of a device.
  bool IsOnDevice() const { return on_device_.size() != 0; }

 private:
  std::size_t size_ = 0;
  Buffer<T> on_device_;
  PinnedBuffer<T> on_host_;
  T* borrowed_ = nullptr;
};

enum class CodeForm { kBytes, kWords, kCells };

/// Places of the codes and cells of a feature.
struct FeatureCodes {
  std::uint32_t column;      ///< index of its code column
  std::uint32_t first_code;  ///< its code 0 in that column; may be above 0 in bundles
  std::uint32_t n_bins;      ///< number of codes, excluding the code of missing values
  std::uint32_t n_codes;     ///< one more than n_bins if dense rows have missing values
  /// Most frequent bin, for dense rows in a bundle: code of rows whose stored code is another feature's; or
  /// kNoMostFrequent.
  std::uint32_t most_frequent;
  std::uint32_t first_cell;
  std::uint32_t first_cut;       ///< index among the values of the cuts
  std::uint32_t may_miss;        ///< 1: values may be missing
  std::uint32_t first_sum = 0;   ///< first sum of its codes in the histogram of a node
  std::uint32_t sum_stride = 1;  ///< distance between the sums of consecutive codes
};

struct SumColumn {
  std::uint32_t first_cell;
  std::uint32_t n_codes;
  std::uint32_t first_sum = 0;
  std::uint32_t sum_stride = 1;
};

/// Code columns [first_column, first_column + n_columns).
struct CodeGroup {
  std::uint32_t first_column;
  std::uint32_t n_columns;
  std::uint32_t width;    ///< bytes per row: 4, 8, 16 or 32
  std::uint32_t n_codes;  ///< maximum over its columns
  std::uint64_t offset;   ///< of its first row among the bytes, a multiple of 256
  std::uint32_t first_sum = 0;
};

/// Bins of one data set, or of one tree with tree_method=approx. Immutable once made. The state that trees grow in
/// (HistOnDevice) owns them together with whoever made them, and replaces them as a whole.
struct DeviceBins {
  std::int64_t n_rows = 0;
  std::shared_ptr<QuantileCuts const> cuts;  ///< host
  CodeForm form = CodeForm::kBytes;
  std::uint32_t n_cells = 0;
  std::uint32_t n_sums = 0;            ///< per histogram
  std::vector<FeatureCodes> features;  ///< [n_cols], host
  std::vector<SumColumn> columns;      ///< host
  std::vector<CodeGroup> groups;       ///< host; kBytes only
  Buffer<FeatureCodes> device_features;
  Buffer<SumColumn> device_columns;
  Buffer<CodeGroup> device_groups;
  Buffer<float> cut_values;                    ///< copy of the values in `cuts`
  Buffer<float> min_values;                    ///< [n_cols], copy of the minimum values in `cuts`
  std::vector<std::uint32_t> categorical;      ///< indices of the categorical features, ascending; host
  std::vector<std::uint8_t> is_categorical;    ///< [n_cols]; empty if there are no categorical features; host
  Buffer<std::uint8_t> device_is_categorical;  ///< copy of `is_categorical`
  CodeArray<std::uint8_t> bytes;               ///< group by group [n_rows, width]; kBytes
  CodeArray<std::uint16_t> words;              ///< [n_rows, n_columns]; kWords
  Buffer<std::int64_t> row_ptr;                ///< [n_rows + 1]; kCells
  CodeArray<std::uint32_t> cells;              ///< [n_entries], ascending within a row; kCells

  std::int64_t NumCols() const { return static_cast<std::int64_t>(features.size()); }
  /// Returns the size of all groups; kBytes only.
  std::uint64_t NumCodeBytes() const;
};

/// Returns which features have missing values in some of n_rows rows, [n_cols].
std::vector<std::uint8_t> WhichMiss(std::vector<FeatureCuts> const& features, std::int64_t n_rows);

/// Returns the layout of dense rows without bundles, without codes. has_missing: [n_cols], whether a feature has
/// missing values. The form is kBytes if no column has more than 256 codes.
DeviceBins LayOutDense(std::shared_ptr<QuantileCuts const> cuts, std::vector<std::uint8_t> const& has_missing,
                       std::int64_t n_rows);

/// Returns the layout for numerical columns and their cuts.
DeviceBins LayOutDense(std::vector<FeatureCuts> const& features, std::int64_t n_rows);

/// Copies the layout of dense rows to the device, and allocates their codes.
void AllocateDense(CudaContext const& cuda, DeviceBins* bins);

/// Returns the layout of host bins, including bundles, without codes.
DeviceBins LayOut(std::shared_ptr<BinMatrix const> const& bins);

/// Sets the offsets of the groups, one behind the other, for the number of rows of `bins`.
void PlaceGroupsInBytes(DeviceBins* bins);

/// Lists the categorical features, and copies the host's side of the layout to the device.
void UploadLayout(CudaContext const& cuda, DeviceBins* bins);

/// Returns the bytes that kernels' codes take in a layout of these bins.
std::size_t BytesOfCodes(BinMatrix const& from, DeviceBins const& layout);

/// Uploads host bins, including bundles. kHost: codes are copied to page-locked memory. \throws Error(kMemory) before
/// anything is allocated.
std::unique_ptr<DeviceBins> UploadBins(CudaContext const& cuda, std::shared_ptr<BinMatrix const> const& bins,
                                       CodePlace place = CodePlace::kDevice);

/// Copies the codes of dense rows without bundles into `to`, which has the same cuts and missing values and room for
/// all rows (BinMatrix::MutableCodes). Waits for them. \throws Error(kMemory).
void DownloadCodes(CudaContext const& cuda, DeviceBins const& bins, BinMatrix* to);

}  // namespace kauri::cuda

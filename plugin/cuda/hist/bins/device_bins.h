/// \file The training data as small integers in device memory: data/bins/bin_matrix.h, laid out for kernels.
///
/// Vocabulary, beyond that of bin_matrix.h. A code column has one code for each row: the codes of a feature, or of a
/// bundle of features (data/bins/feature_bundles.h). A group is up to 32 code columns whose codes of one row lie side
/// by side in `width` bytes, at most a sector of device memory: a row that is gathered by its number moves no byte more
/// than one that is streamed, so codes are never reordered.
///
/// Codes take one of three forms, as those of the host do: bytes in groups, words of two bytes row by row, or the cells
/// of the entries of sparse rows. Cells are numbered column by column without gaps. A histogram of bytes has the sums
/// of one code of all columns of a group side by side, as shared memory has them while rows are added
/// (histogram/shared_sums.cuh), with room for the most codes of a column; others are in the order of cells.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/code_array.h"
#include "data/bins/bin_matrix.h"
#include "data/sketch/quantile_sketch.h"
#include "data/sketch/sketch_cuts.h"

namespace kauri::cuda {

enum class CodeForm { kBytes, kWords, kCells };

/// Where the codes and cells of a feature are.
struct FeatureCodes {
  std::uint32_t column;      ///< its code column
  std::uint32_t first_code;  ///< its code 0 in that column: not 0 in bundles
  std::uint32_t n_bins;      ///< its codes but that of missing values
  std::uint32_t n_codes;     ///< one more where dense rows miss values
  std::uint32_t usual;       ///< in a bundle of dense rows the code of rows that have no code of it there; or kNoUsual
  std::uint32_t first_cell;
  std::uint32_t first_cut;       ///< in the values of the cuts
  std::uint32_t may_miss;        ///< 1: rows may have no value
  std::uint32_t first_sum = 0;   ///< of its codes in a histogram of the rows of a node
  std::uint32_t sum_stride = 1;  ///< from one code to the next there
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
  std::uint32_t width;    ///< bytes of a row: 4, 8, 16 or 32
  std::uint32_t n_codes;  ///< the most of a column
  std::uint64_t offset;   ///< of its first row in the bytes, a multiple of 256
  std::uint32_t first_sum = 0;
};

/// Immutable once made.
struct DeviceBins {
  std::int64_t n_rows = 0;
  std::shared_ptr<QuantileCuts const> cuts;  ///< host
  CodeForm form = CodeForm::kBytes;
  std::uint32_t n_cells = 0;
  std::uint32_t n_sums = 0;            ///< of a histogram
  std::vector<FeatureCodes> features;  ///< [n_cols], host
  std::vector<SumColumn> columns;      ///< host
  std::vector<CodeGroup> groups;       ///< host; kBytes only
  Buffer<FeatureCodes> device_features;
  Buffer<SumColumn> device_columns;
  Buffer<CodeGroup> device_groups;
  Buffer<float> cut_values;        ///< as in `cuts`
  CodeArray<std::uint8_t> bytes;   ///< group by group [n_rows, width]; kBytes
  CodeArray<std::uint16_t> words;  ///< [n_rows, n_columns]; kWords
  Buffer<std::int64_t> row_ptr;    ///< [n_rows + 1]; kCells
  CodeArray<std::uint32_t> cells;  ///< [n_entries], ascending within a row; kCells

  std::int64_t NumCols() const { return static_cast<std::int64_t>(features.size()); }
  /// Of all groups: kBytes only.
  std::uint64_t NumCodeBytes() const;
};

/// [n_cols]: which features miss a value in some of n_rows rows.
std::vector<std::uint8_t> WhichMiss(std::vector<FeatureCuts> const& features, std::int64_t n_rows);

/// The layout of dense rows whose features are no bundles, without codes. has_missing: [n_cols], which features miss a
/// value in some row. The form is kBytes where no column has more than 256 codes.
DeviceBins LayOutDense(std::shared_ptr<QuantileCuts const> cuts, std::vector<std::uint8_t> const& has_missing,
                       std::int64_t n_rows);

/// The same of columns of numbers that were cut.
DeviceBins LayOutDense(std::vector<FeatureCuts> const& features, std::int64_t n_rows);

/// Copies the layout of dense rows to the device, and makes room for their codes.
void AllocateDense(CudaContext const& cuda, DeviceBins* bins);

/// The layout of bins of the host, bundles and all, without codes.
DeviceBins LayOut(std::shared_ptr<BinMatrix const> const& bins);

/// Lays the codes of the groups, of as many rows as `bins` has, one behind the other.
void PlaceGroupsInBytes(DeviceBins* bins);

/// Copies the host's side of the layout to the device.
void UploadLayout(CudaContext const& cuda, DeviceBins* bins);

/// Bytes of the codes of a layout of these bins, where they lie for kernels.
std::size_t BytesOfCodes(BinMatrix const& from, DeviceBins const& layout);

/// Bins of the host, bundles and all. kHost: codes are copied to page-locked memory. \throws Error(kMemory) before
/// anything is allocated.
std::unique_ptr<DeviceBins> UploadBins(CudaContext const& cuda, std::shared_ptr<BinMatrix const> const& bins,
                                       CodePlace place = CodePlace::kDevice);

/// Copies the codes of dense rows, none of them bundles, into `to`, which has the same cuts and missing values and room
/// for all rows (BinMatrix::MutableCodes). Waits for them. \throws Error(kMemory).
void DownloadCodes(CudaContext const& cuda, DeviceBins const& bins, BinMatrix* to);

}  // namespace kauri::cuda

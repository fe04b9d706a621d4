/// \file Rows that are stored as bins only: in host memory (a QuantileDMatrix), in the memory of a device, or in a file
/// that is read page by page.
///
/// CodesOnDevice are codes that were made in the memory of a device and stay there.
///
/// Vocabulary. A page is a run of rows; its reader chooses the rows. A bin's lower bound represents its values: the cut
/// below the bin, or for the first bin the smallest value of the data. Trees that were grown on these bins split at
/// their cuts, so the bound takes the same branch as the value. For other trees the bound is never above the value. A
/// category represents itself.
///
/// The file holds the codes of all rows one after the other, as in BinMatrix::MutableCodes. Sparse data have their row
/// pointers, 8 bytes each, before the codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/bins/page_file.h"
#include "data/memory_budget.h"
#include "data/sketch/quantile_sketch.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// Codes of dense rows in device memory. Immutable and shared by threads.
class CodesOnDevice {
 public:
  virtual ~CodesOnDevice() = default;
  /// Writes the codes in the form of BinMatrix::MutableCodes. bins: dense, with the cuts and missing values that the
  /// codes were made with, and with room for all rows. \throws Error(kDevice).
  virtual void CopyTo(BinMatrix* bins) const = 0;
};

/// Dense rows of numbers for one device: one batch in its memory, several that come one after the other, or rows in
/// host memory. Does not own them.
struct DeviceBatches {
  using Read = std::function<void(DeviceStorage const& rows)>;

  std::int64_t n_rows = 0;  ///< number of rows of all batches
  std::int64_t n_cols = 0;
  int device = 0;
  DeviceStorage const* only = nullptr;  ///< the rows of the only batch, which stay in memory; null for several batches
  /// Calls read(rows) for each of several batches in their order; every call passes the same batches. The rows may be
  /// freed when `read` returns.
  std::function<void(Read const& read)> for_each = {};
  float const* host_rows = nullptr;  ///< [n_rows, n_cols] in host memory, NaN = missing; null for rows on the device

  static DeviceBatches Of(DeviceStorage const& rows) {
    return {rows.Layout().n_rows, rows.Layout().n_cols, rows.Layout().device, &rows};
  }
};

/// A request to a device for bins.
struct BinRequest {
  int max_bin = 256;                    ///< in [2, 65535]
  QuantileCuts const* given = nullptr;  ///< cuts of numbers, made with max_bin; null: the device cuts the values
  Span<float const> weights;            ///< [n_rows] in host memory, see CutWeights; empty: equal weights
};

/// Codes and cuts that a device makes of rows in its memory.
struct CodedRows {
  std::vector<FeatureCuts> features;  ///< [n_cols], see MakeExactCuts; without cuts if the request gave them
  /// null if the host, which supports bundles, should make the codes instead, or if values of host rows are infinite
  std::shared_ptr<CodesOnDevice const> codes;
};

/// Rows in a file.
struct BinFile {
  std::unique_ptr<PageFile const> file;
  std::int64_t n_rows = 0;
  std::int64_t n_entries = 0;  ///< sparse data only
  MemoryBudget budget;         ///< budget of training on these rows
  bool for_approx = false;     ///< true for a DMatrix: approx trains on these bins as hist does
};

/// Rows whose codes were made on a device. The first access to them on the host copies them to host memory, once.
struct BinsOnDevice {
  BinShape shape;
  std::shared_ptr<CodesOnDevice const> codes;
  int threads = 1;  ///< host threads that copy the codes
};

class BinStore : public RowStore {
 public:
  BinStore(std::shared_ptr<BinMatrix const> bins, int max_bin);
  /// `layout` provides the cuts and cells; its rows are ignored.
  BinStore(BinMatrix layout, BinFile file, int max_bin);
  BinStore(QuantileCuts cuts, BinsOnDevice on_device, int max_bin);

  std::unique_ptr<DataView> View() const override;
  std::string Describe() const override;

  QuantileCuts const& Cuts() const { return layout_->Cuts(); }
  /// Returns cuts and cells; the codes are valid only if InMemory() is not null. \throws as InMemory does.
  BinMatrix const& Layout() const { return IsInFile() ? *layout_ : *InMemory(); }
  /// Returns the matrix in host memory, or null for a file. The first call fetches the codes of a device and \throws
  /// Error(kDevice) if that fails.
  std::shared_ptr<BinMatrix const> InMemory() const;
  /// Returns the codes on the device; null for rows that exist only in host memory or in a file.
  std::shared_ptr<CodesOnDevice const> const& OnDevice() const { return on_device_.codes; }
  bool IsInFile() const { return file_.file != nullptr; }
  MemoryBudget const& Budget() const { return file_.budget; }
  bool IsForApprox() const { return file_.for_approx; }
  std::int64_t NumRows() const;
  int MaxBin() const { return max_bin_; }

  /// Plans pages of at most max_bytes in memory, each with at least one row, for data in a file. Returns the first rows
  /// of the pages, [n_pages + 1], and sets *largest to the bytes of the largest page.
  std::vector<std::int64_t> PlanPages(std::int64_t max_bytes, std::int64_t* largest) const;
  /// Fills `page`, a matrix of the same layout, with rows [begin, end), for data in a file.
  void ReadPage(std::int64_t begin, std::int64_t end, BinMatrix* page) const;
  /// Reads bytes as in BinMatrix::MutableCodes, beginning at row (dense) or entry (sparse) `first`, for data in a file.
  void ReadCodes(std::int64_t first, Span<char> codes) const;
  /// Reads the row pointers from row `first` on, for sparse data in a file.
  void ReadRowPtr(std::int64_t first, Span<std::int64_t> row_ptr) const;

 private:
  std::shared_ptr<BinMatrix const> layout_;  ///< has no rows for a file or a device
  BinFile file_;
  BinsOnDevice on_device_;
  int max_bin_;
  mutable std::once_flag is_fetched_;
  mutable std::shared_ptr<BinMatrix const> fetched_;  ///< codes that InMemory has copied from the device
};

/// Returns the store of `data` if it holds bins, otherwise nullptr.
std::shared_ptr<BinStore const> BinsOf(DataMatrix const& data);

/// Reads all rows of a store in a file into memory. \throws Error(kMemory) if they need more than `budget`; Error(kIo).
std::shared_ptr<BinMatrix const> LoadBins(Context const& ctx, BinStore const& store, MemoryBudget const& budget);

/// Returns room for n_rows rows of a page, in the layout of another matrix and without a copy by columns.
BinMatrix MakePage(BinMatrix const& layout, std::int64_t n_rows);

/// Returns the chosen rows of a matrix of bins, in the given order, in memory. \throws Error(kData) for rows in a file.
std::shared_ptr<BinStore const> SliceBins(Context const& ctx, BinStore const& store, Span<std::int32_t const> rows);

/// Returns the value that represents the values in a bin. It is never above any of them, and equals the smallest if the
/// bin is the column's first or begins at a value of the data. A categorical column returns the category itself.
float ValueOfBin(QuantileCuts const& cuts, std::size_t feature, std::uint32_t bin);

/// Returns a view whose values are the lower bounds of bins; `store` must outlive it. Each call reads rows in a file
/// anew.
std::unique_ptr<DataView> MakeBinView(BinStore const& store);

}  // namespace kauri

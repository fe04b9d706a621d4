/// \file Rows that are kept as bins only: in memory (a QuantileDMatrix), in that of a device, or in a file that is read
/// page by page.
///
/// Vocabulary. A page is a run of rows; which rows is for its reader to say. A value is stood for by the lower bound of
/// its bin: the cut below it, and in the first bin the smallest value of the data. Trees that were grown on these bins
/// split at their cuts, so that the bound goes where the value itself would go; for other trees it is never above the
/// value. A category stands for itself.
///
/// In the file the codes of all rows follow each other as BinMatrix::MutableCodes has them; sparse rows have their row
/// pointers, 8 bytes each, before.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/bins/codes_on_device.h"
#include "data/bins/page_file.h"
#include "data/memory_budget.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Rows in a file.
struct BinFile {
  std::unique_ptr<PageFile const> file;
  std::int64_t n_rows = 0;
  std::int64_t n_entries = 0;  ///< sparse data only
  MemoryBudget budget;         ///< of training on them
  bool for_approx = false;     ///< of a DMatrix, on which approx trains as hist does: with these bins
};

/// Rows whose codes were made on a device. Host memory gets them when somebody asks for them there, once.
struct BinsOnDevice {
  BinShape shape;
  std::shared_ptr<CodesOnDevice const> codes;
  int threads = 1;  ///< of the host, to take them over
};

class BinStore : public RowStore {
 public:
  BinStore(std::shared_ptr<BinMatrix const> bins, int max_bin);
  /// `layout` has cuts and cells; its rows do not count.
  BinStore(BinMatrix layout, BinFile file, int max_bin);
  BinStore(QuantileCuts cuts, BinsOnDevice on_device, int max_bin);

  std::unique_ptr<DataView> View() const override;
  std::string Describe() const override;

  QuantileCuts const& Cuts() const { return layout_->Cuts(); }
  /// Cuts and cells; codes only where InMemory(). \throws as that does.
  BinMatrix const& Layout() const { return IsInFile() ? *layout_ : *InMemory(); }
  /// Null for a file. The first call fetches the codes of a device. \throws Error(kDevice) then.
  std::shared_ptr<BinMatrix const> InMemory() const;
  /// Null for rows that are nowhere else than in host memory or in a file.
  std::shared_ptr<CodesOnDevice const> const& OnDevice() const { return on_device_.codes; }
  bool IsInFile() const { return file_.file != nullptr; }
  MemoryBudget const& Budget() const { return file_.budget; }
  bool IsForApprox() const { return file_.for_approx; }
  std::int64_t NumRows() const;
  int MaxBin() const { return max_bin_; }

  /// [n_pages + 1] first rows of pages of at most max_bytes each, in memory; a page has one row at least. In a file
  /// only. *largest: the bytes of the largest.
  std::vector<std::int64_t> PlanPages(std::int64_t max_bytes, std::int64_t* largest) const;
  /// Makes `page`, a matrix of the same layout, hold rows [begin, end). In a file only.
  void ReadPage(std::int64_t begin, std::int64_t end, BinMatrix* page) const;
  /// Reads what BinMatrix::MutableCodes has, from a row (dense) or an entry (sparse) on. In a file only.
  void ReadCodes(std::int64_t first, Span<char> codes) const;
  /// Reads the row pointers from row `first` on; sparse data in a file only.
  void ReadRowPtr(std::int64_t first, Span<std::int64_t> row_ptr) const;

 private:
  std::shared_ptr<BinMatrix const> layout_;  ///< for a file and a device without rows
  BinFile file_;
  BinsOnDevice on_device_;
  int max_bin_;
  mutable std::once_flag is_fetched_;
  mutable std::shared_ptr<BinMatrix const> fetched_;  ///< what InMemory took over from the device
};

/// The store of `data` when it holds bins, otherwise nullptr.
std::shared_ptr<BinStore const> BinsOf(DataMatrix const& data);

/// All rows of a store in a file, in memory. \throws Error(kMemory) when they are more than `budget`; Error(kIo).
std::shared_ptr<BinMatrix const> LoadBins(Context const& ctx, BinStore const& store, MemoryBudget const& budget);

/// Codes of rows without their columns, for pages: room for n_rows rows in the layout of another matrix.
BinMatrix MakePage(BinMatrix const& layout, std::int64_t n_rows);

/// Some rows of a matrix of bins, in that order, in memory. \throws Error(kData) for rows in a file.
std::shared_ptr<BinStore const> SliceBins(Context const& ctx, BinStore const& store, Span<std::int32_t const> rows);

}  // namespace kauri

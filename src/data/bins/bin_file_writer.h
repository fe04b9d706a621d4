/// \file Writing the codes of rows to a file, part by part.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/bins/bin_store_maker.h"

namespace kauri {

class BinFileWriter {
 public:
  /// n_rows, n_entries: expected totals, for which file space is reserved. \throws Error(kIo).
  BinFileWriter(BinMatrix layout, std::int64_t n_rows, std::int64_t n_entries, std::string const& prefix);
  /// Writes the next rows. \throws Error(kData) for more rows or entries than announced; Error(kIo).
  void Write(Context const& ctx, DataMatrix const& part);
  /// Returns the store of the rows written. \throws Error(kData) for fewer rows or entries than announced.
  std::shared_ptr<BinStore const> Finish(BinStoreOptions const& options, int max_bin);

 private:
  void WriteEntries(BinMatrix* page);

  BinMatrix layout_;
  std::int64_t n_rows_;
  std::int64_t n_entries_;
  std::unique_ptr<PageFile const> file_;
  std::int64_t rows_written_ = 0;
  std::int64_t entries_written_ = 0;
};

}  // namespace kauri

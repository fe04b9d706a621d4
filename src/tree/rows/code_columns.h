/// \file Bin indices of one feature, row by row, for partitioning rows.
///
/// Dense matrices have such columns, and bundled ones have the columns of the bundles. For other sparse matrices the
/// column's entries are written into an array that contains "absent" for all other rows, and are cleared one by one
/// after use. If a node has few rows compared to the column's entries, its rows look up their bin indices one by one
/// instead.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"

namespace kauri {

/// A column with bytes or words, [n_rows]. If both are null, BinMatrix::FindCode must be used.
struct CodeColumn {
  std::uint8_t const* bytes = nullptr;
  std::uint16_t const* words = nullptr;
  /// Offset to subtract from a code to get the feature's bin index; codes of other features become invalid bins.
  std::uint32_t offset = 0;
};

/// A feature and the number of rows whose bin index will be read.
struct ColumnRequest {
  std::uint32_t feature = 0;
  std::int64_t n_rows = 0;
};

/// Provides a few columns at a time.
class CodeColumns {
 public:
  /// Returns how many columns can be available at once.
  static std::size_t MaxColumns(Context const& ctx, BinMatrix const& bins, std::size_t n_wanted);

  /// Makes the columns of at most MaxColumns requests available, and invalidates the previous ones.
  void Prepare(Context const& ctx, BinMatrix const& bins, std::vector<ColumnRequest> requests);
  CodeColumn Of(std::size_t request) const { return columns_[request]; }

 private:
  void Expand(BinMatrix const& bins, std::size_t slot);
  void Wipe(BinMatrix const& bins, std::size_t slot);

  std::vector<ColumnRequest> requests_;
  std::vector<CodeColumn> columns_;                ///< by request
  std::vector<std::vector<std::uint16_t>> slots_;  ///< by request, sparse data only: kAbsentCode except where expanded
};

}  // namespace kauri

/// \file The codes of one feature, row by row, for the partition of rows.
///
/// Dense matrices have them, and bundled ones those of the bundle. For other sparse ones the column's entries are
/// written into an array that says "absent" for all other rows, which is wiped entry by entry after use; where a node
/// holds few rows beside the column's entries, its rows look their codes up one by one instead.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"

namespace kauri {

/// One of the two, or neither: BinMatrix::FindCode is to be used then. [n_rows].
struct CodeColumn {
  std::uint8_t const* bytes = nullptr;
  std::uint16_t const* words = nullptr;
  std::uint32_t offset = 0;  ///< what the feature's codes are less by; others in the column become no bin's
};

/// A feature and how many rows will ask for their code.
struct ColumnRequest {
  std::uint32_t feature = 0;
  std::int64_t n_rows = 0;
};

/// A few columns at a time.
class CodeColumns {
 public:
  /// How many columns can be had at once.
  static std::size_t MaxColumns(Context const& ctx, BinMatrix const& bins, std::size_t n_wanted);

  /// Makes the columns of at most MaxColumns requests available; the previous ones are gone.
  void Prepare(Context const& ctx, BinMatrix const& bins, std::vector<ColumnRequest> requests);
  CodeColumn Of(std::size_t request) const { return columns_[request]; }

 private:
  void Expand(BinMatrix const& bins, std::size_t slot);
  void Wipe(BinMatrix const& bins, std::size_t slot);

  std::vector<ColumnRequest> requests_;
  std::vector<CodeColumn> columns_;                ///< by request
  std::vector<std::vector<std::uint16_t>> slots_;  ///< by request, sparse data only: kAbsentCode but where expanded
};

}  // namespace kauri

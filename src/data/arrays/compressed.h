/// \file The checked index arrays of CSR and CSC. Major: what indptr runs over (rows of CSR); minor: what the indices
/// name.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/context.h"

namespace kauri {

/// How messages call things.
struct CompressedNames {
  char const* format;  ///< CSR
  char const* major;   ///< row
  char const* minor;   ///< column
};

struct CompressedArrays {
  std::vector<std::int64_t> offsets;  ///< [n_major + 1]
  std::int64_t n_minor = 0;
  std::uint32_t const* indices =
      nullptr;  ///< [n_entries]: the caller's array where it is contiguous int32, else `converted`
  std::vector<std::uint32_t> converted;

  CompressedArrays() = default;
  CompressedArrays(CompressedArrays&&) = default;  // a moved vector keeps its address
  CompressedArrays& operator=(CompressedArrays&&) = default;
};

/// n_minor: 0 where the caller does not know it (XGBoost's JVM package passes it for sparse data without a shape); it
/// is then one more than the largest index. \throws Error(kData) unless all are integer vectors, indptr ascends from at
/// least 0 to at most n_entries, and every index that
///         it reaches is in [0, n_minor).
CompressedArrays ReadCompressed(Context const& ctx, CompressedNames const& names, ArrayView const& indptr,
                                ArrayView const& indices, std::int64_t n_entries, std::int64_t n_minor);

/// The values of the entries after SumRepeated: the caller's, or those in `owned`.
struct CompressedValues {
  ArrayView view;
  std::vector<char> owned;  ///< empty: no entry was stored twice
};

/// Adds up the entries that a row (of CSR; column of CSC) stores for one index, as SciPy does: in the type of the
/// values, in the order in which they are stored. Integers wrap around, booleans are or-ed, and a NaN stays one. Where
/// nothing is stored twice `arrays` and the values stay as they are; that costs one pass over the indices on all
/// threads, and a sort of a row's indices where they do not ascend.
CompressedValues SumRepeated(Context const& ctx, ArrayView const& values, CompressedArrays* arrays);

}  // namespace kauri

/// \file The checked index arrays of CSR and CSC. Major: the dimension of indptr (rows of CSR). Minor: the dimension of
/// the indices.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/context.h"

namespace kauri {

/// Terms used in messages.
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
  CompressedArrays(CompressedArrays&&) = default;  // moving a vector keeps its address
  CompressedArrays& operator=(CompressedArrays&&) = default;
};

/// Checks and converts the index arrays. n_minor: 0 if the caller does not know it (XGBoost's JVM package passes 0 for
/// sparse data without a shape); it is then one more than the largest index. \throws Error(kData) unless all are
/// integer vectors, indptr ascends from at least 0 to at most n_entries, and every index that it reaches is at least 0
/// and below n_minor.
CompressedArrays ReadCompressed(Context const& ctx, CompressedNames const& names, ArrayView const& indptr,
                                ArrayView const& indices, std::int64_t n_entries, std::int64_t n_minor);

/// The values of the entries after SumRepeated: the caller's array, or the values in `owned`.
struct CompressedValues {
  ArrayView view;
  std::vector<char> owned;  ///< empty if no entry was stored twice
};

/// Adds up repeated entries of a row (CSR) or column (CSC) with the same index, as SciPy does: in the type of the
/// values and in their storage order. Integers wrap around, booleans are or-ed, and a NaN stays NaN. Without repeated
/// entries, `arrays` and the values stay as they are; this costs one pass over the indices on all threads, and a sort
/// of a row's indices if they do not ascend.
CompressedValues SumRepeated(Context const& ctx, ArrayView const& values, CompressedArrays* arrays);

}  // namespace kauri

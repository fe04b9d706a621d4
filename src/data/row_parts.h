/// \file Batches of any length made into parts of one length, so that what is made of them does not depend on how the
/// rows arrived, and takes a known amount of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Rows of a part: at most 2^16, and at most 2^21 values unless that makes them fewer than 2^10; a function of the
/// number of columns alone.
std::int64_t RowsPerPart(std::int64_t n_cols);

class RowParts {
 public:
  /// A copy of the next rows, without what is known of them but their weights, where they have some.
  using TakePart = std::function<void(DataMatrix* part, Span<float const> weights)>;

  RowParts(std::int64_t n_cols, TakePart take);
  /// weights: [n_rows of the batch], or empty. A batch of compressed rows is copied whole.
  /// \throws Error(kData) for another number of columns, and for infinite values.
  void Add(Context const& ctx, DataView const& batch, Span<float const> weights);
  /// Hands out the rest.
  void Finish(Context const& ctx);
  std::int64_t NumRows() const { return n_rows_; }  ///< added so far

 private:
  void AddPiece(Context const& ctx, std::unique_ptr<DataMatrix> piece, Span<float const> weights);

  std::int64_t n_cols_;
  std::int64_t rows_per_part_;
  TakePart take_;
  std::int64_t n_rows_ = 0;
  std::int64_t n_pending_ = 0;
  std::vector<std::unique_ptr<DataMatrix>> pending_;
  std::vector<float> weights_;
};

}  // namespace kauri

/// \file Rows that come batch by batch and can be read repeatedly.
///
/// Regroups batches of any length into parts of one length, so that results do not depend on the batches, and
/// memory is predictable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"

namespace kauri {

struct RowBatch {
  std::unique_ptr<DataView> rows;                   ///< valid until the next call of the source
  std::shared_ptr<void const> keep;                 ///< memory that `rows` reads, unless it has another owner
  MetaInfo info;                                    ///< metadata of the batch
  std::function<void(MetaInfo*)> finish_info = {};  ///< if set, it adds the pending labels to the metadata
  bool may_be_infinite = false;  ///< `rows` have DenseRows() that nobody has searched for infinite values, an error
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Returns to the position before the first batch.
  virtual void Restart() = 0;
  /// Reads the next batch; returns false at the end. Every pass gives the same batches.
  virtual bool Next(Context const& ctx, RowBatch* batch) = 0;
};

/// Returns the number of rows of a part: at most 2^16, and at most 2^21 values unless this means fewer than 2^10 rows.
/// It depends only on the number of columns.
std::int64_t RowsPerPart(std::int64_t n_cols);

class RowParts {
 public:
  /// Receives a copy of the next rows, without metadata other than their weights, if there are any.
  using TakePart = std::function<void(DataMatrix* part, Span<float const> weights)>;

  RowParts(std::int64_t n_cols, TakePart take);
  /// Adds a batch. weights: [n_rows of the batch], or empty. A batch of compressed rows is copied whole.
  /// \throws Error(kData) for another number of columns, and for infinite values.
  void Add(Context const& ctx, DataView const& batch, Span<float const> weights);
  /// Passes on the remaining rows.
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

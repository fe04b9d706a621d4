/// \file A checksum that shows whether two passes over rows saw the same values.
///
/// For each row, the bits of its present values are multiplied by a number of their column and summed modulo 2^64. The
/// sum is mixed with the row's index, and the results are added up over the rows. The checksum depends neither on the
/// batches nor on the number of threads, and a missing value adds nothing, whether the row is dense or compressed. It
/// finds mistakes, not attacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

class RowDigest {
 public:
  explicit RowDigest(std::int64_t n_cols);

  /// Adds the next rows. They have the number of columns given to the constructor.
  void Add(Context const& ctx, DataMatrix const& rows);
  /// Returns the sum of `n` dense rows, row by row, beginning with row `row`, for AddSum. Safe to call from many
  /// threads.
  std::uint64_t OfDense(float const* values, std::int64_t row, std::int64_t n) const;
  /// Adds the next n_rows rows, whose sum is `sum`.
  void AddSum(std::int64_t n_rows, std::uint64_t sum);

  std::int64_t NumRows() const { return n_rows_; }
  /// \throws Error(kData) unless `first` saw the same rows.
  void RequireSame(RowDigest const& first) const;

 private:
  std::uint64_t OfSparse(CsrStorage const& rows, std::int64_t begin, std::int64_t end) const;

  std::vector<std::uint32_t> factors_;  ///< [n_cols]
  std::int64_t n_rows_ = 0;
  std::uint64_t sum_ = 0;
};

/// \throws Error(kData) always, because the rows differ from the rows of an earlier pass.
[[noreturn]] void FailOtherRows();

/// Rows that are digested by CopyRows. The reader must copy each row exactly once; the values are then digested while
/// they are in the cache.
class DigestedRows : public DataView {
 public:
  /// Both must outlive this; the rows are the next ones of the digest.
  DigestedRows(DataView const& rows, RowDigest* digest) : rows_(rows), digest_(digest) {}
  std::int64_t NumRows() const override { return rows_.NumRows(); }
  std::int64_t NumCols() const override { return rows_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override;
  /// Adds the rows to the digest, after all rows were read.
  void Finish() const { digest_->AddSum(NumRows(), sum_); }

 private:
  DataView const& rows_;
  RowDigest* digest_;
  mutable std::atomic<std::uint64_t> sum_{0};
};

}  // namespace kauri

/// \file A number that tells whether two passes over rows saw the same values.
///
/// Of each row the sum of its present values' bits, each times a number of its column, modulo 2^64; mixed with the
/// row's place; added up over the rows. So it does not depend on how rows come in batches or on the number of threads,
/// and a missing value counts nothing, whether a row is dense or compressed. It finds mistakes, not attacks.
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

  /// The next rows, of as many columns.
  void Add(Context const& ctx, DataMatrix const& rows);
  /// What `n` dense rows, row by row, from place `row` on count; safe from many threads, for AddSum.
  std::uint64_t OfDense(float const* values, std::int64_t row, std::int64_t n) const;
  /// The next n_rows rows, which count `sum`.
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

/// \throws Error(kData) for rows that are not those of the pass before.
[[noreturn]] void FailOtherRows();

/// Rows whose every CopyRows counts: for a reader that asks once for each row, so that the values are looked at while
/// they are in the cache.
class DigestedRows : public DataView {
 public:
  /// Both must outlive this; the rows are the next ones of the digest.
  DigestedRows(DataView const& rows, RowDigest* digest) : rows_(rows), digest_(digest) {}
  std::int64_t NumRows() const override { return rows_.NumRows(); }
  std::int64_t NumCols() const override { return rows_.NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override;
  /// Once all rows were read.
  void Finish() const { digest_->AddSum(NumRows(), sum_); }

 private:
  DataView const& rows_;
  RowDigest* digest_;
  mutable std::atomic<std::uint64_t> sum_{0};
};

}  // namespace kauri

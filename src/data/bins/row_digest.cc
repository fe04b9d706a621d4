#include "data/bins/row_digest.h"

#include <cstring>

#include "common/random/random.h"
#include "common/sums.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kBlockRows = 1 << 10;

/// Returns the contribution of one value: 0 if it is missing, non-zero for the value 0.
std::uint64_t Counted(float value, std::uint32_t factor) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  auto const present = value == value ? ~std::uint64_t{0} : std::uint64_t{0};  // a mask: the loop has no branch
  return (std::uint64_t{bits} * factor + factor) & present;
}

}  // namespace

RowDigest::RowDigest(std::int64_t n_cols) {
  for (std::int64_t column = 0; column < n_cols; ++column) {
    factors_.push_back(static_cast<std::uint32_t>(MixBits(static_cast<std::uint64_t>(column))) | 1U);
  }
}

std::uint64_t RowDigest::OfDense(float const* values, std::int64_t row, std::int64_t n) const {
  std::uint64_t sum = 0;
  auto const n_cols = factors_.size();
  auto const* factors = factors_.data();
  for (auto const end = row + n; row < end; ++row, values += n_cols) {
    std::uint64_t of_row = 0;
    for (std::size_t column = 0; column < n_cols; ++column) of_row += Counted(values[column], factors[column]);
    sum += RandomBits(of_row, static_cast<std::uint64_t>(row));
  }
  return sum;
}

std::uint64_t RowDigest::OfSparse(CsrStorage const& rows, std::int64_t begin, std::int64_t end) const {
  std::uint64_t sum = 0;
  for (auto row = begin; row < end; ++row) {
    std::uint64_t of_row = 0;
    auto const last = static_cast<std::size_t>(rows.row_ptr[row + 1]);
    for (auto i = static_cast<std::size_t>(rows.row_ptr[row]); i < last; ++i) {
      of_row += Counted(rows.values[i], factors_[rows.features[i]]);
    }
    sum += RandomBits(of_row, static_cast<std::uint64_t>(n_rows_ + row));
  }
  return sum;
}

void RowDigest::Add(Context const& ctx, DataMatrix const& rows) {
  auto const n_cols = rows.NumCols();
  AddSum(rows.NumRows(), SumBlocks<std::uint64_t>(ctx, rows.NumRows(), kBlockRows, [&](auto begin, auto end) {
           if (!rows.IsDense()) return OfSparse(rows.Csr(), begin, end);
           return OfDense(rows.Dense().values.data() + begin * n_cols, n_rows_ + begin, end - begin);
         }));
}

void RowDigest::AddSum(std::int64_t n_rows, std::uint64_t sum) {
  n_rows_ += n_rows;
  sum_ += sum;
}

void RowDigest::RequireSame(RowDigest const& first) const {
  if (n_rows_ != first.n_rows_ || sum_ != first.sum_) FailOtherRows();
}

void FailOtherRows() {
  Fail(ErrorKind::kData,
       "the second pass over the batches gave other values than the first; an iterator must give the ",
       "same rows each time. Draw random numbers once, or from a seed that reset sets again.");
}

void DigestedRows::CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const {
  rows_.CopyRows(begin, end, n_cols, tile);
  sum_ += digest_->OfDense(tile, digest_->NumRows() + begin, end - begin);
}

}  // namespace kauri

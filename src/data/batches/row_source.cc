#include "data/batches/row_source.h"

#include <algorithm>
#include <utility>

#include "data/batches/chain.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

CsrStorage CopyEntries(CsrStorage const& from, std::int64_t first, std::int64_t last) {
  CsrStorage out;
  auto const begin = from.row_ptr[first];
  auto const end = from.row_ptr[last];
  out.features.assign(from.features.begin() + begin, from.features.begin() + end);
  out.values.assign(from.values.begin() + begin, from.values.begin() + end);
  for (auto row = first; row <= last; ++row) out.row_ptr.push_back(from.row_ptr[row] - begin);
  return out;
}

}  // namespace

std::int64_t RowsPerPart(std::int64_t n_cols) {
  constexpr std::int64_t kMostValues = 1 << 21;
  constexpr std::int64_t kFewestRows = 1 << 10;
  std::int64_t n_rows = 1 << 16;
  while (n_rows > kFewestRows && n_rows * n_cols > kMostValues) n_rows /= 2;
  return n_rows;
}

RowParts::RowParts(std::int64_t n_cols, TakePart take)
    : n_cols_(n_cols), rows_per_part_(RowsPerPart(n_cols)), take_(std::move(take)) {}

void RowParts::Add(Context const& ctx, DataView const& batch, Span<float const> weights) {
  if (batch.NumCols() != n_cols_) {
    Fail(ErrorKind::kData, "a batch has ", batch.NumCols(), " columns, but the first one has ", n_cols_,
         "; all must have the same.");
  }
  std::unique_ptr<DataMatrix> copy;  // copy of compressed rows, whose order within a row is unknown
  if (dynamic_cast<SparseView const*>(&batch) != nullptr) copy = DataMatrix::FromView(ctx, batch);
  auto const copy_view = copy == nullptr ? nullptr : copy->View();
  auto const& rows = copy == nullptr ? batch : *copy_view;
  for (std::int64_t begin = 0; begin < rows.NumRows();) {
    auto const end = std::min(rows.NumRows(), begin + rows_per_part_ - n_pending_);
    auto const is_compressed = copy != nullptr && !copy->IsDense();
    AddPiece(ctx,
             is_compressed ? DataMatrix::FromCsr(CopyEntries(copy->Csr(), begin, end), n_cols_, ctx)
                           : DataMatrix::FromView(ctx, RowWindow(rows, begin, end)),
             weights.empty() ? weights : weights.subspan(begin, end - begin));
    begin = end;
  }
}

void RowParts::AddPiece(Context const& ctx, std::unique_ptr<DataMatrix> piece, Span<float const> weights) {
  auto const before = static_cast<std::size_t>(n_pending_);
  n_rows_ += piece->NumRows();
  n_pending_ += piece->NumRows();
  if (!weights.empty()) {
    weights_.resize(before, 1.0F);
    weights_.insert(weights_.end(), weights.begin(), weights.end());
  } else if (!weights_.empty()) {
    weights_.resize(n_pending_, 1.0F);
  }
  pending_.push_back(std::move(piece));
  if (n_pending_ == rows_per_part_) Finish(ctx);
}

void RowParts::Finish(Context const& ctx) {
  if (n_pending_ == 0) return;
  auto const part = Concatenate(ctx, std::exchange(pending_, {}));
  take_(part.get(), weights_);
  weights_.clear();
  n_pending_ = 0;
}

}  // namespace kauri

/// \file A matrix as a source of batches.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/batches/row_source.h"
#include "data/copies/slice.h"

namespace kauri::testing {

class RowBatches : public RowSource {
 public:
  /// Iterates over batches of batch_rows rows of `matrix`, which must outlive this object; at most max_batches of them.
  RowBatches(DataMatrix const& matrix, std::int64_t batch_rows, std::int64_t max_batches = 1 << 30)
      : matrix_(Copy(matrix)), batch_rows_(batch_rows), max_batches_(max_batches) {}
  /// From the given Restart on, counted from 1, uses the rows of another matrix.
  void ChangeInPass(int pass, DataMatrix const& matrix) {
    change_pass_ = pass;
    changed_ = Copy(matrix);
  }

  void Restart() override {
    at_ = 0;
    if (++n_restarts_ == change_pass_) matrix_ = std::move(changed_);
  }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (at_ >= matrix_->NumRows() || at_ / batch_rows_ >= max_batches_) return false;
    std::vector<std::int32_t> rows(std::min(batch_rows_, matrix_->NumRows() - at_));
    std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(at_));
    std::shared_ptr<DataMatrix const> const slice = Slice(ctx, *matrix_, rows, true);
    batch->rows = slice->View();
    batch->info = slice->Info();
    batch->keep = slice;
    at_ += batch_rows_;
    return true;
  }
  int NumRestarts() const { return n_restarts_; }

 private:
  static std::unique_ptr<DataMatrix> Copy(DataMatrix const& matrix) {
    std::vector<std::int32_t> rows(matrix.NumRows());
    std::iota(rows.begin(), rows.end(), 0);
    return Slice(Context{}, matrix, rows, true);
  }

  std::unique_ptr<DataMatrix> matrix_;
  std::unique_ptr<DataMatrix> changed_;
  std::int64_t batch_rows_;
  std::int64_t max_batches_;
  std::int64_t at_ = 0;
  int n_restarts_ = 0;
  int change_pass_ = 0;
};

}  // namespace kauri::testing

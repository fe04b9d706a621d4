#include "cuda/hist/tree_rows.h"

#include "collective/reduce.h"
#include "cuda/tree/leaf_rows.h"
#include "kauri/error.h"

namespace kauri::cuda {

TreeRows::~TreeRows() {
  for (auto const& share : data_->shares) share->Settle();
}

void TreeRows::Reset(int max_depth) {
  BeginShares({data_->counts_rows, max_depth});
  auto const& sampled = task_.sampled_rows;
  auto const n_own = ToSize(data_->n_own_rows);
  data_->records.BeginTree(max_depth);
  data_->rows.Reset(cuda_, {leaf_of_row_.data(), n_own}, {sampled.data(), sampled.empty() ? 0 : n_own},
                    &data_->of_level);
}

void TreeRows::BeginShares(SharedTree const& tree) {
  auto const& shares = data_->shares;
  if (!task_.shards.empty()) {
    if (shares.size() != task_.shards.size())
      Fail(ErrorKind::kInternal, "expected as many shards of rows in the task as in the data, got another number");
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i]->BeginTree(task_.shards[i], tree);
    return;
  }
  if (!shares.empty()) data_->gradients_ready.Record(cuda_);
  for (auto const& share : shares) share->BeginTree(cuda_, data_->gradients_ready, task_, tree);
}

void TreeRows::WriteLeavesOfShares() {
  for (std::size_t i = 0; i < data_->shares.size(); ++i) {
    if (task_.shards.empty()) {
      data_->shares[i]->WriteLeaves(cuda_, leaf_of_row_);
    } else {
      data_->shares[i]->WriteLeaves(task_.shards[i]);
    }
  }
}

void TreeRows::WriteLeaves() {
  WriteLeavesOfShares();
  data_->rows.WriteLeaves(cuda_, &data_->of_walk, leaf_of_row_.data());
}

void TreeRows::Wait() {
  for (auto const& share : data_->shares) share->Wait();
}

std::vector<std::int64_t> TreeRows::CountLeaves(Context const& ctx, Tree const& tree) const {
  auto n_rows = CountLeafRows(cuda_, tree, task_.sampled_rows, leaf_of_row_);
  for (std::size_t i = 0; i < task_.shards.size(); ++i) {
    auto const& cuda = data_->shares[i]->Cuda();
    DeviceScope const scope(cuda.device);
    auto const& input = task_.shards[i];
    auto const there = CountLeafRows(cuda, tree, input.sampled, input.leaf_of_row);
    for (std::size_t node = 0; node < n_rows.size(); ++node) n_rows[node] += there[node];
  }
  SumOverRanks(ctx, n_rows);
  return n_rows;
}

}  // namespace kauri::cuda

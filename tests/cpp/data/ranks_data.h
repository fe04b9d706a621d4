/// \file A table whose rows are partitioned among ranks in many ways.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "collective/ranks.h"
#include "data/batches/row_source.h"
#include "support/random_matrix.h"

namespace kauri::testing {

/// The global numbers of the rows of each rank, in its order.
using Partition = std::vector<std::vector<std::int64_t>>;

/// Returns contiguous pieces that end at `ends`; the last rank has the rest.
inline Partition CutAt(std::int64_t n_rows, int n_ranks, std::vector<std::int64_t> ends) {
  Partition parts(static_cast<std::size_t>(n_ranks));
  std::sort(ends.begin(), ends.end());
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const rank = std::upper_bound(ends.begin(), ends.end(), row) - ends.begin();
    parts[std::min<std::size_t>(rank, parts.size() - 1)].push_back(row);
  }
  return parts;
}

/// Returns even pieces, pieces of random sizes, empty ranks, ranks of one row each, and randomly assigned rows.
inline std::vector<Partition> MakePartitions(std::int64_t n_rows, int n_ranks, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> even;
  std::vector<std::int64_t> uneven;
  std::vector<std::int64_t> single;
  for (std::int64_t rank = 1; rank < n_ranks; ++rank) {
    even.push_back(n_rows * rank / n_ranks);
    uneven.push_back(random.Below(static_cast<std::uint32_t>(n_rows + 1)));
    single.push_back(rank);
  }
  Partition scattered(static_cast<std::size_t>(n_ranks));
  for (std::int64_t row = 0; row < n_rows; ++row) {
    scattered[random.Below(static_cast<std::uint32_t>(n_ranks))].push_back(row);
  }
  std::reverse(scattered[0].begin(), scattered[0].end());
  Partition last(static_cast<std::size_t>(n_ranks));
  for (std::int64_t row = 0; row < n_rows; ++row) last.back().push_back(row);
  return {CutAt(n_rows, n_ranks, even), CutAt(n_rows, n_ranks, uneven), CutAt(n_rows, n_ranks, single), last,
          scattered};
}

/// Returns the given rows of a table [n_rows, width].
inline std::vector<float> PickRows(std::vector<float> const& values, std::int64_t width,
                                   std::vector<std::int64_t> const& rows) {
  std::vector<float> picked;
  if (values.empty()) return picked;
  for (auto const row : rows)
    picked.insert(picked.end(), values.begin() + row * width, values.begin() + (row + 1) * width);
  return picked;
}

/// Runs fn(ctx, rows of this rank) on every rank. \throws nothing: an exception of a rank fails the test.
template <typename Fn>
void OnRanks(Partition const& partition, Fn&& fn) {
  auto const errors = RunRanks(static_cast<int>(partition.size()), [&](Collective* collective) {
    Context ctx;
    ctx.threads = 1 + collective->Rank() % 2;
    ctx.collective = collective;
    fn(ctx, partition[static_cast<std::size_t>(collective->Rank())]);
  });
  for (auto const& error : errors) EXPECT_EQ(error, "");
}

/// Returns the errors that the ranks throw when all run fn(ctx).
template <typename Fn>
std::vector<std::string> ErrorsOnRanks(int n_ranks, Fn&& fn) {
  return RunRanks(n_ranks, [&](Collective* collective) {
    Context ctx;
    ctx.collective = collective;
    fn(ctx);
  });
}

/// Rows in batches; a single empty batch if there are no rows.
class BatchesOfRank : public RowSource {
 public:
  BatchesOfRank(std::vector<float> values, MetaInfo info, bool sparse, std::int64_t batch_rows)
      : values_(std::move(values)), info_(std::move(info)), sparse_(sparse), batch_rows_(batch_rows) {}
  void Restart() override {
    at_ = 0;
    done_ = false;
  }
  bool Next(Context const&, RowBatch* batch) override {
    if (done_) return false;
    auto const n_cols = info_.n_cols;
    auto const end = std::min(info_.n_rows, at_ + batch_rows_);
    std::shared_ptr<DataMatrix const> const rows =
        MakeMatrix({values_.begin() + at_ * n_cols, values_.begin() + end * n_cols}, n_cols, sparse_);
    batch->rows = rows->View();
    batch->keep = rows;
    batch->info = info_;
    batch->info.n_rows = end - at_;
    if (!info_.weights.empty()) {
      batch->info.weights.assign(info_.weights.begin() + at_, info_.weights.begin() + end);
    }
    at_ = end;
    done_ = at_ == info_.n_rows;
    return true;
  }

 private:
  std::vector<float> values_;
  MetaInfo info_;
  bool sparse_;
  std::int64_t batch_rows_;
  std::int64_t at_ = 0;
  bool done_ = false;
};

/// Counts what a rank sends to the others.
class CountingCollective : public Collective {
 public:
  explicit CountingCollective(Collective* group) : group_(group) {}
  int Rank() const override { return group_->Rank(); }
  int Size() const override { return group_->Size(); }
  void Sum(Span<std::int64_t> values) override {
    Count(values.size() * sizeof(values[0]));
    group_->Sum(values);
  }
  void Max(Span<std::uint64_t> values) override {
    Count(values.size() * sizeof(values[0]));
    group_->Max(values);
  }
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    Count(mine.size());
    return group_->Gather(mine);
  }
  void Abort(std::string const& why) noexcept override { group_->Abort(why); }
  std::size_t NumBytes() const { return n_bytes_; }
  std::size_t NumCalls() const { return n_calls_; }

 private:
  void Count(std::size_t n_bytes) {
    n_bytes_ += n_bytes;
    ++n_calls_;
  }

  Collective* group_;
  std::size_t n_bytes_ = 0;
  std::size_t n_calls_ = 0;
};

}  // namespace kauri::testing

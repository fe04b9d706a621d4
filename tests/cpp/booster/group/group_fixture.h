/// \file A table partitioned among ranks in many ways, and the results of training on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "collective/ranks.h"
#include "kauri/data_matrix.h"
#include "support/random_matrix.h"

namespace kauri::group_test {

using Params = std::vector<std::pair<std::string, std::string>>;
/// For each rank, the global numbers of its rows in its order.
using Partition = std::vector<std::vector<std::int64_t>>;

/// Features and row information of a table. Empty vectors are fields that are not given.
struct Table {
  std::int64_t n_cols = 0;
  std::int64_t n_targets = 1;
  bool sparse = false;
  std::vector<float> values;
  std::vector<float> labels;
  std::vector<float> weights;
  std::vector<float> base_margin;
  std::vector<float> lower;
  std::vector<float> upper;
  std::vector<std::string> types;
  std::vector<std::int64_t> group_sizes;

  std::int64_t NumRows() const { return static_cast<std::int64_t>(values.size()) / n_cols; }
};

inline ArrayView AsArray(std::vector<float> const& values, std::int64_t n_cols) {
  ArrayView array;
  array.data = values.data();
  array.shape = {static_cast<std::int64_t>(values.size()) / n_cols, n_cols};
  array.strides = {n_cols * 4, 4};
  array.n_dims = 2;
  return array;
}

/// Returns the given rows of a table with `width` numbers per row.
inline std::vector<float> Pick(std::vector<float> const& from, std::vector<std::int64_t> const& rows,
                               std::int64_t width = 1) {
  std::vector<float> picked;
  if (from.empty()) return picked;
  for (auto const row : rows) picked.insert(picked.end(), from.begin() + row * width, from.begin() + (row + 1) * width);
  return picked;
}

/// Returns the values that are present as compressed rows.
inline CsrStorage AsCsr(std::vector<float> const& values, std::int64_t n_cols) {
  CsrStorage csr;
  csr.row_ptr = {0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) {
      csr.features.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(i) % n_cols));
      csr.values.push_back(values[i]);
    }
    if (static_cast<std::int64_t>(i + 1) % n_cols == 0)
      csr.row_ptr.push_back(static_cast<std::int64_t>(csr.values.size()));
  }
  return csr;
}

/// Returns group_ptr of the given rows, which must contain whole queries.
inline std::vector<std::int64_t> GroupsOf(Table const& table, std::vector<std::int64_t> const& rows) {
  if (table.group_sizes.empty()) return {};
  std::vector<std::int64_t> query_of;
  for (std::size_t group = 0; group < table.group_sizes.size(); ++group) {
    query_of.insert(query_of.end(), static_cast<std::size_t>(table.group_sizes[group]),
                    static_cast<std::int64_t>(group));
  }
  std::vector<std::int64_t> begin{0};
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    auto const ends = i == rows.size() || query_of[rows[i]] != query_of[rows[i - 1]];
    if (ends) begin.push_back(static_cast<std::int64_t>(i));
  }
  return begin;
}

inline std::shared_ptr<DataMatrix> MakeMatrix(Table const& table, std::vector<std::int64_t> const& rows,
                                              bool in_group) {
  constexpr auto kMissing = std::numeric_limits<float>::quiet_NaN();
  auto const values = Pick(table.values, rows, table.n_cols);
  std::shared_ptr<DataMatrix> data =
      table.sparse ? DataMatrix::FromCsr(AsCsr(values, table.n_cols), table.n_cols)
                   : DataMatrix::FromView(Context(), *MakeDenseView(AsArray(values, table.n_cols), kMissing));
  auto* const info = data->MutableInfo();
  info->n_targets = table.n_targets;
  info->labels = Pick(table.labels, rows, table.n_targets);
  info->base_margin = Pick(table.base_margin, rows);
  info->label_lower_bound = Pick(table.lower, rows);
  info->label_upper_bound = Pick(table.upper, rows);
  info->feature_types = table.types;
  if (table.group_sizes.empty()) {
    info->weights = Pick(table.weights, rows);
  } else {
    info->group_ptr = GroupsOf(table, rows);
  }
  if (in_group) {
    for (auto const row : rows) {
      auto& ranges = info->global_rows;
      if (!ranges.empty() && ranges.back().first + ranges.back().count == row) {
        ++ranges.back().count;
      } else {
        ranges.push_back({row, 1});
      }
    }
  }
  return data;
}

inline std::vector<std::int64_t> AllRows(std::int64_t n) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Returns contiguous ranges of about the same length.
inline Partition Contiguous(std::int64_t n_rows, int n_ranks) {
  Partition partition(static_cast<std::size_t>(n_ranks));
  for (std::int64_t row = 0; row < n_rows; ++row)
    partition[static_cast<std::size_t>(row * n_ranks / n_rows)].push_back(row);
  return partition;
}

/// Returns ranges of random lengths, including empty ones and single rows, assigned in any order.
inline Partition RandomRuns(std::int64_t n_rows, int n_ranks, unsigned seed) {
  std::mt19937 generator(seed);
  Partition partition(static_cast<std::size_t>(n_ranks));
  for (std::int64_t row = 0; row < n_rows;) {
    auto const kind = generator() % 4;
    auto const length = kind == 0 ? 1 : static_cast<std::int64_t>(generator() % static_cast<unsigned>(n_rows / 3 + 1));
    auto& of_rank = partition[generator() % partition.size()];
    for (auto const end = std::min(n_rows, row + length); row < end; ++row) of_rank.push_back(row);
  }
  return partition;
}

/// Assigns each row to a random rank; rows of a rank are ascending.
inline Partition Scattered(std::int64_t n_rows, int n_ranks, unsigned seed) {
  std::mt19937 generator(seed);
  Partition partition(static_cast<std::size_t>(n_ranks));
  for (std::int64_t row = 0; row < n_rows; ++row) partition[generator() % partition.size()].push_back(row);
  return partition;
}

/// Assigns all rows to the last rank.
inline Partition OnLast(std::int64_t n_rows, int n_ranks) {
  Partition partition(static_cast<std::size_t>(n_ranks));
  partition.back() = AllRows(n_rows);
  return partition;
}

/// Result of some rounds of training.
struct Outcome {
  std::string model;  ///< a snapshot
  std::string lines;  ///< evaluation lines
};

inline Outcome Train(Collective* group, Params const& params, int n_rounds, std::shared_ptr<DataMatrix> const& train,
                     std::shared_ptr<DataMatrix> const& other) {
  Learner learner;
  for (auto const& [name, value] : params) learner.SetParam(name, value);
  learner.SetParam("nthread", "1");
  // The caller's thread outlives the learner.
  if (group != nullptr) learner.SetCollective(std::shared_ptr<Collective>(std::shared_ptr<void>(), group));
  Outcome outcome;
  for (int round = 0; round < n_rounds; ++round) {
    learner.BoostRound(train, round);
    outcome.lines += Learner::FormatEvaluation(round, learner.Evaluate({{"train", train}, {"other", other}})) + "\n";
  }
  outcome.model = learner.SaveSnapshot();
  return outcome;
}

}  // namespace kauri::group_test

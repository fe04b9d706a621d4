/// \file Partitions of the rows of one table among ranks.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// For each rank, the ranges of its rows in its order.
struct Partition {
  std::string name;
  std::vector<std::vector<RowRange>> ranges;
};

/// Assigns consecutive ranges of these lengths to the ranks.
inline std::vector<std::vector<RowRange>> InTurn(std::vector<std::int64_t> const& lengths) {
  std::vector<std::vector<RowRange>> ranges;
  std::int64_t first = 0;
  for (auto const length : lengths) {
    ranges.push_back(length > 0 ? std::vector<RowRange>{{first, length}} : std::vector<RowRange>{});
    first += length;
  }
  return ranges;
}

/// Assigns pieces of at most `most` rows to random ranks, in random order there.
inline std::vector<std::vector<RowRange>> Scattered(int n_ranks, std::int64_t n_rows, std::int64_t most,
                                                    std::mt19937* random) {
  std::vector<std::vector<RowRange>> ranges(ToSize(n_ranks));
  for (std::int64_t first = 0; first < n_rows;) {
    auto const length = std::min<std::int64_t>(1 + static_cast<std::int64_t>((*random)()) % most, n_rows - first);
    ranges[(*random)() % ranges.size()].push_back({first, length});
    first += length;
  }
  for (auto& of_rank : ranges) {
    // a single rank is one process, with rows in order
    if (n_ranks > 1) std::shuffle(of_rank.begin(), of_rank.end(), *random);
  }
  return ranges;
}

/// Returns random lengths that sum to n_rows, some of them zero.
inline std::vector<std::int64_t> RandomLengths(int n_ranks, std::int64_t n_rows, std::mt19937* random) {
  std::vector<std::int64_t> ends{n_rows};
  while (static_cast<int>(ends.size()) < n_ranks) ends.push_back(static_cast<std::int64_t>((*random)()) % (n_rows + 1));
  std::sort(ends.begin(), ends.end());
  std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
  return ends;
}

/// Returns partitions that are contiguous, of random sizes, with empty ranks, single rows, misaligned to blocks of
/// 4,096, or scattered.
inline std::vector<Partition> Partitions(int n_ranks, std::int64_t n_rows, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> even(ToSize(n_ranks), n_rows / n_ranks);
  even.back() += n_rows % n_ranks;
  std::vector<std::int64_t> last(ToSize(n_ranks));
  last.back() = n_rows;
  auto single = last;
  auto misaligned = last;
  for (std::size_t rank = 0; rank + 1 < last.size() && single.back() > 0; ++rank) {
    single[rank] = 1;
    --single.back();
    auto const wanted = 4096 + (rank % 2 == 0 ? 1 : -2);
    misaligned[rank] = std::min<std::int64_t>(wanted, misaligned.back());
    misaligned.back() -= misaligned[rank];
  }
  auto reversed = InTurn(even);
  std::reverse(reversed.begin(), reversed.end());
  return {{"even", InTurn(even)},
          {"reversed", reversed},
          {"random", InTurn(RandomLengths(n_ranks, n_rows, &random))},
          {"last", InTurn(last)},
          {"single", InTurn(single)},
          {"misaligned", InTurn(misaligned)},
          {"pieces", Scattered(n_ranks, n_rows, 6000, &random)},
          {"scattered", Scattered(n_ranks, n_rows, 1, &random)}};
}

/// Returns the rows of the ranges from values [n_rows, width].
template <typename T>
std::vector<T> RowsOf(std::vector<T> const& values, std::vector<RowRange> const& ranges, std::int64_t width = 1) {
  std::vector<T> rows;
  if (values.empty()) return rows;
  for (auto const& range : ranges) {
    auto const first = values.begin() + range.first * width;
    rows.insert(rows.end(), first, first + range.count * width);
  }
  return rows;
}

/// Returns the row information of a rank with these ranges, without query groups.
inline MetaInfo InfoOf(MetaInfo const& all, std::vector<RowRange> const& ranges) {
  MetaInfo info;
  for (auto const& range : ranges) info.n_rows += range.count;
  info.n_targets = info.n_rows == 0 ? 1 : all.n_targets;
  info.labels = RowsOf(all.labels, ranges, all.n_targets);
  info.weights = RowsOf(all.weights, ranges);
  info.label_lower_bound = RowsOf(all.label_lower_bound, ranges);
  info.label_upper_bound = RowsOf(all.label_upper_bound, ranges);
  info.global_rows = ranges;
  return info;
}

/// An assignment of whole query groups to ranks: ranges of rows, and group numbers.
struct GroupPartition {
  std::string name;
  std::vector<std::vector<std::int64_t>> groups;  ///< [rank], in its order
};

/// Partitions the groups as if each were a row.
inline std::vector<GroupPartition> GroupPartitions(int n_ranks, std::int64_t n_groups) {
  std::vector<GroupPartition> partitions;
  for (auto const& of_rows : Partitions(n_ranks, n_groups)) {
    partitions.push_back({of_rows.name, {}});
    for (auto const& ranges : of_rows.ranges) {
      partitions.back().groups.emplace_back();
      for (auto const& range : ranges) {
        for (std::int64_t i = 0; i < range.count; ++i) partitions.back().groups.back().push_back(range.first + i);
      }
    }
  }
  return partitions;
}

/// Returns the row ranges of the groups.
inline std::vector<RowRange> RangesOfGroups(MetaInfo const& all, std::vector<std::int64_t> const& groups) {
  std::vector<RowRange> ranges;
  for (auto const group : groups) {
    ranges.push_back({all.group_ptr[group], all.group_ptr[group + 1] - all.group_ptr[group]});
  }
  return ranges;
}

/// Returns the row information of a rank with these groups.
inline MetaInfo InfoOfGroups(MetaInfo const& all, std::vector<std::int64_t> const& groups) {
  auto without = all;
  without.weights.clear();
  auto info = InfoOf(without, RangesOfGroups(all, groups));
  if (info.n_rows > 0) info.group_ptr = {0};
  for (auto const group : groups) {
    if (info.n_rows == 0) break;
    info.group_ptr.push_back(info.group_ptr.back() + all.group_ptr[group + 1] - all.group_ptr[group]);
    if (!all.weights.empty()) info.weights.push_back(all.weights[group]);
  }
  return info;
}

}  // namespace kauri

/// \file The rule of a ranking objective, in the form that host and device read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/random/random.h"
#include "kauri/host_device.h"

namespace kauri {

enum class RankTarget : std::int32_t { kPairwise, kNdcg, kMap };
enum class PairMethod : std::int32_t { kMean, kTopK };

struct LambdaRule {
  RankTarget target = RankTarget::kNdcg;
  PairMethod method = PairMethod::kTopK;
  std::int64_t n_pairs = 32;     ///< topk: number of best places; mean: partners of a row
  bool normalize = true;         ///< divide a group's gradients by their sum or by n_pairs
  bool normalize_scores = true;  ///< divide a pair's gradient by the distance of its scores
  bool exponential_gain = true;  ///< ndcg: a label y gains 2^y - 1 instead of y
  std::uint64_t key = 0;         ///< random key of this round, see PairKey

  /// Returns the number of best places among n, whose rows are paired with all rows below them. For ndcg, the ideal
  /// order counts the same number of places.
  KAURI_HD std::int64_t BestPlaces(std::int64_t n) const {
    return method == PairMethod::kTopK && n_pairs < n ? n_pairs : n;
  }
  /// Returns the number of positions whose bias is learned. largest_group: the rows of the largest group.
  std::int64_t NumPositions(std::int64_t largest_group) const {
    constexpr std::int64_t kMostPositions = 32;  // for random partners; XGBoost's choice
    return std::min(largest_group, method == PairMethod::kTopK ? n_pairs : kMostPositions);
  }
  KAURI_HD double Relevance(float label) const {
    bool const exponential = target == RankTarget::kNdcg && exponential_gain;
    return exponential ? static_cast<double>((std::uint32_t{1} << static_cast<std::uint32_t>(label)) - 1U)
                       : static_cast<double>(label);
  }
};

/// Returns the number of groups per block. The pairs of a block are added up one after the other, and the sums of
/// blocks in their order. Small groups share a block.
inline std::int64_t GroupsPerBlock(std::int64_t n_groups, std::int64_t n_rows) {
  constexpr std::int64_t kRowsPerBlock = 256;  // a rough number: each row stands for dozens of pairs
  return std::max<std::int64_t>(1, n_groups * kRowsPerBlock / std::max<std::int64_t>(n_rows, 1));
}

/// Returns the number of rows of the largest of the groups [group_ptr[i], group_ptr[i + 1]).
inline std::int64_t LargestGroup(std::vector<std::int64_t> const& group_ptr) {
  std::int64_t largest = 0;
  for (std::size_t group = 1; group < group_ptr.size(); ++group) {
    largest = std::max(largest, group_ptr[group] - group_ptr[group - 1]);
  }
  return largest;
}

/// Returns the random key of a round for drawing partners.
KAURI_HD std::uint64_t PairKey(std::uint64_t seed, std::int64_t iteration) {
  constexpr std::uint64_t kPurpose = 0x50414952;  // makes draws independent of others with the same seed and iteration
  return CombineKeys(CombineKeys(seed, kPurpose), static_cast<std::uint64_t>(iteration));
}

/// The rows of a group in descending order of their labels: the rows with one label are at [begin, end) of n.
struct LabelBucket {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t n;

  KAURI_HD bool HasOthers() const { return end - begin < n; }
  /// Returns the place in that order of a random partner for a row of this bucket, uniform over the rows with other
  /// labels. draw: row * n_pairs + pair, with the row's index within the group.
  KAURI_HD std::int64_t Partner(std::uint64_t group_key, std::int64_t draw) const {
    auto const n_others = static_cast<std::uint32_t>(n - (end - begin));
    auto const drawn = static_cast<std::int64_t>(RandomBelow(group_key, static_cast<std::uint64_t>(draw), n_others));
    return drawn < begin ? drawn : drawn + (end - begin);
  }
};

}  // namespace kauri

/// \file What a ranking objective is asked to do, as the host and the device read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/random.h"
#include "kauri/host_device.h"

namespace kauri {

enum class RankTarget : std::int32_t { kPairwise, kNdcg, kMap };
enum class PairMethod : std::int32_t { kMean, kTopK };

struct LambdaRule {
  RankTarget target = RankTarget::kNdcg;
  PairMethod method = PairMethod::kTopK;
  std::int64_t n_pairs = 32;     ///< topk: places that are the best; mean: partners of a row
  bool normalize = true;         ///< a group's gradients by their sum or by n_pairs
  bool normalize_scores = true;  ///< a pair by the distance of its scores
  bool exponential_gain = true;  ///< ndcg: a label y gains 2^y - 1 instead of y
  std::uint64_t key = 0;         ///< of the draws of this round, see PairKey

  /// Of n rows, those that are paired with all below them. The ideal order counts as many for ndcg.
  KAURI_HD std::int64_t BestPlaces(std::int64_t n) const {
    return method == PairMethod::kTopK && n_pairs < n ? n_pairs : n;
  }
  /// Whose bias is learnt. largest_group: the rows of the largest group.
  std::int64_t NumPositions(std::int64_t largest_group) const {
    constexpr std::int64_t kMostPositions = 32;  // with random partners; XGBoost's choice
    return std::min(largest_group, method == PairMethod::kTopK ? n_pairs : kMostPositions);
  }
  KAURI_HD double Relevance(float label) const {
    bool const exponential = target == RankTarget::kNdcg && exponential_gain;
    return exponential ? static_cast<double>((std::uint32_t{1} << static_cast<std::uint32_t>(label)) - 1U)
                       : static_cast<double>(label);
  }
};

/// Groups whose pairs are added up one after the other; the sums of such blocks are added in their order. Small groups
/// share a block.
inline std::int64_t GroupsPerBlock(std::int64_t n_groups, std::int64_t n_rows) {
  constexpr std::int64_t kRowsPerBlock = 256;  // about: each stands for dozens of pairs
  return std::max<std::int64_t>(1, n_groups * kRowsPerBlock / std::max<std::int64_t>(n_rows, 1));
}

/// Rows of the largest of the groups [group_ptr[i], group_ptr[i + 1]).
inline std::int64_t LargestGroup(std::vector<std::int64_t> const& group_ptr) {
  std::int64_t largest = 0;
  for (std::size_t group = 1; group < group_ptr.size(); ++group) {
    largest = std::max(largest, group_ptr[group] - group_ptr[group - 1]);
  }
  return largest;
}

/// The key of a round's draws of partners.
KAURI_HD std::uint64_t PairKey(std::uint64_t seed, std::int64_t iteration) {
  constexpr std::uint64_t kPurpose = 0x50414952;  // so that other draws of the seed and iteration are independent
  return CombineKeys(CombineKeys(seed, kPurpose), static_cast<std::uint64_t>(iteration));
}

/// The rows of a group in descending order of their labels: those of one label are at [begin, end) of n.
struct LabelBucket {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t n;

  KAURI_HD bool HasOthers() const { return end - begin < n; }
  /// Where the partner of a row of this bucket stands in that order, uniform over the rows with other labels.
  /// draw: row * n_pairs + pair, the row counted within the group.
  KAURI_HD std::int64_t Partner(std::uint64_t group_key, std::int64_t draw) const {
    auto const n_others = static_cast<std::uint32_t>(n - (end - begin));
    auto const drawn = static_cast<std::int64_t>(RandomBelow(group_key, static_cast<std::uint64_t>(draw), n_others));
    return drawn < begin ? drawn : drawn + (end - begin);
  }
};

}  // namespace kauri

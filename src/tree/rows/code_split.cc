#include "tree/rows/code_split.h"

#include <algorithm>

namespace kauri {

CodeSplit MakeCodeSplit(QuantileCuts const& cuts, SplitCandidate const& split,
                        Span<std::int32_t const> right_categories) {
  CodeSplit codes;
  codes.feature = split.feature;
  codes.default_left = split.default_left;
  if (cuts.IsCategorical(split.feature)) {
    codes.right_codes = MarkCategories(cuts, split.feature, right_categories);
  } else {
    codes.first_right = FirstRight(cuts, split.feature, split.threshold);
  }
  return codes;
}

std::vector<std::uint8_t> MarkCategories(QuantileCuts const& cuts, std::uint32_t feature,
                                         Span<std::int32_t const> categories) {
  std::vector<std::uint8_t> marks;
  for (auto const category : cuts.categories[feature]) {
    marks.push_back(std::binary_search(categories.begin(), categories.end(), category) ? 1 : 0);
  }
  return marks;
}

std::uint32_t FirstRight(QuantileCuts const& cuts, std::uint32_t feature, float threshold) {
  // std::upper_bound, whose branches nobody can foresee, would take most of what a split costs.
  auto const* const of_feature = cuts.Of(feature);
  auto const* first = of_feature;
  for (auto n_left = cuts.NumBins(feature); n_left > 0;) {
    auto const half = n_left / 2;
    auto const is_right = !(threshold < first[half]);
    first = is_right ? first + half + 1 : first;
    n_left = is_right ? n_left - half - 1 : half;
  }
  return static_cast<std::uint32_t>(first - of_feature);
}

}  // namespace kauri

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
  auto const* of_feature = cuts.Of(feature);
  return static_cast<std::uint32_t>(std::upper_bound(of_feature, of_feature + cuts.NumBins(feature), threshold) -
                                    of_feature);
}

}  // namespace kauri

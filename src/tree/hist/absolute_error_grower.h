/// \file split_criterion=absolute_error: grows trees whose splits reduce the absolute error of the best constants
/// (label_bins.h).
/// Leaf values still come from gradients.
#pragma once

#include "tree/absolute_error/label_bins.h"
#include "tree/hist/hist_grower.h"
#include "tree/research/label_moments.h"

namespace kauri {

/// Search: LabelBinSearch, or LabelMomentSearch, which is research code.
template <typename Search>
class AbsoluteErrorGrower : public HistGrower {
 public:
  AbsoluteErrorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, HistData* data,
                      Span<std::int32_t> leaf_of_row);

 private:
  void FindSplits(Pairs const& pairs) override;

  FixedResiduals residuals_;
  Search search_;
  std::vector<typename Search::Scratch> scratch_;  ///< by thread
};

extern template class AbsoluteErrorGrower<LabelBinSearch>;
extern template class AbsoluteErrorGrower<LabelMomentSearch>;

}  // namespace kauri

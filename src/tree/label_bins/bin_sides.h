/// \file The label bins on both sides of a boundary that moves up a feature, and the bins that their quantiles lie in.
///
/// Rows move from the right to the left. The sums below each side's quantile follow them, and the quantile's bin is
/// sought from where it was: a boundary costs as much as rows have moved, not as many steps as there are bins.
#pragma once

#include <array>
#include <cstdint>

#include "tree/label_bins/fixed_residuals.h"

namespace kauri {

constexpr std::size_t kLabelBins = 64;

using LabelSums = std::array<ResidualSum, kLabelBins>;

class BinSides {
 public:
  /// node: of all rows, which are on the right; `all` of them. What they refer to must outlive it.
  BinSides(FixedResiduals const& residuals, LabelSums const& node, ResidualSum const& all)
      : residuals_(residuals), node_(node), all_(all), quantile_(residuals.Quantile()) {}

  /// Rows of a label bin go to the left.
  void MoveLeft(std::size_t bin, ResidualSum const& sum) {
    left_bins_[bin] += sum;
    left_.all += sum;
    left_.below += sum.If(bin < left_.bin);
    right_.below -= sum.If(bin < right_.bin);
  }

  /// The errors of each side's best constant, which is the mean residual of the bin that its quantile lies in, in the
  /// units of the loss; 0 for a side without weight.
  double LeftErrors() {
    return ErrorsOf(&left_, [this](std::size_t bin) { return left_bins_[bin]; });
  }
  double RightErrors() {
    right_.all = all_ - left_.all;
    return ErrorsOf(&right_, [this](std::size_t bin) { return node_[bin] - left_bins_[bin]; });
  }
  /// The label bin of the right side's quantile, where that was last asked for.
  std::size_t RightBin() const { return right_.bin; }

 private:
  struct Side {
    ResidualSum all;
    ResidualSum below;    ///< of the bins below
    std::size_t bin = 0;  ///< the first up to which there is the quantile's share of the weight, when last sought
  };

  template <typename BinOf>
  double ErrorsOf(Side* side, BinOf&& bin_of) const {
    if (side->all.weight <= 0) return 0.0;
    auto const within = Seek(side, bin_of);
    auto const above = side->all - side->below - within;
    auto const constant = residuals_.ProductOf(within) / residuals_.WeightOf(within);
    auto const& errors = residuals_.Errors();
    return errors.above * (residuals_.ProductOf(above) - residuals_.WeightOf(above) * constant) +
           errors.below * (residuals_.WeightOf(side->below) * constant - residuals_.ProductOf(side->below));
  }

  /// Returns the sum of the bin.
  template <typename BinOf>
  ResidualSum Seek(Side* side, BinOf&& bin_of) const {
    auto const target = quantile_ * static_cast<double>(side->all.weight);
    auto const reaches = [target](std::int64_t weight) { return weight > 0 && static_cast<double>(weight) >= target; };
    while (side->bin > 0 && reaches(side->below.weight)) side->below -= bin_of(--side->bin);
    auto within = bin_of(side->bin);
    while (side->bin + 1 < kLabelBins && !reaches(side->below.weight + within.weight)) {
      side->below += within;
      within = bin_of(++side->bin);
    }
    return within;
  }

  FixedResiduals const& residuals_;
  LabelSums const& node_;
  ResidualSum all_;
  double quantile_;
  LabelSums left_bins_{};
  Side left_;
  Side right_;
};

}  // namespace kauri

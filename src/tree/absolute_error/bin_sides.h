/// \file The label bins on both sides of a boundary that moves up a feature, and the bins of their quantiles. Used on
/// the CPU and on CUDA devices.
///
/// Rows move from the right to the left. The sums below each side's quantile follow, and the quantile's bin is searched
/// from its previous position. A boundary thus costs as much as the moved rows, not as many steps as there are bins.
/// The result is the first bin that reaches the quantile, independent of the starting point: weights are non-negative,
/// so all later bins reach it, too.
#pragma once

#include <array>
#include <cstdint>

#include "kauri/host_device.h"
#include "tree/absolute_error/fixed_residuals.h"

namespace kauri {

constexpr std::size_t kLabelBins = 64;

using LabelSums = std::array<ResidualSum, kLabelBins>;

/// LeftBins holds the sums on the left: `ResidualSum Of(bin)`, `Add(bin, sum)`.
template <typename LeftBins>
class MovingSides {
 public:
  /// node: [kLabelBins], sums of all rows; `all` is their total. left: sums of the rows already on the left; all_left
  /// is their total. Referenced objects must outlive this object.
  KAURI_HD MovingSides(LineScale const& scale, ResidualSum const* node, ResidualSum const& all, LeftBins const& left,
                       ResidualSum const& all_left)
      : scale_(scale), node_(node), all_(all), quantile_(scale.Quantile()), left_bins_(left) {
    left_.all = all_left;
  }

  /// Moves rows of a label bin to the left.
  KAURI_HD void MoveLeft(std::size_t bin, ResidualSum const& sum) {
    left_bins_.Add(bin, sum);
    left_.all += sum;
    left_.below += sum.If(bin < left_.bin);
    right_.below -= sum.If(bin < right_.bin);
  }

  /// Returns the errors of the side's best constant, in units of the loss; 0 for a side without weight. The constant is
  /// the mean residual of the bin that contains the side's quantile.
  KAURI_HD double LeftErrors() {
    return ErrorsOf(&left_, [this](std::size_t bin) { return left_bins_.Of(bin); });
  }
  KAURI_HD double RightErrors() {
    right_.all = all_ - left_.all;
    return ErrorsOf(&right_, [this](std::size_t bin) { return node_[bin] - left_bins_.Of(bin); });
  }
  /// Returns the label bin of the right side's quantile, as of the last call of RightErrors.
  std::size_t RightBin() const { return right_.bin; }

 private:
  struct Side {
    ResidualSum all;
    ResidualSum below;    ///< sum of the lower bins
    std::size_t bin = 0;  ///< the first bin whose cumulated weight reaches the quantile, as of the last search
  };

  template <typename BinOf>
  KAURI_HD double ErrorsOf(Side* side, BinOf&& bin_of) const {
    if (side->all.weight <= 0) return 0.0;
    auto const within = Seek(side, bin_of);
    auto const above = side->all - side->below - within;
    auto const constant = scale_.ProductOf(within) / scale_.WeightOf(within);
    return scale_.above * (scale_.ProductOf(above) - scale_.WeightOf(above) * constant) +
           scale_.below * (scale_.WeightOf(side->below) * constant - scale_.ProductOf(side->below));
  }

  /// Finds the bin of the quantile and returns its sum.
  template <typename BinOf>
  KAURI_HD ResidualSum Seek(Side* side, BinOf&& bin_of) const {
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

  LineScale const& scale_;
  ResidualSum const* node_;
  ResidualSum all_;
  double quantile_;
  LeftBins left_bins_;
  Side left_;
  Side right_;
};

/// Sums of the left side that start at zero.
class OwnLeftBins {
 public:
  KAURI_HD ResidualSum const& Of(std::size_t bin) const { return sums_[bin]; }
  KAURI_HD void Add(std::size_t bin, ResidualSum const& sum) { sums_[bin] += sum; }

 private:
  LabelSums sums_{};
};

class BinSides : public MovingSides<OwnLeftBins> {
 public:
  /// node: sums of all rows, which start on the right; `all` is their total. Referenced objects must outlive this
  /// object.
  BinSides(FixedResiduals const& residuals, LabelSums const& node, ResidualSum const& all)
      : MovingSides(residuals.Scale(), node.data(), all, {}, {}) {}
};

}  // namespace kauri

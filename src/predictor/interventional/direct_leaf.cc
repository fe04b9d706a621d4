#include "predictor/interventional/direct_leaf.h"

#include <hwy/base.h>

#include <algorithm>
#include <numeric>

#include "predictor/interventional/path_program.h"

namespace kauri {
namespace {

/// Returns the bits of the plane that represent features.
std::uint32_t MaskOfPlane(std::uint32_t n_features, std::size_t plane) {
  auto const left = n_features - static_cast<std::uint32_t>(plane) * kPlaneBits;
  return left >= kPlaneBits ? ~0U : (1U << left) - 1U;
}

std::uint32_t CountBits(std::uint32_t const* planes, std::size_t n_planes) {
  std::size_t n_bits = 0;
  for (std::size_t plane = 0; plane < n_planes; ++plane) n_bits += hwy::PopCount(planes[plane]);
  return static_cast<std::uint32_t>(n_bits);
}

bool Overlap(std::uint32_t const* a, std::uint32_t const* b, std::size_t n_planes) {
  std::uint32_t both = 0;
  for (std::size_t plane = 0; plane < n_planes; ++plane) both |= a[plane] & b[plane];
  return both != 0;
}

template <typename Fn>
void ForEachBit(std::uint32_t const* planes, std::size_t n_planes, Fn&& fn) {
  for (std::size_t plane = 0; plane < n_planes; ++plane) {
    for (auto bits = planes[plane]; bits != 0; bits &= bits - 1) {
      fn(plane * kPlaneBits + hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
    }
  }
}

/// Adds the contributions of one row. missed: the features that the row does not satisfy.
void AddRow(DirectLeaf const& leaf, std::uint32_t const* missed, std::size_t n_planes, ShapleyWeights const& weights,
            double* sums) {
  auto const b = CountBits(missed, n_planes);
  double of_missed = 0.0;
  auto const* pattern = leaf.missed.data();
  for (std::size_t p = 0; p < leaf.weight.size(); ++p, pattern += n_planes) {
    if (Overlap(missed, pattern, n_planes)) continue;
    auto const a = leaf.n_missed[p];
    if (b > 0) of_missed += leaf.weight[p] * weights.At(b, a);
    if (a == 0) continue;
    auto const value = leaf.weight[p] * weights.At(a, b);
    ForEachBit(pattern, n_planes, [&](std::size_t position) { sums[position] += value; });
  }
  ForEachBit(missed, n_planes, [&](std::size_t position) { sums[position] -= of_missed; });
}

}  // namespace

ShapleyWeights::ShapleyWeights(std::uint32_t most) : size_(std::size_t{most} + 1), weights_(size_ * size_, 0.0) {
  for (std::size_t k = 1; k < size_; ++k) {
    for (std::size_t l = 0; k + l < size_; ++l) {
      auto const n = static_cast<double>(k + l);
      auto const before = k == 1 ? 1.0 : weights_[(k - 1) * size_ + l] * static_cast<double>(k - 1);
      weights_[k * size_ + l] = before / n;
    }
  }
}

DirectLeafBuilder::DirectLeafBuilder(std::uint32_t n_features) { leaf_.n_features = n_features; }

void DirectLeafBuilder::Add(std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      leaf_.missed.push_back(~planes[plane][row] & MaskOfPlane(leaf_.n_features, plane));
    }
  }
  count_.resize(count_.size() + ToSize(n_rows), 1);
  if (count_.size() < merge_at_) return;
  Merge();
  merge_at_ = 2 * count_.size();
}

void DirectLeafBuilder::Merge() {
  std::size_t const n_planes = NumPlanes(leaf_.n_features);
  auto const at = [&](std::size_t pattern) {
    return leaf_.missed.begin() + static_cast<std::ptrdiff_t>(pattern * n_planes);
  };
  std::vector<std::size_t> order(count_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(at(a), at(a + 1), at(b), at(b + 1));
  });
  std::vector<std::uint32_t> missed;
  std::vector<std::int64_t> count;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && std::equal(at(order[i]), at(order[i] + 1), at(order[i - 1]))) {
      count.back() += count_[order[i]];
    } else {
      missed.insert(missed.end(), at(order[i]), at(order[i] + 1));
      count.push_back(count_[order[i]]);
    }
  }
  leaf_.missed = std::move(missed);
  count_ = std::move(count);
}

DirectLeaf DirectLeafBuilder::Finish(double value) {
  Merge();
  std::size_t const n_planes = NumPlanes(leaf_.n_features);
  for (std::size_t p = 0; p < count_.size(); ++p) {
    leaf_.n_missed.push_back(CountBits(leaf_.missed.data() + p * n_planes, n_planes));
    leaf_.weight.push_back(static_cast<double>(count_[p]) * value);
  }
  return std::move(leaf_);
}

void AddDirect(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
               ShapleyWeights const& weights, double* sums, std::int64_t stride) {
  std::vector<std::uint32_t> missed(planes.size());
  for (std::int64_t row = 0; row < n_rows; ++row, sums += stride) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      missed[plane] = ~planes[plane][row] & MaskOfPlane(leaf.n_features, plane);
    }
    AddRow(leaf, missed.data(), planes.size(), weights, sums);
  }
}

}  // namespace kauri

#include "predictor/interventional/direct_leaf.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kauri/span.h"
#include "predictor/interventional/interventional_kernel.h"
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

/// A row at a leaf.
struct RowAtLeaf {
  std::uint32_t const* missed;              ///< the features that the row does not satisfy
  Span<std::uint32_t const> satisfy_these;  ///< numbers of the background's patterns that satisfy them all
};

/// Adds the contributions of one row.
void AddRow(DirectLeaf const& leaf, RowAtLeaf const& row, std::size_t n_planes, DirectWeights const& weights,
            std::int64_t* sums) {
  auto const b = CountBits(row.missed, n_planes);
  std::int64_t of_missed = 0;
  for (auto const p : row.satisfy_these) {
    auto const a = leaf.n_missed[p];
    if (b > 0) of_missed += weights.Units(leaf.weight[p] * weights.OfBackground(a, b));
    if (a == 0) continue;
    auto const value = weights.Units(leaf.weight[p] * weights.OfRow(a, b));
    ForEachBit(leaf.missed.data() + p * n_planes, n_planes, [&](std::size_t position) { sums[position] += value; });
  }
  ForEachBit(row.missed, n_planes, [&](std::size_t position) { sums[position] -= of_missed; });
}

/// The cells of one row's pairs; for one thread.
class RowPairs {
 public:
  RowPairs(DirectLeaf const& leaf, std::size_t n_planes, DirectWeights const& weights)
      : leaf_(leaf), n_planes_(n_planes), weights_(weights), mixed_(leaf.n_features) {}

  /// Adds the cells of a row.
  void Add(RowAtLeaf const& row, std::int64_t* sums) {
    auto const b = CountBits(row.missed, n_planes_);
    std::int64_t of_missed = 0;
    std::fill(mixed_.begin(), mixed_.end(), 0);
    for (auto const p : row.satisfy_these) {
      auto const* pattern = leaf_.missed.data() + p * n_planes_;
      auto const a = leaf_.n_missed[p];
      if (b > 1) of_missed += weights_.Units(leaf_.weight[p] * weights_.HalfPair(a, b - 2));
      if (a > 0 && b > 0) {
        auto const value = weights_.Units(leaf_.weight[p] * weights_.HalfPair(a - 1, b - 1));
        ForEachBit(pattern, n_planes_, [&](std::size_t position) { mixed_[position] -= value; });
      }
      if (a > 1) AddAmong(pattern, weights_.Units(leaf_.weight[p] * weights_.HalfPair(a - 2, b)), sums);
    }
    if (b > 1) AddAmong(row.missed, of_missed, sums);
    ForEachBit(row.missed, n_planes_, [&](std::int64_t position) {
      for (std::int64_t other = 0; other < leaf_.n_features; ++other) {
        if (mixed_[other] != 0) sums[PairNumber(position, other)] += mixed_[other];
      }
    });
  }

 private:
  /// Adds the value to all pairs of the features.
  void AddAmong(std::uint32_t const* features, std::int64_t value, std::int64_t* sums) {
    positions_.clear();
    ForEachBit(features, n_planes_, [&](std::int64_t position) {
      auto* const to = sums + NumPairs(position);
      for (auto const before : positions_) to[before] += value;
      positions_.push_back(position);
    });
  }

  DirectLeaf const& leaf_;
  std::size_t n_planes_;
  DirectWeights const& weights_;
  std::vector<std::int64_t> mixed_;  ///< by feature that only the row satisfies: its pairs with each one that it misses
  std::vector<std::int64_t> positions_;
};

/// Calls fn(RowAtLeaf, number of the row) for each row.
template <typename Fn>
void ForEachRow(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows, Fn&& fn) {
  std::vector<std::uint32_t> missed(planes.size());
  std::vector<std::uint32_t> found(leaf.weight.size() + kFoundRoom);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      missed[plane] = ~planes[plane][row] & MaskOfPlane(leaf.n_features, plane);
    }
    std::size_t n_found = 0;
    if (planes.size() == 1) {
      n_found = FindDisjoint(leaf.missed, missed[0], found.data());
    } else {
      for (std::uint32_t p = 0; p < leaf.weight.size(); ++p) {
        if (!Overlap(missed.data(), leaf.missed.data() + p * planes.size(), planes.size())) found[n_found++] = p;
      }
    }
    fn(RowAtLeaf{missed.data(), {found.data(), n_found}}, row);
  }
}

}  // namespace

ShapleyWeights::ShapleyWeights(std::uint32_t most, Semivalue semivalue)
    : size_(std::size_t{most} + 1), are_alone_(semivalue == Semivalue::kTaylorPairs), weights_(size_ * size_, 0.0) {
  for (std::size_t k = 1; k < size_; ++k) {
    for (std::size_t l = 0; k + l < size_; ++l) {
      if (semivalue == Semivalue::kBanzhaf) {
        weights_[k * size_ + l] = std::ldexp(2.0, -static_cast<int>(k + l));
        continue;
      }
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
               DirectWeights const& weights, std::int64_t* sums, std::int64_t stride) {
  ForEachRow(leaf, planes, n_rows, [&](RowAtLeaf const& at_leaf, std::int64_t row) {
    AddRow(leaf, at_leaf, planes.size(), weights, sums + row * stride);
  });
}

void AddDirectPairs(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
                    DirectWeights const& weights, std::int64_t* sums, std::int64_t stride) {
  RowPairs pairs(leaf, planes.size(), weights);
  ForEachRow(leaf, planes, n_rows,
             [&](RowAtLeaf const& at_leaf, std::int64_t row) { pairs.Add(at_leaf, sums + row * stride); });
}

}  // namespace kauri

#include "predictor/dependence/leaf_shares.h"

namespace kauri {
namespace {

/// Returns the share of the background in a box.
double ShareOf(TreeBoxes const& boxes, LeafBox const& box, std::vector<double> const& cell_shares) {
  double share = 0.0;
  for (auto run = box.first_run; run < box.first_run + box.n_runs; ++run) {
    for (auto cell = boxes.runs[run].begin; cell < boxes.runs[run].end; ++cell) share += cell_shares[cell];
  }
  return share;
}

/// Appends the products of all factors, of all but one, and of all but two. Nothing is divided, so factors may be 0.
void AppendProducts(std::vector<double> const& factors, bool has_pairs, std::vector<double>* products) {
  auto const k = factors.size();
  std::vector<double> after(k + 1, 1.0);  // products of the factors from an index on
  for (auto a = k; a > 0; --a) after[a - 1] = factors[a - 1] * after[a];
  std::vector<double> before(k + 1, 1.0);
  for (std::size_t a = 0; a < k; ++a) before[a + 1] = before[a] * factors[a];
  products->push_back(after[0]);
  for (std::size_t a = 0; a < k; ++a) products->push_back(before[a] * after[a + 1]);
  for (std::size_t a = 0; has_pairs && a < k; ++a) {
    auto others = before[a];
    for (auto b = a + 1; b < k; ++b) {
      products->push_back(others * after[b + 1]);
      others *= factors[b];
    }
  }
}

}  // namespace

LeafShares SharesOf(TreeBoxes const& boxes, std::int64_t const* counts, double total, bool has_pairs) {
  LeafShares shares;
  shares.has_pairs = has_pairs;
  for (auto const& leaf : boxes.leaves) {
    shares.begin.push_back(shares.values.size());
    auto const k = leaf.n_boxes;
    auto const add = [&](std::int64_t count) { shares.values.push_back(static_cast<double>(count) / total); };
    add(counts[0]);
    for (std::uint32_t a = 1; a <= k; ++a) add(counts[0] + counts[a]);
    for (std::uint32_t a = 1; has_pairs && a <= k; ++a) {
      for (auto b = a + 1; b <= k; ++b) add(counts[0] + counts[a] + counts[b] + counts[LeafCount(k, a, b)]);
    }
    counts += NumLeafCounts(k, has_pairs);
  }
  return shares;
}

LeafShares MultiplyShares(TreeBoxes const& boxes, std::vector<std::vector<double>> const& cell_shares, bool has_pairs) {
  LeafShares shares;
  shares.has_pairs = has_pairs;
  std::vector<double> factors;
  for (auto const& leaf : boxes.leaves) {
    factors.clear();
    for (auto box = leaf.first_box; box < leaf.first_box + leaf.n_boxes; ++box) {
      factors.push_back(ShareOf(boxes, boxes.boxes[box], cell_shares[boxes.boxes[box].slot]));
    }
    shares.begin.push_back(shares.values.size());
    AppendProducts(factors, has_pairs, &shares.values);
  }
  return shares;
}

}  // namespace kauri

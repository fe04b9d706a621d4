#include "booster/predict/hybrid_game.h"

#include <algorithm>
#include <utility>

#include "common/threads/parallel_for.h"

namespace kauri {

HybridGame::HybridGame(HybridScene const& scene, std::int64_t row, std::vector<std::int32_t> const& keys,
                       std::vector<std::int32_t> const& player_of_slot, std::int32_t n_players,
                       std::vector<float> start)
    : scene_(scene),
      row_(row),
      keys_(keys),
      trees_{scene.trees.forest, scene.trees.own, scene.trees.leaves, player_of_slot, n_players},
      start_(std::move(start)) {}

void HybridGame::AddOutputs(std::int64_t n, std::vector<std::int64_t> const& fixed, double* sums) const {
  Context const alone;  // other threads work on other background rows
  auto const n_margins = scene_.NumMargins();
  std::vector<float> values(ToSize(n * n_margins));
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const output = static_cast<std::int64_t>(i) % n_margins;
    auto const start = static_cast<double>(start_[ToSize(output)]);
    values[i] = static_cast<float>(start + trees_.leaves.ValueOf(fixed[i], output));
  }
  if (scene_.objective != nullptr) scene_.objective->TransformMargins(alone, values, n_margins);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* of_row = values.data() + i * n_margins;
    if (scene_.loss != nullptr) {
      sums[i] += scene_.loss->Of(row_, of_row);
      continue;
    }
    for (std::int64_t output = 0; output < n_margins; ++output) {
      sums[i * n_margins + output] += static_cast<double>(of_row[output]);
    }
  }
}

template <typename SumAll>
void HybridGame::MeanOverBackground(std::int64_t n, Span<double> worth, SumAll&& sum_all) const {
  constexpr std::int64_t kBlock = 8;  // background rows in a block; sums are added in the order of blocks
  constexpr std::int64_t kWave = 32;  // blocks held in memory at a time
  auto const size = n * NumOutputs();
  auto const n_slots = trees_.forest.NumSlots();
  std::fill(worth.begin(), worth.begin() + size, 0.0);
  for (std::int64_t first = 0; first < scene_.n_background; first += kWave * kBlock) {
    auto const n_rows = std::min(kWave * kBlock, scene_.n_background - first);
    std::vector<double> sums(ToSize(NumBlocks(n_rows, kBlock) * size), 0.0);
    ParallelForBlocks(scene_.ctx, n_rows, kBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      HybridTrees trees(trees_);
      std::vector<std::int64_t> fixed(ToSize(n * scene_.NumMargins()));
      for (auto i = begin; i < end; ++i) {
        trees.Compile(keys_.data(), scene_.background.data() + (first + i) * n_slots);
        sum_all(&trees, fixed);
        AddOutputs(n, fixed, sums.data() + block * size);
      }
    });
    for (std::size_t i = 0; i < sums.size(); ++i) worth[static_cast<std::int64_t>(i) % size] += sums[i];
  }
  for (std::int64_t i = 0; i < size; ++i) worth[i] /= static_cast<double>(scene_.n_background);
}

void HybridGame::Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) {
  auto const n_margins = scene_.NumMargins();
  MeanOverBackground(n, worth, [&](HybridTrees* trees, std::vector<std::int64_t>& fixed) {
    for (std::int64_t i = 0; i < n; ++i) {
      trees->SumMask(masks.data() + i * NumPlayers(), {fixed.data() + i * n_margins, n_margins});
    }
  });
}

void HybridGame::EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) {
  auto const d = std::int64_t{NumPlayers()};
  auto const width = (d + 1) * scene_.NumMargins();
  std::vector<std::uint32_t> ranks(ToSize(n * d));
  for (std::int64_t i = 0; i < n * d; ++i) ranks[ToSize(i / d * d + orders[i])] = static_cast<std::uint32_t>(i % d);
  MeanOverBackground(n * (d + 1), worth, [&](HybridTrees* trees, std::vector<std::int64_t>& fixed) {
    for (std::int64_t i = 0; i < n; ++i) {
      trees->SumOrder(ranks.data() + i * d, {fixed.data() + i * width, width});
    }
  });
}

}  // namespace kauri

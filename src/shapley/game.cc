#include "shapley/game.h"

#include <algorithm>
#include <numeric>

#include "common/memory_size.h"
#include "kauri/error.h"

namespace kauri {

void Game::EvaluateOrders(std::int64_t, Span<std::uint32_t const>, Span<double>) {
  Fail(ErrorKind::kInternal, "the game does not evaluate orders.");
}

bool Evaluations::Recurs(std::uint8_t const* mask) const {
  constexpr std::int32_t kFewPlayers = 16;
  if (d_ <= kFewPlayers) return true;
  auto const size = std::accumulate(mask, mask + d_, std::int32_t{0});
  return size <= 1 || size >= d_ - 1;
}

void Evaluations::Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) {
  std::vector<std::uint8_t> asked;
  std::vector<std::int64_t> source(ToSize(n));  // >= 0: index among the new coalitions; -1: known
  std::unordered_map<std::string, std::int64_t> new_ones;
  std::int64_t n_asked = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* mask = masks.data() + i * d_;
    std::string key;
    if (Recurs(mask)) {
      key.assign(mask, mask + d_);
      source[ToSize(i)] = known_.count(key) != 0 ? -1 : new_ones.emplace(key, n_asked).first->second;
      if (source[ToSize(i)] < n_asked) continue;
    }
    source[ToSize(i)] = n_asked++;
    asked.insert(asked.end(), mask, mask + d_);
  }
  std::vector<double> found(SizeInMemory(n_asked * n_outputs_));
  if (n_asked != 0) game_.Evaluate(n_asked, asked, found);
  count_ += n_asked;
  for (auto const& [key, number] : new_ones) {
    known_[key].assign(found.begin() + number * n_outputs_, found.begin() + (number + 1) * n_outputs_);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* mask = masks.data() + i * d_;
    auto const* from = source[ToSize(i)] < 0 ? known_.at(std::string(mask, mask + d_)).data()
                                             : found.data() + source[ToSize(i)] * n_outputs_;
    std::copy_n(from, n_outputs_, worth.data() + i * n_outputs_);
  }
}

void Evaluations::EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) {
  if (game_.HasOrders()) {
    game_.EvaluateOrders(n, orders, worth);
    count_ += n * (d_ - 1) + (known_.empty() ? 2 : 0);
    auto const* nobody = worth.data();
    auto const* everybody = nobody + d_ * n_outputs_;
    known_[std::string(ToSize(d_), '\0')].assign(nobody, nobody + n_outputs_);
    known_[std::string(ToSize(d_), '\1')].assign(everybody, everybody + n_outputs_);
    return;
  }
  auto const n_masks = n * (d_ + 1);
  std::vector<std::uint8_t> masks(SizeInMemory(n_masks * d_), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 1; k <= d_; ++k) {
      auto* mask = masks.data() + (i * (d_ + 1) + k) * d_;
      std::copy_n(mask - d_, d_, mask);
      mask[orders[i * d_ + k - 1]] = 1;
    }
  }
  Evaluate(n_masks, masks, worth);
}

std::vector<double> Evaluations::WorthOf(bool everybody) {
  std::vector<std::uint8_t> const mask(ToSize(d_), everybody ? 1 : 0);
  std::vector<double> worth(ToSize(n_outputs_));
  Evaluate(1, mask, worth);
  return worth;
}

}  // namespace kauri

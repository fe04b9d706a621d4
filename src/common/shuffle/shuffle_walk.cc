#include "common/shuffle/shuffle_walk.h"

#include <algorithm>

#include "common/shuffle/shuffle.h"

namespace kauri {

template <typename Bijection>
std::vector<std::int64_t> BijectiveShuffle<Bijection>::First(Context const& ctx, std::int64_t count) const {
  std::vector<std::int64_t> first(static_cast<std::size_t>(std::min(count, n_)));
  WalkShuffle(ctx, *this, static_cast<std::int64_t>(first.size()), [&](auto position, auto const* elements, auto n) {
    std::copy(elements, elements + n, first.begin() + position);
  });
  return first;
}

template class BijectiveShuffle<VariablePhilox>;
template class BijectiveShuffle<LinearCongruential>;
template class BijectiveShuffle<SwapOrNot>;

}  // namespace kauri

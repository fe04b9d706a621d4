#include "common/loss/rank_discount.h"

#include "common/threads/parallel_for.h"

namespace kauri {

std::vector<double> RankDiscounts(Context const& ctx, std::int64_t n) {
  constexpr std::int64_t kPlacesPerBlock = 1 << 10;
  std::vector<double> discounts(n);
  ParallelForBlocks(ctx, n, kPlacesPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto place = begin; place < end; ++place) discounts[place] = RankDiscount(place);
  });
  return discounts;
}

}  // namespace kauri

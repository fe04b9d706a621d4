/// Sobol points on the sphere (section 5.4.3, Algorithm 4). The paper prints a cosine for i < d - 2, which leaves the
/// sphere; the correct condition is i <= d - 2.
#include <vector>

#include "common/threads/parallel_for.h"
#include "shapley/samplers.h"
#include "shapley/sine_power.h"
#include "shapley/sobol_points.h"
#include "shapley/sphere_points.h"

namespace kauri {

static_assert(kMostSobolPlayers == kSobolDimensions + 2);

SpherePoints::SpherePoints(std::int32_t d) : sobol_(d == 2 ? 1 : d - 2) {
  for (auto m = d - 3; m >= 1; --m) angles_.emplace_back(m);
}

void SpherePoints::At(std::uint32_t index, std::uint64_t key, Span<double> point) const {
  auto const width = static_cast<std::int64_t>(point.size());
  std::vector<double> u(ToSize(width == 1 ? 1 : width - 1));
  sobol_.Scrambled(index, key, u);
  if (width == 1) {
    point[0] = u[0] < 0.5 ? 1.0 : -1.0;
    return;
  }
  double radius = 1.0;
  for (std::int64_t i = 0; i + 1 < width; ++i) {
    auto const angle = i + 2 < width ? angles_[ToSize(i)].Inverse(u[ToSize(i)]) : TurnOf(u[ToSize(i)]);
    point[i] = radius * angle.cosine;
    radius *= angle.sine;
  }
  point[width - 1] = radius;
}

void SampleSobol(Context const& ctx, OrderOptions const& options, Orders* orders) {
  constexpr std::int64_t kBlock = 16;
  auto const d = orders->d;
  auto const unit = (orders->n + options.n_scrambles - 1) / options.n_scrambles;
  orders->unit = unit;
  SphereMap const map(d);
  SpherePoints const points(d);
  ParallelForBlocks(ctx, orders->n, kBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<double> point(ToSize(d - 1));
    for (auto i = begin; i < end; ++i) {
      auto const scramble = static_cast<std::uint64_t>(options.first_unit + i / unit);
      points.At(static_cast<std::uint32_t>(i % unit), OrderKey(options.seed, OrderStream::kScramble, scramble), point);
      map.OrderOf(point, {orders->order.data() + i * d, d});
    }
  });
}

}  // namespace kauri

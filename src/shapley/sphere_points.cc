#include "shapley/sphere_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "common/math.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "shapley/orders.h"
#include "shapley/sobol_points.h"

namespace kauri {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Returns x^(n/2).
double HalfPower(double x, std::int32_t n) {
  double power = n % 2 == 0 ? 1.0 : std::sqrt(x);
  auto square = x;
  for (auto rest = n / 2; rest != 0; rest /= 2) {
    if (rest % 2 != 0) power *= square;
    square *= square;
  }
  return power;
}

/// Returns sum_k prod_(i<k) (a + i)/(b + i) x^k, for x below 1.
double SumSeries(double a, double b, double x) {
  double sum = 0.0;
  double term = 1.0;
  for (int k = 0; term > 1e-17 * sum; ++k) {
    sum += term;
    term *= x * (a + k) / (b + k);
  }
  return sum;
}

}  // namespace

SinePower::SinePower(std::int32_t m) : m_(m), half_beta_(m % 2 == 0 ? kPi / 2.0 : 1.0) {
  // Starting at B(1/2, 1/2) = pi or B(1, 1/2) = 2, B(a + 1, 1/2) = B(a, 1/2) a / (a + 1/2).
  for (auto twice_a = m % 2 == 0 ? 1 : 2; twice_a < m + 1; twice_a += 2) {
    half_beta_ *= static_cast<double>(twice_a) / static_cast<double>(twice_a + 1);
  }
}

SinePower::Shares SinePower::SharesAt(double t) const {
  auto const a = static_cast<double>(m_ + 1) / 2.0;
  auto const x = (1.0 - t) * (1.0 + t);
  auto const power = HalfPower(x, m_ + 1);
  Shares shares{0.0, 0.0, HalfPower(x, m_ - 1) / half_beta_};
  if (x < 0.5) {
    shares.outer = t * power * SumSeries(a + 0.5, a + 1.0, x) / (2.0 * a * half_beta_);
    shares.inner = 1.0 - shares.outer;
  } else {
    shares.inner = t * power * SumSeries(a + 0.5, 1.5, t * t) / half_beta_;
    shares.outer = 1.0 - shares.inner;
  }
  return shares;
}

Angle SinePower::Inverse(double u) const {
  auto const outer = u < 0.5 ? 2.0 * u : 2.0 * (1.0 - u);
  auto const inner = 1.0 - outer;
  auto t = inner * half_beta_;
  for (int step = 0; step < 200; ++step) {
    auto const shares = SharesAt(t);
    // The smaller of the two is more precise.
    auto const missing = inner < outer ? inner - shares.inner : shares.outer - outer;
    auto const next = shares.slope > 0.0 ? t + missing / shares.slope : t;
    auto const done = !(next - t > 1e-15) || next >= 1.0;
    t = next < 1.0 ? next : t;
    if (done) break;
  }
  return {u < 0.5 ? t : -t, std::sqrt((1.0 - t) * (1.0 + t))};
}

Angle TurnOf(double u) {
  auto const eighths = static_cast<int>(u * 8.0);
  auto const quarter = (eighths + 1) / 2;  // the nearest multiple of a quarter
  auto const angle = 2.0 * kPi * (u - 0.25 * static_cast<double>(quarter));
  auto const square = angle * angle;
  double cosine = 0.0;
  double sine = 0.0;
  for (int k = 10; k >= 1; --k) {  // Horner's scheme; the rest is below (pi/4)^21 / 21!
    cosine = -square * (1.0 + cosine) / static_cast<double>((2 * k - 1) * 2 * k);
    sine = -square * (1.0 + sine) / static_cast<double>(2 * k * (2 * k + 1));
  }
  Angle turned{1.0 + cosine, angle * (1.0 + sine)};
  for (int i = 0; i < quarter; ++i) turned = {-turned.sine, turned.cosine};
  return turned;
}

// Orthogonal spherical codes (section 5.4.2, Algorithm 3). The paper prints d columns of X, which has d - 1, and an
// inner loop over j <= i instead of j < i.

namespace {

/// Independent normals by Marsaglia's polar method, which needs no sines.
class Normals {
 public:
  explicit Normals(std::uint64_t key) : key_(key) {}

  double Next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      auto const x = 2.0 * RandomUniform(key_, counter_) - 1.0;
      auto const y = 2.0 * RandomUniform(key_, counter_ + 1) - 1.0;
      counter_ += 2;
      auto const square = x * x + y * y;
      if (square >= 1.0 || square == 0.0) continue;
      auto const length = std::sqrt(-2.0 * Log(square) / square);
      spare_ = y * length;
      has_spare_ = true;
      return x * length;
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// Returns the dot product, summed in four lanes, whose additions do not wait for each other.
double Dot(double const* a, double const* b, std::int64_t n) {
  double lanes[4] = {};
  auto const whole = n / 4 * 4;
  for (std::int64_t i = 0; i < whole; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (auto i = whole; i < n; ++i) lanes[i - whole] += a[i] * b[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// Orthonormalises rows [n_rows, width] by Gram and Schmidt's process, each row twice: with a single pass, some angles
/// are far from right with several hundred rows.
void Orthonormalise(std::int64_t n_rows, std::int64_t width, std::vector<double>* rows) {
  for (std::int64_t i = 0; i < n_rows; ++i) {
    auto* row = rows->data() + i * width;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j < i; ++j) {
        auto const* other = rows->data() + j * width;
        auto const along = Dot(row, other, width);
        for (std::int64_t k = 0; k < width; ++k) row[k] -= along * other[k];
      }
      auto const length = std::sqrt(Dot(row, row, width));
      for (std::int64_t k = 0; k < width; ++k) row[k] /= length;
    }
  }
}

/// Writes a unit of orders (out): [n, d], alternately an order and its reverse; n up to 2 (d - 1).
void OrthogonalUnit(SphereMap const& map, std::uint64_t key, std::int64_t n, std::int32_t d, std::uint32_t* orders) {
  auto const width = std::int64_t{d} - 1;
  auto const n_rows = (n + 1) / 2;
  std::vector<double> rows(SizeInMemory(n_rows * width));
  Normals normals(key);
  for (auto& value : rows) value = normals.Next();
  Orthonormalise(n_rows, width, &rows);
  for (std::int64_t i = 0; i < n_rows; ++i) {
    auto* order = orders + 2 * i * d;
    map.OrderOf({rows.data() + i * width, width}, {order, d});
    if (2 * i + 1 < n) std::reverse_copy(order, order + d, order + d);
  }
}

}  // namespace

SphereMap::SphereMap(std::int32_t d) : scale_(ToSize(d), 0.0) {
  for (std::int32_t k = 1; k < d; ++k) {
    auto const count = static_cast<double>(k);
    scale_[ToSize(k)] = 1.0 / std::sqrt(count + count * count);
  }
}

void SphereMap::OrderOf(Span<double const> point, Span<std::uint32_t> order) const {
  auto const d = static_cast<std::int64_t>(order.size());
  std::vector<double> z(ToSize(d));
  double after = 0.0;  // the sum of point[k] scale[k] over the rows k above j
  for (auto j = d - 1; j >= 0; --j) {
    auto const own = j == 0 ? 0.0 : point[j - 1] * scale_[ToSize(j)];
    z[ToSize(j)] = after - static_cast<double>(j) * own;
    after += own;
  }
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return z[a] < z[b]; });
}

void SampleOrthogonal(Context const& ctx, OrderOptions const& options, Orders* orders) {
  SphereMap const map(orders->d);
  ParallelForBlocks(ctx, orders->n, orders->unit, [&](std::int64_t begin, std::int64_t end, std::int64_t unit) {
    auto const number = static_cast<std::uint64_t>(options.first_unit + unit);
    OrthogonalUnit(map, OrderKey(options.seed, OrderStream::kNormals, number), end - begin, orders->d,
                   orders->order.data() + begin * orders->d);
  });
}

// Sobol points on the sphere (section 5.4.3, Algorithm 4). The paper prints a cosine for i < d - 2, which leaves the
// sphere; the correct condition is i <= d - 2.

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

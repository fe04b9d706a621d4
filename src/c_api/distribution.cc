/// \file Functions of distributions: densities, shares, quantiles, samples and scores, from the parameters that models
/// of objective=dist:... predict.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/distribution/family.h"
#include "common/math.h"
#include "common/random/random.h"
#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"

namespace kauri::c_api {
namespace {

using distribution::Family;

enum class Function { kMean, kDeviation, kDensity, kLogDensity, kCumulative, kQuantile, kSample, kCrps };

struct NamedFunction {
  char const* name;
  Function function;
  bool takes_points;
};

constexpr NamedFunction kFunctions[] = {
    {"mean", Function::kMean, false},      {"deviation", Function::kDeviation, false},
    {"density", Function::kDensity, true}, {"log_density", Function::kLogDensity, true},
    {"cdf", Function::kCumulative, true},  {"quantile", Function::kQuantile, true},
    {"sample", Function::kSample, false},  {"crps", Function::kCrps, true},
};

NamedFunction const& FunctionNamed(std::string const& name) {
  std::string known;
  for (auto const& function : kFunctions) {
    if (name == function.name) return function;
    known += (known.empty() ? "" : ", ") + std::string(function.name);
  }
  Fail(ErrorKind::kParameter, "function is ", Quoted(name), "; expected one of ", known, ".");
}

Family const& FamilyNamed(std::string const& name) {
  if (auto const* const family = distribution::FindFamily(name)) return *family;
  std::string known;
  for (auto const* family : distribution::Families())
    known += (known.empty() ? "" : ", ") + std::string(family->Name());
  Fail(ErrorKind::kParameter, "distribution is ", Quoted(name), "; expected one of ", known, ".");
}

/// Returns whether a parameter may have the value.
bool IsParameter(Family const& family, std::string const& name, double value) {
  if (!std::isfinite(value)) return false;
  if (name == "share") return value >= 0.0 && value <= 1.0;
  if (name == "df") return value > 1.0;
  if (name == "scale" || name == "scale_log" || name == "shape" || name == "size") return value > 0.0;
  return value > 0.0 || !family.IsUnitFree();  // means of positive labels; locations may be any number
}

void CheckParameters(Family const& family, double const* parameters, std::int64_t n_rows) {
  auto const names = family.ParameterNames();
  auto const n = static_cast<std::int64_t>(names.size());
  for (std::int64_t i = 0; i < n_rows * n; ++i) {
    auto const& name = names[ToSize(i % n)];
    if (IsParameter(family, name, parameters[i])) continue;
    Fail(ErrorKind::kData, "the parameter ", name, " of the distribution ", family.Name(), " is ", parameters[i],
         " in row ", i / n, ", which it cannot be; give predictions of a model of objective=dist:", family.Name(), ".");
  }
}

/// Returns the quantile of a share in [0, 1]; at the ends the limits of the labels.
double QuantileOf(Family const& family, double const* parameters, double share) {
  if (!(share >= 0.0 && share <= 1.0)) {
    Fail(ErrorKind::kParameter, "quantile of the share ", share, "; expected a share from 0 to 1.");
  }
  auto const infinity = std::numeric_limits<double>::infinity();
  if (share == 1.0) return infinity;
  if (share > 0.0) return family.Quantile(parameters, share);
  return family.Takes(-1.0F) ? -infinity : 0.0;
}

/// Returns the value of a function of points at NaN, which is NaN, or at an infinite point, which is the limit.
double LimitAt(Function function, double point) {
  auto const infinity = std::numeric_limits<double>::infinity();
  if (point != point) return point;
  if (function == Function::kCrps) return infinity;
  if (function == Function::kLogDensity) return -infinity;
  return function == Function::kCumulative && point > 0.0 ? 1.0 : 0.0;
}

double ValueAt(Family const& family, Function function, double const* parameters, double point) {
  if (function != Function::kQuantile && !std::isfinite(point)) return LimitAt(function, point);
  switch (function) {
    case Function::kMean:
      return family.Mean(parameters);
    case Function::kDeviation:
      return family.Deviation(parameters);
    case Function::kDensity:
      return Exp(family.LogDensity(parameters, point));
    case Function::kLogDensity:
      return family.LogDensity(parameters, point);
    case Function::kCumulative:
      return family.Cumulative(parameters, point).lower;
    case Function::kCrps:
      return family.Crps(parameters, point);
    case Function::kQuantile:
    case Function::kSample:
      break;
  }
  return QuantileOf(family, parameters, point);
}

/// Returns a uniform number in (0, 1). The draws of a row do not depend on other rows or on the number of draws.
double UniformAt(std::uint64_t seed, std::int64_t row, std::int64_t draw) {
  constexpr std::uint64_t kPurpose = 0x44495354;  // "DIST": apart from the streams of training
  auto const key = CombineKeys(CombineKeys(seed, kPurpose), static_cast<std::uint64_t>(row));
  auto const drawn = RandomUniform(key, static_cast<std::uint64_t>(draw)) + 0x1.0p-54;
  return drawn < 1.0 ? drawn : 1.0 - 0x1.0p-53;  // the largest draw and the half of its last bit round to 1
}

struct Request {
  Family const& family;
  NamedFunction const& function;
  bool has_points_of_rows;  ///< points: [n_rows, n_points], else [n_points]
  std::uint64_t seed;
};

void Evaluate(Request const& request, std::int64_t n_rows, double const* parameters, std::int64_t n_points,
              double const* points, double* out) {
  auto const n_parameters = request.family.NumParameters();
  CheckParameters(request.family, parameters, n_rows);
  auto const function = request.function.function;
  ParallelForBlocks(MakeContext(0), n_rows, 256, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t i = 0; i < n_points; ++i) {
        auto const of_row = request.has_points_of_rows ? row * n_points : 0;
        auto const point = function == Function::kSample   ? UniformAt(request.seed, row, i)
                           : request.function.takes_points ? points[of_row + i]
                                                           : 0.0;
        out[row * n_points + i] = ValueAt(request.family, function, parameters + row * n_parameters, point);
      }
    }
  });
}

void EvaluateConfigured(JsonConfig const& config, bst_ulong n_rows, double const* parameters, bst_ulong n_points,
                        double const* points, double* out) {
  auto const& function = FunctionNamed(config.Text("function"));
  auto const has_points_of_rows = config.Has("points_of_rows") && config.Boolean("points_of_rows");
  auto const seed = static_cast<std::uint64_t>(config.IntegerOr("seed", 0));
  Request const request{FamilyNamed(config.Text("distribution")), function, has_points_of_rows, seed};
  if (n_rows == 0 || n_points == 0) return;
  constexpr auto kMost = bst_ulong{1} << 40U;
  if (n_points > kMost / n_rows) {
    Fail(ErrorKind::kParameter, n_rows, " rows and ", n_points, " points are more than 2^40 numbers; give fewer.");
  }
  NotNull(parameters, "parameters");
  NotNull(out, "out");
  if (function.takes_points) NotNull(points, "points");
  Evaluate(request, static_cast<std::int64_t>(n_rows), parameters, static_cast<std::int64_t>(n_points), points, out);
}

std::string ListOfFamilies() {
  auto list = nlohmann::json::array();
  for (auto const* family : distribution::Families()) {
    list.push_back({{"name", family->Name()},
                    {"parameters", family->ParameterNames()},
                    {"is_discrete", family->IsDiscrete()},
                    {"labels", family->Domain()}});
  }
  return list.dump();
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriDistributions(char const** out) {
  return Guard([&] {
    static std::string const kList = ListOfFamilies();
    *NotNull(out, "out") = kList.c_str();
  });
}

int KauriDistributionEvaluate(char const* config, bst_ulong n_rows, double const* parameters, bst_ulong n_points,
                              double const* points, double* out) {
  return Guard([&] {
    JsonConfig const settings(config, "KauriDistributionEvaluate");
    EvaluateConfigured(settings, n_rows, parameters, n_points, points, out);
  });
}

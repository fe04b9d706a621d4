/// \file Computes random permutations, puts rows into a random order, and samples and rates the orders of players from
/// which Shapley values are estimated.
#include <algorithm>
#include <limits>
#include <string>

#include "booster/boosters/device.h"
#include "c_api/arrays.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/shuffle/shuffle.h"
#include "common/shuffle/shuffle_rows.h"
#include "common/shuffle/shuffle_walk.h"
#include "common/text/quoted.h"
#include "data/arrays/row_move.h"
#include "shapley/mallows.h"
#include "shapley/uniformity.h"

namespace kauri::c_api {
namespace {

void CheckShuffle(bst_ulong n, bst_ulong count) {
  if (n > static_cast<bst_ulong>(Shuffle::kMaxSize)) {
    Fail(ErrorKind::kParameter, "cannot shuffle ", n, " elements; at most ", Shuffle::kMaxSize, " are possible.");
  }
  if (count > n) {
    Fail(ErrorKind::kParameter, "asked for the first ", count, " elements of a permutation of ", n,
         "; ask for no more than it has.");
  }
}

void WriteShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  CheckShuffle(n, count);
  if (count == 0) return;
  NotNull(out, "out");
  WalkShuffle(MakeContext(0), Shuffle(static_cast<std::int64_t>(n), seed), static_cast<std::int64_t>(count),
              [&](std::int64_t position, std::uint64_t const* elements, std::int64_t size) {
                std::copy(elements, elements + size, out + position);
              });
}

/// Returns the ordinal of the single CUDA device that `text` names.
int DeviceNamed(std::string const& text) {
  auto const device = FindDevice({{"device", text}});
  if (device.kind != DeviceKind::kCuda || device.ordinals.size() > 1) {
    Fail(ErrorKind::kParameter, "device is '", text, "'; a list in device memory needs one device, cuda or cuda:N. ",
         "KauriShuffle writes to host memory.");
  }
  return device.ordinal;
}

void ShuffleArrays(AnyArray const& from, AnyArray const& to, std::uint64_t seed) {
  if (from.array.view.Size() > 0 && from.on_device != to.on_device) {
    Fail(ErrorKind::kData, (from.on_device ? "in" : "out"), " is in device memory, ", (from.on_device ? "out" : "in"),
         " is in host memory; move both to the same memory.");
  }
  if (from.on_device) return RequireDeviceMemory()->ShuffleRows(from.array, to.array, seed);
  auto const move = RowMoveOf(from.array.view, to.array.view);
  if (move.n_rows == 0 || move.row_bytes == 0) return;
  if (move.from == move.to) {
    ShuffleRowsInPlace(MakeContext(0), move, seed);
  } else {
    ShuffleRows(MakeContext(0), move, seed);
  }
}

// Samples orders of players, and measures how well a set of them represents all orders.

std::int32_t PlayersOf(std::int64_t d) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(d, 0, kMost));  // SampleOrders checks the bounds
}

void WriteOrders(JsonConfig const& config, std::uint32_t* out_orders, double* out_weights) {
  NotNull(out_orders, "out_orders");
  NotNull(out_weights, "out_weights");
  OrderOptions options;
  options.sampler = SamplerNamed(config.Text("method"), "method");
  options.seed = static_cast<std::uint64_t>(config.IntegerOr("seed", 0));
  if (config.Has("lambda")) options.lambda = config.Number("lambda");
  options.candidates = PlayersOf(config.IntegerOr("candidates", options.candidates));
  options.n_scrambles = config.IntegerOr("n_scrambles", options.n_scrambles);
  auto const orders = SampleOrders(MakeContext(0), PlayersOf(config.Integer("d")), config.Integer("n"), options);
  std::copy(orders.order.begin(), orders.order.end(), out_orders);
  std::copy(orders.weight.begin(), orders.weight.end(), out_weights);
}

PermutationKernel KernelOf(JsonConfig const& config) {
  auto const name = config.Text("kernel");
  if (name == "mallows") return PermutationKernel::kMallows;
  if (name == "kendall") return PermutationKernel::kKendall;
  if (name == "spearman") return PermutationKernel::kSpearman;
  Fail(ErrorKind::kParameter, "kernel is ", Quoted(name), "; expected mallows, kendall or spearman.");
}

/// Checks the sizes before anything is read: n * d is at most 2^40 then and does not overflow.
/// \throws Error(kParameter).
void CheckSizes(bst_ulong n, bst_ulong d) {
  constexpr auto kMostNumbers = bst_ulong{1} << 40U;
  if (d < 2 || d > static_cast<bst_ulong>(kMostPlayers) || n < 1) {
    Fail(ErrorKind::kParameter, "there are ", n, " orders of ", d, " players; expected at least one, of 2 to ",
         kMostPlayers, " players.");
  }
  if (n > kMostNumbers / d) {
    Fail(ErrorKind::kParameter, "there are ", n, " orders of ", d, " players; expected at most ", kMostNumbers / d,
         " of them, which are 2^40 numbers.");
  }
}

/// Copies the caller's orders, [n, d], and their weights, [n]; Discrepancy checks that each row is an order.
/// \throws Error(kParameter) for sizes out of range or a null pointer.
Orders OrdersOf(bst_ulong n, bst_ulong d, std::uint32_t const* orders, double const* weights) {
  CheckSizes(n, d);
  Orders given;
  given.n = static_cast<std::int64_t>(n);
  given.d = static_cast<std::int32_t>(d);
  given.order.assign(NotNull(orders, "orders"), orders + n * d);
  given.weight.assign(NotNull(weights, "weights"), weights + n);
  return given;
}

double LambdaOf(JsonConfig const& config) {
  auto const lambda = config.Has("lambda") ? config.Number("lambda") : OrderOptions().lambda;
  if (lambda >= 0.0 && lambda < std::numeric_limits<double>::infinity()) return lambda;
  Fail(ErrorKind::kParameter, "lambda is ", lambda, "; expected a finite number of at least 0.");
}

UniformityTest UniformityOf(bst_ulong n, bst_ulong d, std::uint32_t const* permutations, JsonConfig const& config) {
  constexpr double kLambda = 5.0;  // of the papers
  CheckSizes(n, d);
  auto const lambda = config.Has("lambda") ? config.Number("lambda") : kLambda;
  return TestUniformity(MakeContext(0), {NotNull(permutations, "permutations"), static_cast<std::int64_t>(n * d)},
                        static_cast<std::int32_t>(d), lambda);
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriShuffle(bst_ulong n, bst_ulong seed, bst_ulong count, bst_ulong* out) {
  return Guard([&] { WriteShuffle(n, seed, count, out); });
}

int KauriShuffleRows(char const* in, char const* out, bst_ulong seed) {
  return Guard([&] { ShuffleArrays(AnyArrayOf(in, "in"), AnyArrayOf(out, "out"), seed); });
}

int KauriShuffleOnDevice(bst_ulong n, bst_ulong seed, bst_ulong count, char const* device,
                         KauriDeviceArrayHandle* out) {
  return Guard([&] {
    CheckShuffle(n, count);
    NotNull(out, "out");
    auto const ordinal = DeviceNamed(NotNull(device, "device"));
    *out = new DeviceArrayHandle(kauri::RequireDeviceMemory()->ListShuffle(static_cast<std::int64_t>(n), seed,
                                                                           static_cast<std::int64_t>(count), ordinal));
  });
}

int KauriSampleOrders(char const* config, std::uint32_t* out_orders, double* out_weights) {
  return Guard([&] { WriteOrders(JsonConfig(config, "KauriSampleOrders"), out_orders, out_weights); });
}

int KauriOrderDiscrepancy(bst_ulong n, bst_ulong d, std::uint32_t const* orders, double const* weights,
                          char const* config, double* out) {
  return Guard([&] {
    NotNull(out, "out");
    JsonConfig const settings(config, "KauriOrderDiscrepancy");
    auto const given = OrdersOf(n, d, orders, weights);
    *out = kauri::Discrepancy(MakeContext(0), given, KernelOf(settings), LambdaOf(settings));
  });
}

int KauriShuffleUniformity(bst_ulong n, bst_ulong d, std::uint32_t const* permutations, char const* config,
                           double* out_statistic, double* out_p_value) {
  return Guard([&] {
    NotNull(out_statistic, "out_statistic");
    NotNull(out_p_value, "out_p_value");
    auto const test = UniformityOf(n, d, permutations, JsonConfig(config, "KauriShuffleUniformity"));
    *out_statistic = test.statistic;
    *out_p_value = test.p_value;
  });
}

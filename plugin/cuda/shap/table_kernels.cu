/// 1. A block takes a leaf. Its threads find the patterns of the background's rows and count them in shared memory. The
///    counts, which are integers and so do not depend on the order, go to the first places of the leaf's table.
/// 2. Another block reads the counts and turns them into the sums Z (interventional.h) at some points at a time,
///    feature after feature, in shared memory. It integrates and writes the table over the counts. Blocks and their
///    shared memory are as large as the leaves of a launch need.
/// Operations on float64 are the host's operations in the host's order, without contraction, so the tables have its
/// bits. Points go in fours, in the order in which the host adds halves to each other.
///
/// Floor, cal_housing with 100 trees of depth 8 (23,000 leaves of 4.8 features on average), 1,500 rows of background:
/// 1.7 * 10^8 features of leaves and rows of about 10 lane instructions: 0.05 ms at 33 * 10^12 a second on an H100,
/// beside 3.5 * 10^7 atomics of shared memory, 1 or 2 clocks a lane where patterns are alike: 0.1 ms. Tables: 40 MB
/// written and the counts read, 0.02 ms at 3 TB/s; their arithmetic is k 2^(k-1) steps of two operations at 4 points a
/// leaf, 10^8 in all: nothing. A leaf of 12 features: 2 * 10^5 steps, each 32 bytes of shared memory, 64 KB written:
/// 0.3 us of the device.
#include <algorithm>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/shap/leaf_rows.cuh"
#include "cuda/shap/table_kernels.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri::cuda {
namespace {

constexpr int kCountThreads = 128;
constexpr int kRowsPerThread = 4;
/// Threads of a block for leaves of up to kMostValueFeatures features, and for leaves with more.
constexpr int kValueThreads = 128;
constexpr int kPartThreads = 512;
/// Points that are in shared memory at a time.
constexpr std::uint32_t kPoints = 4;

/// Returns the bytes of shared memory for the table of a leaf: sums at some points, counts, and for a table of values
/// the last of five parts.
constexpr std::size_t TableBytes(std::uint32_t n_features) {
  auto const last_part = FormOf(n_features) == LeafForm::kValues ? sizeof(double) : 0;
  return (kPoints * sizeof(double) + sizeof(std::uint32_t) + last_part) << n_features;
}

/// features: [n_features], the leaf's features, with slots.
__device__ void CountBackground(CountTask const& task, PathFeature const* features, std::uint32_t n_features,
                                std::uint32_t* counts) {
  RowKeys const& rows = task.background;
  for (std::int64_t first = threadIdx.x; first < rows.n_rows; first += kCountThreads * kRowsPerThread) {
    std::uint32_t patterns[kRowsPerThread] = {};
    for (std::uint32_t position = 0; position < n_features; ++position) {
      PathFeature const feature = features[position];
      std::int32_t const* keys = rows.keys + feature.Slot() * rows.slot_stride;
#pragma unroll
      for (int i = 0; i < kRowsPerThread; ++i) {
        std::int64_t const row = first + i * kCountThreads;
        std::int32_t const key = keys[(row < rows.n_rows ? row : first) * rows.row_stride];
        patterns[i] |= static_cast<std::uint32_t>(Follows(feature, key, task.categories)) << position;
      }
    }
#pragma unroll
    for (int i = 0; i < kRowsPerThread; ++i) {
      if (first + i * kCountThreads < rows.n_rows) atomicAdd(&counts[patterns[i]], 1U);
    }
  }
}

__global__ void __launch_bounds__(kCountThreads) CountPatternsKernel(__grid_constant__ CountTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ PathFeature features[kMostPartFeatures];
  auto* const counts = reinterpret_cast<std::uint32_t*>(memory);
  LaneLeaf const leaf = task.leaves.leaves[blockIdx.x];
  LeafSource const source = task.sources[blockIdx.x];
  if (leaf.form == LeafForm::kPairs) return;  // the whole block returns
  std::uint32_t const n_patterns = 1U << leaf.n_features;
  if (threadIdx.x < leaf.n_features) {
    features[threadIdx.x] = SlotFeature(task.leaves, leaf, source, threadIdx.x);
  }
  for (std::uint32_t x = threadIdx.x; x < n_patterns; x += kCountThreads) counts[x] = 0;
  __syncthreads();
  CountBackground(task, features, leaf.n_features, counts);
  __syncthreads();
  std::int64_t* table = task.tables + leaf.begin;
  for (std::uint32_t x = threadIdx.x; x < n_patterns; x += kCountThreads) table[x] = counts[x];
  if (threadIdx.x == 0) {
    double const n_reaching = static_cast<double>(counts[n_patterns - 1]);
    task.reached[blockIdx.x] = n_reaching * RowWeight(source, task.background.n_rows);
  }
}

/// Parts of a pattern x: S and S', with pairs A, B and C (interventional.h).
struct LeafParts {
  double part[5];
};

/// The leaf of a block, with the block's memory for it.
struct BlockLeaf {
  std::uint32_t n_features;
  std::uint32_t n_patterns;
  double row_weight;
  double scale;
  bool with_pairs;
  TableRule const& rule;
  std::uint32_t n_turns;  ///< turns of kPoints points each
  std::int64_t* table;
  std::int64_t* pair_table;
  double* z;              ///< shared, [n_patterns, kPoints]
  double* last_part;      ///< shared, [n_patterns]; only for a table of values
  std::uint32_t* counts;  ///< shared, [n_patterns]

  /// Returns the i-th point of a turn. The host adds the points of a turn to each other before the next turn's points.
  __device__ std::uint32_t Point(std::uint32_t turn, std::uint32_t i) const { return turn + i * n_turns; }
  __device__ double Background(std::uint32_t x) const { return static_cast<double>(counts[x]) * row_weight; }
  __device__ double& Part(std::uint32_t x, std::uint32_t part) const {
    return part < kPoints ? z[x * kPoints + part] : last_part[x];
  }
  __device__ std::int64_t Units(std::uint32_t x, std::uint32_t part) const { return ToUnits(Part(x, part), scale); }
};

/// Computes Z(x) at the points of a turn: feature after feature, the background's bit becomes the row's. Ends in a
/// barrier.
__device__ void SumBackground(BlockLeaf const& leaf, std::uint32_t turn) {
  std::uint32_t const i = threadIdx.x % kPoints;  // the same at each step, as blocks have a multiple of its threads
  double const node = leaf.rule.node[leaf.Point(turn, i)];
  for (std::uint32_t x = threadIdx.x / kPoints; x < leaf.n_patterns; x += blockDim.x / kPoints) {
    leaf.z[x * kPoints + i] = leaf.Background(x);
  }
  __syncthreads();
  for (std::uint32_t bit = 1; bit < leaf.n_patterns; bit *= 2) {
    for (std::uint32_t pair = threadIdx.x / kPoints; pair < leaf.n_patterns / 2; pair += blockDim.x / kPoints) {
      std::uint32_t const x = (pair & ~(bit - 1)) * 2 + (pair & (bit - 1));  // a zero comes in at the bit
      double* without = leaf.z + x * kPoints + i;
      double* with = without + bit * kPoints;
      double const ones = *with;
      *with = ones + node * *without;
      *without = ones;
    }
    __syncthreads();
  }
}

/// Returns the part of an integral that belongs to a turn. coefficients: [n_points]
__device__ double Integrate(BlockLeaf const& leaf, std::uint32_t turn, double const* coefficients, double const* z) {
  double terms[kPoints];
  for (std::uint32_t i = 0; i < kPoints; ++i) terms[i] = coefficients[leaf.Point(turn, i)] * z[i];
  return (terms[0] + terms[2]) + (terms[1] + terms[3]);
}

/// Computes S and S' of the effects of features alone, as the host does: the features of x in ascending order.
__device__ void MakeAloneParts(BlockLeaf const& leaf, std::uint32_t x, LeafParts* parts) {
  std::uint32_t const all = leaf.n_patterns - 1;
  double alone = 0.0;
  for (std::uint32_t bits = x; bits != 0; bits &= bits - 1) alone += leaf.Background(all - (bits & (~bits + 1)));
  double const reaching = leaf.Background(all);
  double const n_features = __popc(x);
  parts->part[0] = alone + n_features * reaching;
  parts->part[1] = alone + (n_features + 1.0) * reaching;
}

/// Computes the share of a turn's points in the parts of x.
__device__ LeafParts PartsOf(BlockLeaf const& leaf, std::uint32_t turn, std::uint32_t x) {
  LeafParts parts{};
  double const* z = leaf.z + x * kPoints;
  std::uint32_t const n_points = leaf.n_turns * kPoints;
  std::uint32_t const n_missed = leaf.n_features - __popc(x);
  if (!leaf.rule.is_alone) {
    double const* coefficients = leaf.rule.coefficients + n_missed * n_points;
    parts.part[0] = Integrate(leaf, turn, coefficients, z);
    if (n_missed > 0) parts.part[1] = Integrate(leaf, turn, coefficients - n_points, z);
  } else if (turn == 0) {
    MakeAloneParts(leaf, x, &parts);
  }
  if (leaf.with_pairs) {
    double const* coefficients = leaf.rule.pair_coefficients + n_missed * n_points;
#pragma unroll
    for (std::uint32_t taken = 0; taken <= 2; ++taken) {
      if (taken <= n_missed) parts.part[2 + taken] = Integrate(leaf, turn, coefficients - taken * n_points, z);
    }
  }
  return parts;
}

/// Adds the share of a turn to a part. Until the last turn, the integer holds the bits of the sum.
__device__ void AddShare(BlockLeaf const& leaf, std::uint32_t turn, double share, std::int64_t* part) {
  double const sum = turn == 0 ? share : __longlong_as_double(*part) + share;
  *part = turn + 1 == leaf.n_turns ? ToUnits(sum, leaf.scale) : __double_as_longlong(sum);
}

/// Replaces Z(x) by the parts, or adds them to a table of parts.
__device__ void MakeParts(BlockLeaf const& leaf, std::uint32_t turn, bool is_table) {
  std::uint32_t const n_parts = leaf.with_pairs ? 5 : 2;
  for (std::uint32_t x = threadIdx.x; x < leaf.n_patterns; x += blockDim.x) {
    LeafParts const parts = PartsOf(leaf, turn, x);
#pragma unroll
    for (std::uint32_t part = 0; part < 5; ++part) {
      if (part >= n_parts) break;
      if (is_table) {
        std::int64_t* to =
            part < 2 ? leaf.table + part * leaf.n_patterns : leaf.pair_table + (part - 2) * leaf.n_patterns;
        AddShare(leaf, turn, parts.part[part], to + x);
      } else {
        leaf.Part(x, part) = parts.part[part];
      }
    }
  }
}

/// Writes a table of values from the parts in shared memory.
__device__ void WriteValues(BlockLeaf const& leaf) {
  auto const width = static_cast<std::uint32_t>(TableWidth(leaf.n_features));
  for (std::uint32_t place = threadIdx.x; place < leaf.n_patterns * width; place += blockDim.x) {
    std::uint32_t const x = place / width;
    std::uint32_t const i = place % width;
    std::uint32_t const rest = x & ~(1U << i);
    leaf.table[place] = i < leaf.n_features ? ToUnits(leaf.Part(x, 0) - leaf.Part(rest, 1), leaf.scale) : 0;
  }
}

/// Writes a table of pairs from the parts in shared memory.
__device__ void WritePairs(BlockLeaf const& leaf) {
  auto const width = static_cast<std::uint32_t>(PairTableWidth(leaf.n_features));
  for (std::uint32_t place = threadIdx.x; place < leaf.n_patterns * width; place += blockDim.x) {
    std::uint32_t const x = place / width;
    std::uint32_t const number = place % width;
    std::uint32_t b = 1;
    while (NumPairs(b + 1) <= number) ++b;
    std::uint32_t const a = number - static_cast<std::uint32_t>(NumPairs(b));
    if (b >= leaf.n_features) {
      leaf.pair_table[place] = 0;
      continue;
    }
    std::uint32_t const rest = x & ~(1U << b);
    std::int64_t const own = leaf.Units(x, 2) - leaf.Units(rest, 3);
    leaf.pair_table[place] = own - (leaf.Units(x & ~(1U << a), 3) - leaf.Units(rest & ~(1U << a), 4));
  }
}

__global__ void __launch_bounds__(kPartThreads) MakeTablesKernel(__grid_constant__ TableTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  std::uint32_t const number = task.numbers[blockIdx.x];
  LaneLeaf const own = task.leaves[number];
  std::uint32_t const n_patterns = 1U << own.n_features;
  TableRule const& rule = task.rules[own.n_features];
  bool const is_table = own.form == LeafForm::kParts;
  auto* const z = reinterpret_cast<double*>(memory);
  auto* const last_part = z + n_patterns * kPoints;
  auto* const counts = reinterpret_cast<std::uint32_t*>(last_part + (is_table ? 0 : n_patterns));
  BlockLeaf const leaf{own.n_features,
                       n_patterns,
                       RowWeight(task.sources[number], task.n_rows),
                       task.scale,
                       task.with_pairs && own.n_features > 1,
                       rule,
                       rule.n_points / kPoints,
                       task.tables.values + own.begin,
                       task.tables.pairs + own.pair_begin,
                       z,
                       last_part,
                       counts};
  for (std::uint32_t x = threadIdx.x; x < n_patterns; x += blockDim.x) {
    counts[x] = static_cast<std::uint32_t>(leaf.table[x]);
  }
  __syncthreads();
  for (std::uint32_t turn = 0; turn < leaf.n_turns; ++turn) {
    SumBackground(leaf, turn);
    MakeParts(leaf, turn, is_table);
    __syncthreads();  // the parts are complete, and the sums are no longer needed
  }
  if (is_table) return;
  WriteValues(leaf);
  if (leaf.with_pairs) WritePairs(leaf);
}

}  // namespace

Buffer<TableRule> MakeTableRules(CudaContext const& cuda, Semivalue semivalue) {
  static_assert(PointsFor(kMostValueFeatures) <= static_cast<int>(kPoints), "tables of values are made in one turn");
  static_assert(PointsFor(kMostPartFeatures) <= static_cast<int>(TableRule::kMostPoints), "rules have room");
  std::vector<TableRule> rules(kMostPartFeatures + 1);
  for (std::uint32_t n = 1; n <= kMostPartFeatures; ++n) {
    auto const rule = MakeLeafRule(n, semivalue);
    rules[n].n_points = static_cast<std::uint32_t>(rule.n_points);
    std::copy(rule.node.begin(), rule.node.end(), rules[n].node);
    std::copy(rule.coefficients.begin(), rule.coefficients.end(), rules[n].coefficients);
    std::copy(rule.pair_coefficients.begin(), rule.pair_coefficients.end(), rules[n].pair_coefficients);
    rules[n].is_alone = rule.is_alone;
  }
  auto on_device = ToDevice(cuda, rules);
  cuda.Synchronize();  // for `rules`
  return on_device;
}

std::uint32_t MostTableFeatures(CudaContext const& cuda) {
  int bytes = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  auto n_features = kMostPartFeatures;
  while (TableBytes(n_features) > static_cast<std::size_t>(bytes)) --n_features;
  return n_features;
}

void CountPatterns(CudaContext const& cuda, CountTask const& task, std::size_t n_leaves, std::uint32_t most_features) {
  LaunchShared(cuda, static_cast<unsigned>(n_leaves), kCountThreads, sizeof(std::uint32_t) << most_features,
               CountPatternsKernel, task);
}

void MakeTables(CudaContext const& cuda, TableTask const& task, std::int64_t n_leaves, std::uint32_t most_features) {
  auto const threads = most_features <= kMostValueFeatures ? kValueThreads : kPartThreads;
  LaunchShared(cuda, static_cast<unsigned>(n_leaves), threads, TableBytes(most_features), MakeTablesKernel, task);
}

}  // namespace kauri::cuda

/// Bytes per row and output: 8 read twice; 8 written, or 4 if all outputs have the same hessians.
#include <algorithm>
#include <string>

#include "common/fixed_point.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/place_walk.cuh"
#include "cuda/engine/device_gradient_table.h"
#include "engine/gradient_table.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kMaxBlocks = 1024;

__device__ __forceinline__ std::uint32_t TableMagnitudeBits(float value) {
  return __float_as_uint(value) & 0x7FFFFFFFU;
}

/// largest: [n_outputs], zero before; hessians_differ: zero before.
__global__ void __launch_bounds__(kBlockThreads)
    SurveyKernel(GradientPair const* pairs, std::int64_t n_rows, std::uint32_t n_outputs, LargestMagnitude* largest,
                 std::uint32_t* hessians_differ) {
  extern __shared__ LargestMagnitude of_block[];
  for (std::uint32_t output = threadIdx.x; output < n_outputs; output += kBlockThreads) of_block[output] = {0, 0};
  __syncthreads();
  PlaceWalk const walk(n_outputs);
  std::uint32_t gradient = 0;
  std::uint32_t hessian = 0;
  bool differs = false;
  for (std::int64_t row = walk.row; row < n_rows; row += walk.row_step) {
    GradientPair const pair = pairs[row * n_outputs + walk.place];
    gradient = max(gradient, TableMagnitudeBits(pair.gradient));
    hessian = max(hessian, TableMagnitudeBits(pair.hessian));
    differs = differs || pair.hessian != pairs[row * n_outputs].hessian;
  }
  if (differs) *hessians_differ = 1;
  atomicMax(&of_block[walk.place].gradient, gradient);
  atomicMax(&of_block[walk.place].hessian, hessian);
  __syncthreads();
  for (std::uint32_t output = threadIdx.x; output < n_outputs; output += kBlockThreads) {
    atomicMax(&largest[output].gradient, of_block[output].gradient);
    atomicMax(&largest[output].hessian, of_block[output].hessian);
  }
}

struct TableTask {
  GradientPair const* pairs;  ///< [n_rows, n_outputs]
  GradientUnit const* steps;  ///< [n_outputs], the reciprocals of the units
  RowSample sample;
  std::int64_t n_rows;
  std::uint32_t n_outputs;
  std::uint32_t n_hessians;
  std::uint32_t stride;
  std::int32_t* values;
  std::uint8_t* sampled;  ///< nullptr: not needed
};

__global__ void __launch_bounds__(kBlockThreads) QuantiseTableKernel(TableTask task) {
  PlaceWalk const walk(task.stride);
  bool const is_gradient = walk.place < task.n_outputs;
  bool const is_there = walk.place < task.n_outputs + task.n_hessians;
  std::uint32_t const output = is_gradient ? walk.place : walk.place - task.n_outputs;
  GradientUnit const steps = is_there ? task.steps[output] : GradientUnit{};
  for (std::int64_t row = walk.row; row < task.n_rows; row += walk.row_step) {
    bool const used = task.sample.IsUsed(row);
    FixedPair fixed{0, 0};
    if (used && is_there) fixed = QuantisePair(task.pairs[row * task.n_outputs + output], steps);
    task.values[row * task.stride + walk.place] = is_gradient ? fixed.gradient : fixed.hessian;
    if (walk.place == 0 && task.sampled != nullptr) task.sampled[row] = used ? 1 : 0;
  }
}

/// Statistics that determine the units and the layout.
struct TableSurvey {
  std::vector<LargestMagnitude> largest;  ///< [n_outputs]
  bool same_hessians;                     ///< whether all outputs have the same hessians, row by row
};

TableSurvey Survey(CudaContext const& cuda, PairTable const& gradients) {
  auto const n_outputs = ToSize(gradients.n_outputs);
  Buffer<LargestMagnitude> largest(cuda, n_outputs);
  Buffer<std::uint32_t> differ(cuda, 1);
  FillZero(cuda, largest.data(), n_outputs);
  FillZero(cuda, differ.data(), 1);
  auto const n_rows = gradients.NumRows();
  auto const grid = BlocksOfWalk(n_rows, gradients.n_outputs, kBlockThreads, kMaxBlocks);
  LaunchShared(cuda, grid, kBlockThreads, n_outputs * sizeof(LargestMagnitude), SurveyKernel, gradients.pairs.data(),
               n_rows, static_cast<std::uint32_t>(n_outputs), largest.data(), differ.data());
  auto found = ToHost(cuda, largest.data(), n_outputs);
  return {std::move(found), ToHost(cuda, differ.data(), 1)[0] == 0};
}

/// Fails if a gradient is not finite, naming the first such row, and the first of its outputs.
void RequireFinite(CudaContext const& cuda, PairTable const& gradients, TableSurvey const& survey) {
  auto first = gradients.NumRows();
  std::int64_t output_of_first = 0;
  for (std::int64_t output = 0; output < gradients.n_outputs; ++output) {
    if (survey.largest[output].IsFinite()) continue;
    auto const row = FirstNotFinite(cuda, gradients, output);
    if (row >= first) continue;
    first = row;
    output_of_first = output;
  }
  if (first == gradients.NumRows()) return;
  auto const* const pair = gradients.pairs.data() + first * gradients.n_outputs + output_of_first;
  FailGradient(ToHost(cuda, pair, 1)[0], first);
}

}  // namespace

void DeviceGradientTable::Resize(CudaContext const& cuda, std::int64_t n_rows) {
  size_ = ToSize(n_rows * stride_);
  if (size_ <= values_.size()) return;
  values_ = Buffer<std::int32_t>();
  RequireMemory(cuda,
                "the gradients of " + std::to_string(n_rows) + " rows and " + std::to_string(units_.size()) +
                    " outputs side by side",
                {{"fixed-point gradients", size_ * sizeof(std::int32_t)}});
  values_ = Buffer<std::int32_t>(cuda, size_);
}

void DeviceGradientTable::Quantise(CudaContext const& cuda, PairTable const& gradients, RowSample const& sample,
                                   Span<std::uint8_t> sampled) {
  auto const survey = Survey(cuda, gradients);
  RequireFinite(cuda, gradients, survey);
  units_.clear();
  std::vector<GradientUnit> steps;
  for (auto const& largest : survey.largest) {
    units_.push_back(largest.Unit());
    steps.push_back({1.0 / units_.back().gradient, 1.0 / units_.back().hessian});
  }
  n_hessians_ = survey.same_hessians ? 1 : gradients.n_outputs;
  stride_ = TableStride(gradients.n_outputs + n_hessians_);
  Resize(cuda, gradients.NumRows());
  auto const on_device = ToDevice(cuda, steps);
  auto const grid = BlocksOfWalk(gradients.NumRows(), stride_, kBlockThreads, kMaxBlocks);
  Launch(cuda, grid, kBlockThreads, QuantiseTableKernel,
         TableTask{gradients.pairs.data(), on_device.data(), sample, gradients.NumRows(),
                   static_cast<std::uint32_t>(gradients.n_outputs), static_cast<std::uint32_t>(n_hessians_),
                   static_cast<std::uint32_t>(stride_), values_.data(), sampled.data()});
}

void DeviceGradientTable::Upload(CudaContext const& cuda, GradientTableView const& table) {
  units_.assign(table.units.begin(), table.units.end());
  n_hessians_ = table.n_hessians;
  stride_ = table.stride;
  Resize(cuda, static_cast<std::int64_t>(table.values.size()) / stride_);
  CopyToDevice(cuda, table.values.data(), size_, values_.data());
  cuda.Synchronize();  // for the copy, before the caller's table goes
}

}  // namespace kauri::cuda

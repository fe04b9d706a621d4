#include "cuda/engine/remote_shard.h"

#include <string>

#include "common/fixed_point.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "cuda/engine/round_kernels.h"

namespace kauri::cuda {
namespace {

/// Copies the shard's part of an array with `width` numbers a row; empty arrays stay empty.
void TakePart(CudaContext const& cuda, int from_device, Span<float const> from, ShardRange place, std::int64_t width,
              Buffer<float>* to) {
  if (from.empty()) {
    *to = Buffer<float>();
    return;
  }
  auto const size = ToSize(place.count * width);
  if (to->size() != size) *to = Buffer<float>(cuda, size);
  CopyFromDevice(cuda, from_device, from.data() + place.first * width, size, to->data());
}

}  // namespace

Span<std::uint8_t> TreeArrays::Marks(CudaContext const& cuda, float rate, std::int64_t n_rows) {
  if (rate >= 1.0F) return {};
  sampled.Reserve(cuda, pairs.size());
  return {sampled.data(), ToSize(n_rows)};
}

void TreeArrays::Quantise(CudaContext const& cuda, PairTable const& gradients, std::int64_t output,
                          RowSample const& sample, Span<std::uint8_t> marks) {
  Span<FixedPair> const to(pairs.data(), ToSize(gradients.NumRows()));
  small = {};
  if (sample.rounding.bits > 0) {
    small_memory_.Reserve(cuda, pairs.size());
    small = {small_memory_.data(), to.size()};
  }
  auto const* const largest = summary.Largest() + output;
  drawn_ = {gradients, output, largest, sample};
  cuda::Quantise(cuda, {gradients, output, largest, sample, to, marks, summary.Totals() + output, small});
}

std::vector<FixedSum> TreeArrays::SumLeaves(CudaContext const& cuda, std::int64_t n_nodes) {
  auto task = drawn_;
  task.leaf_of_row = {leaf_of_row.data(), ToSize(task.gradients.NumRows())};
  task.n_nodes = static_cast<std::uint32_t>(n_nodes);
  leaf_sums_.Reserve(cuda, ToSize(n_nodes));
  FillZero(cuda, leaf_sums_.data(), ToSize(n_nodes));
  task.sums = leaf_sums_.data();
  cuda::SumLeaves(cuda, task);
  return ToHost(cuda, leaf_sums_.data(), ToSize(n_nodes));
}

void TreeArrays::AddLeaves(CudaContext const& cuda, std::vector<float> const& values, LeafTarget const& to) {
  leaf_values.Clear();
  auto const place = leaf_values.Add(values);
  leaf_values.Send(cuda);
  Span<float const> const on_device(leaf_values.At<float>(place), values.size());
  Span<std::int32_t const> const leaves(leaf_of_row.data(), ToSize(to.n_rows));
  if (to.vector_leaves) {
    AddLeafVectors(cuda, on_device, leaves, to.n_outputs, to.margins);
  } else {
    cuda::AddLeaves(cuda, on_device, leaves, to.n_outputs, to.output, to.margins);
  }
}

RemoteShard::RemoteShard(int device, ShardRange place, WholeRows const& whole)
    : stream_(device),
      place_(place),
      n_outputs_(whole.n_outputs),
      ready_(device),
      largest_ready_(device),
      worker_(device) {
  DeviceScope const scope(device);
  auto const n_rows = ToSize(place.count);
  auto const n_margins = ToSize(place.count * n_outputs_);
  RequireMemory(Cuda(), "the round of a share of " + std::to_string(place.count) + " rows",
                {{"margins and gradients", 12 * n_margins},
                 {"fixed-point gradients, leaves and sampled rows", 13 * n_rows},
                 {"labels and weights", 4 * n_rows * ToSize(whole.info.n_targets + 1)}});
  ReachEachOther(device, whole.main.device);
  margins_ = Buffer<float>(Cuda(), n_margins);
  gradients_ = Buffer<GradientPair>(Cuda(), n_margins);
  tree_ = TreeArrays(Cuda(), place.count);
}

void RemoteShard::TakeInfo(WholeRows const& whole) {
  WaitForAll();
  DeviceScope const scope(Cuda().device);
  whole.ready.HoldBack(Cuda());
  n_targets_ = whole.info.n_targets;
  auto const from = whole.main.device;
  TakePart(Cuda(), from, whole.info.labels, place_, n_targets_, &labels_);
  TakePart(Cuda(), from, whole.info.weights, place_, 1, &weights_);
  TakePart(Cuda(), from, whole.info.lower_bounds, place_, 1, &lower_bounds_);
  TakePart(Cuda(), from, whole.info.upper_bounds, place_, 1, &upper_bounds_);
  Cuda().Synchronize();  // for the copies, whose sources others may write next
}

void RemoteShard::TakeMargins(WholeRows const& whole) {
  WaitForAll();
  DeviceScope const scope(Cuda().device);
  whole.ready.HoldBack(Cuda());
  CopyFromDevice(Cuda(), whole.main.device, whole.margins + place_.first * n_outputs_, margins_.size(),
                 margins_.data());
  Cuda().Synchronize();  // for the copy, whose source others may write next
}

void RemoteShard::GiveMargins(CudaContext const& main, float* margins) {
  WaitForAll();
  ready_.Record(Cuda());
  ready_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, margins_.data(), margins_.size(), margins + place_.first * n_outputs_);
  main.Synchronize();  // for the copy, whose source this device writes next
}

void RemoteShard::GiveGradients(CudaContext const& main, GradientPair* gradients) {
  WaitForAll();
  ready_.Record(Cuda());
  ready_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, gradients_.data(), gradients_.size(), gradients + place_.first * n_outputs_);
  main.Synchronize();  // for the copy, whose source this device writes next
}

DeviceInfo RemoteShard::Info() const {
  return {place_.count, n_targets_, labels_.span(), weights_.span(), {}, lower_bounds_.span(), upper_bounds_.span()};
}

void RemoteShard::ComputeGradients(Context const& ctx, DeviceObjective const& objective, std::int64_t iteration) {
  last_ = computed_ = worker_.Post([this, &ctx, &objective, iteration] {
    objective.ComputeGradients(Cuda(), ctx, margins_.span(), Info(), iteration, gradients_.span());
    tree_.summary.Clear(Cuda(), n_outputs_);
    cuda::FindLargest(Cuda(), Gradients(), tree_.summary.Largest());
    largest_ready_.Record(Cuda());
  });
}

LargestMagnitude const* RemoteShard::CollectLargest(CudaContext const& main) {
  worker_.Wait(computed_);
  largest_ready_.HoldBack(main);
  if (CanRead(main.device, Cuda().device)) return tree_.summary.Largest();
  largest_on_main_.Reserve(main, ToSize(n_outputs_));
  CopyFromDevice(main, Cuda().device, tree_.summary.Largest(), ToSize(n_outputs_), largest_on_main_.data());
  return largest_on_main_.data();
}

void RemoteShard::TakeLargest(LargestMagnitude const* largest, Event const& ready, int main) {
  last_ = worker_.Post([this, largest, &ready, main] {
    ready.HoldBack(Cuda());
    CopyFromDevice(Cuda(), main, largest, ToSize(n_outputs_), tree_.summary.Largest());
  });
}

FixedSum RemoteShard::Sum() {
  WaitForAll();
  return sum_;
}

void RemoteShard::RequireFinite(std::int64_t output) {
  WaitForAll();
  DeviceScope const scope(Cuda().device);
  auto const row = FirstNotFinite(Cuda(), Gradients(), output);
  if (row == place_.count) return;
  auto const* pair = gradients_.data() + row * n_outputs_ + output;
  FailGradient(ToHost(Cuda(), pair, 1)[0], place_.first + row);
}

void RemoteShard::Quantise(std::int64_t output, RowSample sample) {
  sample.first_row = place_.first;
  quantised_ = worker_.Post([this, output, sample] {
    marks_ = tree_.Marks(Cuda(), sample.rate, place_.count);
    tree_.summary.ClearTotals(Cuda());
    tree_.Quantise(Cuda(), Gradients(), output, sample, marks_);
    ready_.Record(Cuda());
    tree_.summary.Fetch(Cuda());
  });
  last_ = worker_.Post([this, output] { sum_ = tree_.summary.Fetched(output).sum; });
}

ShardInput RemoteShard::Input() {
  worker_.Wait(quantised_);
  return {tree_.pairs.span(), marks_, tree_.leaf_of_row.span(), &ready_, Cuda(), tree_.small};
}

void RemoteShard::SumLeaves(std::int64_t n_nodes) {
  last_ = worker_.Post([this, n_nodes] { leaf_sums_ = tree_.SumLeaves(Cuda(), n_nodes); });
}

std::vector<FixedSum> const& RemoteShard::LeafSums() {
  WaitForAll();
  return leaf_sums_;
}

void RemoteShard::AddLeaves(std::vector<float> const& values, bool vector_leaves, std::int64_t output) {
  last_ = worker_.Post([this, values, vector_leaves, output] {
    tree_.AddLeaves(Cuda(), values, {place_.count, n_outputs_, output, vector_leaves, margins_.span()});
  });
}

}  // namespace kauri::cuda

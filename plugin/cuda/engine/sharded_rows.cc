#include "cuda/engine/sharded_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cuda/common/memory_plan.h"
#include "kauri/collective.h"

namespace kauri::cuda {
namespace {

/// Returns the info of the first n_rows rows. Query groups are not cut: only all rows have them.
DeviceInfo FirstRows(DeviceInfo const& info, std::int64_t n_rows) {
  if (n_rows == info.n_rows) return info;
  auto const first = [&](Span<float const> values, std::int64_t width) {
    return values.empty() ? values : values.subspan(0, ToSize(n_rows * width));
  };
  return {n_rows,
          info.n_targets,
          first(info.labels, info.n_targets),
          first(info.weights, 1),
          {},
          first(info.lower_bounds, 1),
          first(info.upper_bounds, 1)};
}

}  // namespace

void ShardedRows::Clear() {
  others_.clear();  // first, because their queued work uses the rest
  *this = ShardedRows();
}

void ShardedRows::Allocate(CudaContext const& main, std::int64_t n_rows, std::int64_t n_outputs) {
  n_rows_ = n_rows;
  n_outputs_ = n_gradients_ = n_outputs;
  margins_ = Buffer<float>(main, ToSize(n_rows * n_outputs));
}

void ShardedRows::PrepareTraining(CudaContext const& main) {
  if (gradients_.size() == margins_.size()) return;
  auto const n_rows = ToSize(n_rows_);
  RequireMemory(main, "training on " + std::to_string(n_rows_) + " rows and " + std::to_string(n_outputs_) + " outputs",
                {{"gradients", 8 * margins_.size()},
                 {"fixed-point gradients", 8 * n_rows},
                 {"leaves and sampled rows", 5 * n_rows}});
  gradients_ = Buffer<GradientPair>(main, margins_.size());
  tree_ = TreeArrays(main, n_rows_);
}

Span<float const> ShardedRows::Margins(CudaContext const& main) const {
  if (!margin_copies_.on_main) {
    for (auto const& other : others_) other->GiveMargins(main, margins_.data());
  }
  margin_copies_.on_main = true;
  return margins_.span();
}

Span<float> ShardedRows::MarginsToChange(CudaContext const& main) {
  Margins(main);
  return MarginsToSet();
}

Span<float> ShardedRows::MarginsToSet() {
  margin_copies_ = {true, false};
  return margins_.span();
}

void ShardedRows::FetchGradients(CudaContext const& main) const {
  if (!gradient_copies_.on_main) {
    for (auto const& other : others_) other->GiveGradients(main, gradients_.data());
  }
  gradient_copies_.on_main = true;
}

PairTable ShardedRows::Gradients(CudaContext const& main) const {
  FetchGradients(main);
  return GradientsOf(n_rows_);
}

Span<GradientPair> ShardedRows::GradientsToSet(std::int64_t n_columns) {
  n_gradients_ = n_columns;
  has_largest_ = false;
  gradient_copies_ = {true, false};
  return {gradients_.data(), ToSize(n_rows_ * n_columns)};
}

/// Makes the other shards, unless they exist. Returns whether there are any.
bool ShardedRows::MakeOthers(GradientTask const& task) {
  auto const& devices = task.ctx.device.ordinals;
  if (!others_.empty() || devices.size() < 2) return !others_.empty();
  auto const cut = CutRows(n_rows_, devices.size(), task.fewest_rows);
  if (cut.size() < 2) return false;
  ready_.emplace(task.main.device);
  agreed_.emplace(task.main.device);
  WholeRows const whole{task.main, *ready_, task.info, margins_.data(), n_outputs_};
  std::vector<std::unique_ptr<RemoteShard>> made;
  for (std::size_t i = 1; i < cut.size(); ++i) {
    made.push_back(std::make_unique<RemoteShard>(devices[i], cut[i], whole));
  }
  n_first_ = cut[0].count;
  others_ = std::move(made);
  return true;
}

/// Sends the other shards the info and the margins that they lack.
void ShardedRows::UpdateOthers(GradientTask const& task) {
  for (auto const& other : others_) other->Settle();  // a call that failed has reported it
  auto const has_info = revision_ == task.revision;
  if (has_info && margin_copies_.on_others) return;
  WholeRows const whole{task.main, *ready_, task.info, margins_.data(), n_outputs_};
  ready_->Record(task.main);
  for (auto const& other : others_) {
    if (!has_info) other->TakeInfo(whole);
    if (!margin_copies_.on_others) other->TakeMargins(whole);
  }
  revision_ = task.revision;
  margin_copies_.on_others = true;
}

void ShardedRows::ComputeGradients(GradientTask const& task) {
  GradientsToSet();
  auto const may_cut = takes_shards_ && !IsDistributed(task.ctx) && task.objective.IsOfRowsAlone();
  if (may_cut && MakeOthers(task)) {
    UpdateOthers(task);
    gradient_copies_ = {false, true};
  } else {
    Margins(task.main);
  }
  auto const others = Others();
  try {
    for (auto const& other : others) other->ComputeGradients(task.ctx, task.objective, task.iteration);
    auto const n_here = ToSize(NumRowsHere() * n_outputs_);
    task.objective.ComputeGradients(task.main, task.ctx, {margins_.data(), n_here}, FirstRows(task.info, NumRowsHere()),
                                    task.iteration, {gradients_.data(), n_here});
    for (auto const& other : others) other->WaitForGradients();
  } catch (...) {
    for (auto const& other : others) other->Settle();  // because the objective belongs to the caller
    throw;
  }
}

void ShardedRows::BeginTree(CudaContext const& main, bool takes_shards) {
  takes_shards_ = takes_shards;
  if (takes_shards && gradient_copies_.on_others && margin_copies_.on_others) return;
  FetchGradients(main);
  gradient_copies_.on_others = false;
  MarginsToChange(main);
}

void ShardedRows::AgreeOnLargest(CudaContext const& main) {
  auto const others = Others();
  if (others.empty()) return;
  auto* const largest = tree_.summary.Largest();
  std::vector<LargestMagnitude const*> of_others;
  for (auto const& other : others) of_others.push_back(other->CollectLargest(main));
  TakeLarger(main, of_others, n_outputs_, largest);
  agreed_->Record(main);
  for (auto const& other : others) other->TakeLargest(largest, *agreed_, main.device);
}

void ShardedRows::Quantise(CudaContext const& main, PairTable const& gradients, std::int64_t output,
                           RowSample const& sample, Span<std::uint8_t> marks) {
  for (auto const& other : Others()) other->Quantise(output, sample);
  tree_.Quantise(main, gradients, output, sample, marks);
  tree_.summary.Fetch(main);
}

Span<ShardInput const> ShardedRows::Inputs() {
  inputs_.clear();
  for (auto const& other : Others()) inputs_.push_back(other->Input());
  return inputs_;
}

FixedSum ShardedRows::SumOfOthers() const {
  FixedSum sum{};
  for (auto const& other : Others()) sum += other->Sum();
  return sum;
}

void ShardedRows::RequireFiniteOthers(std::int64_t output) const {
  for (auto const& other : Others()) other->RequireFinite(output);
}

std::vector<FixedSum> ShardedRows::SumLeaves(CudaContext const& main, std::int64_t n_nodes) {
  for (auto const& other : Others()) other->SumLeaves(n_nodes);
  auto sums = tree_.SumLeaves(main, n_nodes);
  for (auto const& other : Others()) {
    auto const& there = other->LeafSums();
    for (std::size_t node = 0; node < sums.size(); ++node) sums[node] += there[node];
  }
  return sums;
}

void ShardedRows::AddLeaves(CudaContext const& main, Tree const& tree, std::int64_t output) {
  auto const others = Others();
  auto const vector_leaves = tree.HasVectorLeaves();
  auto const& values = vector_leaves ? tree.leaf_vector : tree.split_value;
  margin_copies_ = {others.empty(), !others.empty()};
  for (auto const& other : others) other->AddLeaves(values, vector_leaves, output);
  tree_.AddLeaves(main, values, {NumRowsHere(), n_outputs_, output, vector_leaves, margins_.span()});
  for (auto const& other : others) other->WaitForAll();  // a failure there must fail this round, not a later call
}

}  // namespace kauri::cuda

#include "cuda/engine/apart_round.h"

#include "common/fixed_point.h"
#include "cuda/engine/engine_data.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// Returns the info of the first n_rows rows.
DeviceInfo FirstRows(DeviceInfo const& info, std::int64_t n_rows) {
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

std::unique_ptr<ApartRound> ApartRound::Make(Context const& ctx, WholeRows const& whole) {
  auto const& devices = ctx.device.ordinals;
  if (devices.size() < 2) return nullptr;
  auto const cut = CutRows(whole.info.n_rows, devices.size());
  if (cut.size() < 2) return nullptr;
  std::unique_ptr<ApartRound> round(new ApartRound(whole));
  for (std::size_t i = 1; i < cut.size(); ++i) {
    round->others_.push_back(std::make_unique<ApartRows>(devices[i], cut[i], whole));
  }
  round->n_own_rows_ = cut[0].count;
  return round;
}

void ApartRound::CollectMargins(CudaContext const& main, float* margins) {
  if (margins_whole_) return;
  for (auto const& other : others_) other->GiveMargins(main, margins);
  margins_whole_ = true;
}

void ApartRound::Spread(WholeRows const& whole) {
  auto const is_told = is_told_ && revision_ == whole.revision;
  if (is_told && margins_here_) return;
  whole.ready.Record(whole.main);
  for (auto const& other : others_) {
    if (!is_told) other->TakeInfo(whole);
    if (!margins_here_) other->TakeMargins(whole);
  }
  is_told_ = true;
  revision_ = whole.revision;
  margins_here_ = true;
}

PairTable ApartRound::OwnGradients(TrainingArrays const& arrays) const {
  return {{arrays.gradients.data(), ToSize(n_own_rows_ * n_outputs_)}, n_outputs_};
}

void ApartRound::ComputeGradients(Context const& ctx, WholeRows const& whole, DeviceObjective const& objective,
                                  std::int64_t iteration, TrainingArrays* arrays) {
  Spread(whole);
  try {
    for (auto const& other : others_) other->ComputeGradients(ctx, objective, iteration);
    auto const n_own = ToSize(n_own_rows_ * n_outputs_);
    objective.ComputeGradients(whole.main, ctx, {whole.margins, n_own}, FirstRows(whole.info, n_own_rows_), iteration,
                               {arrays->gradients.data(), n_own});
    arrays->summary.Clear(whole.main, n_outputs_);
    FindLargest(whole.main, OwnGradients(*arrays), arrays->summary.Largest());
    AgreeOnLargest(whole.main, arrays);
  } catch (...) {
    for (auto const& other : others_) other->Settle();  // because the objective belongs to the caller
    throw;
  }
  has_gradients_ = true;
}

void ApartRound::AgreeOnLargest(CudaContext const& main, TrainingArrays* arrays) {
  auto* const largest = arrays->summary.Largest();
  std::vector<LargestMagnitude const*> of_others;
  for (auto const& other : others_) of_others.push_back(other->CollectLargest(main));
  TakeLarger(main, of_others, n_outputs_, largest);
  agreed_.Record(main);
  for (auto const& other : others_) other->TakeLargest(largest, agreed_, main.device);
}

void ApartRound::CopyGradients(CudaContext const& main, GradientPair* gradients) {
  for (auto const& other : others_) other->GiveGradients(main, gradients);
}

void ApartRound::FailRow(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const {
  auto const row = FirstNotFinite(main, OwnGradients(arrays), output);
  if (row < n_own_rows_) FailGradient(ToHost(main, arrays.gradients.data() + row * n_outputs_ + output, 1)[0], row);
  for (auto const& other : others_) other->RequireFinite(output);
  Fail(ErrorKind::kInternal,
       "expected a gradient that is NaN or infinite, as the first scan found one, but the second scan found none");
}

DeviceTreeTask ApartRound::MakeInput(CudaContext const& main, ApartTree const& tree, TrainingArrays* arrays) {
  for (auto const& other : others_) other->Quantise(tree.output, tree.sample);
  DeviceTreeTask made;
  made.place = tree.place;
  auto const n_own = ToSize(n_own_rows_);
  Span<std::uint8_t> sampled;
  if (tree.sample.rate < 1.0F) {
    arrays->sampled.Reserve(main, arrays->pairs.size());
    sampled = {arrays->sampled.data(), n_own};
  }
  Span<FixedPair> const pairs{arrays->pairs.data(), n_own};
  auto& summary = arrays->summary;
  summary.ClearTotals(main);
  Quantise(main, {OwnGradients(*arrays), tree.output, summary.Largest() + tree.output, tree.sample, pairs, sampled,
                  summary.Totals() + tree.output});
  summary.Fetch(main);
  made.pairs = pairs;
  made.sampled_rows = sampled;
  inputs_.clear();
  for (auto const& other : others_) inputs_.push_back(other->Input());
  made.shares = inputs_;
  made.totals =
      TreeTotals(nullptr, [this, main, arrays, output = tree.output] { return TotalsOf(main, *arrays, output); });
  return made;
}

PairTotals ApartRound::TotalsOf(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const {
  auto const found = arrays.summary.Fetched(output);
  if (!found.largest.IsFinite()) FailRow(main, arrays, output);
  PairTotals totals{found.largest.Unit(), found.sum};
  for (auto const& other : others_) totals.sum += other->Sum();
  return totals;
}

void ApartRound::AddLeaves(std::vector<float> const& values, std::int64_t output) {
  for (auto const& other : others_) other->AddLeaves(values, output);
  for (auto const& other : others_) other->WaitForAll();  // a failure there must fail this round, not a later call
  margins_whole_ = false;
}

}  // namespace kauri::cuda

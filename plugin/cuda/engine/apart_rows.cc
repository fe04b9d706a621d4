#include "cuda/engine/apart_rows.h"

#include <string>

#include "common/fixed_point.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/peer.h"

namespace kauri::cuda {
namespace {

/// Copies the share's part of an array with `width` numbers a row; empty arrays stay empty.
void TakePart(CudaContext const& cuda, int from_device, Span<float const> from, RowsOfShare place, std::int64_t width,
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

ApartRows::ApartRows(int device, RowsOfShare place, WholeRows const& whole)
    : stream_(device), place_(place), n_outputs_(whole.n_outputs), ready_(device), found_(device), worker_(device) {
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
  pairs_ = Buffer<FixedPair>(Cuda(), n_rows);
  leaf_of_row_ = Buffer<std::int32_t>(Cuda(), n_rows);
}

void ApartRows::TakeInfo(WholeRows const& whole) {
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

void ApartRows::TakeMargins(WholeRows const& whole) {
  WaitForAll();
  DeviceScope const scope(Cuda().device);
  whole.ready.HoldBack(Cuda());
  CopyFromDevice(Cuda(), whole.main.device, whole.margins + place_.first * n_outputs_, margins_.size(),
                 margins_.data());
  Cuda().Synchronize();  // for the copy, whose source others may write next
}

void ApartRows::GiveMargins(CudaContext const& main, float* margins) {
  WaitForAll();
  ready_.Record(Cuda());
  ready_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, margins_.data(), margins_.size(), margins + place_.first * n_outputs_);
  main.Synchronize();  // for the copy, whose source this device writes next
}

void ApartRows::GiveGradients(CudaContext const& main, GradientPair* gradients) {
  WaitForAll();
  ready_.Record(Cuda());
  ready_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, gradients_.data(), gradients_.size(), gradients + place_.first * n_outputs_);
  main.Synchronize();  // for the copy, whose source this device writes next
}

DeviceInfo ApartRows::Info() const {
  return {place_.count, n_targets_, labels_.span(), weights_.span(), {}, lower_bounds_.span(), upper_bounds_.span()};
}

void ApartRows::ComputeGradients(Context const& ctx, DeviceObjective const& objective, std::int64_t iteration) {
  last_ = computed_ = worker_.Post([this, &ctx, &objective, iteration] {
    objective.ComputeGradients(Cuda(), ctx, margins_.span(), Info(), iteration, gradients_.span());
    summary_.Clear(Cuda(), n_outputs_);
    cuda::FindLargest(Cuda(), Gradients(), summary_.Largest());
    found_.Record(Cuda());
  });
}

LargestMagnitude const* ApartRows::CollectLargest(CudaContext const& main) {
  worker_.Wait(computed_);
  found_.HoldBack(main);
  if (CanRead(main.device, Cuda().device)) return summary_.Largest();
  largest_on_main_.Reserve(main, ToSize(n_outputs_));
  CopyFromDevice(main, Cuda().device, summary_.Largest(), ToSize(n_outputs_), largest_on_main_.data());
  return largest_on_main_.data();
}

void ApartRows::TakeLargest(LargestMagnitude const* largest, Event const& ready, int main) {
  last_ = worker_.Post([this, largest, &ready, main] {
    ready.HoldBack(Cuda());
    CopyFromDevice(Cuda(), main, largest, ToSize(n_outputs_), summary_.Largest());
  });
}

FixedSum ApartRows::Sum() {
  WaitForAll();
  return sum_;
}

void ApartRows::RequireFinite(std::int64_t output) {
  WaitForAll();
  DeviceScope const scope(Cuda().device);
  auto const row = FirstNotFinite(Cuda(), Gradients(), output);
  if (row == place_.count) return;
  auto const* pair = gradients_.data() + row * n_outputs_ + output;
  FailGradient(ToHost(Cuda(), pair, 1)[0], place_.first + row);
}

void ApartRows::Quantise(std::int64_t output, RowSample sample) {
  sample.first_row = place_.first;
  quantised_ = worker_.Post([this, output, sample] {
    is_sampled_ = sample.rate < 1.0F;
    if (is_sampled_) sampled_.Reserve(Cuda(), ToSize(place_.count));
    summary_.ClearTotals(Cuda());
    cuda::Quantise(Cuda(), {Gradients(), output, summary_.Largest() + output, sample, pairs_.span(),
                            is_sampled_ ? sampled_.span() : Span<std::uint8_t>(), summary_.Totals() + output});
    ready_.Record(Cuda());
    summary_.Fetch(Cuda());
  });
  last_ = worker_.Post([this, output] { sum_ = summary_.Fetched(output).sum; });
}

ShareInput ApartRows::Input() {
  worker_.Wait(quantised_);
  auto const marks = is_sampled_ ? sampled_.span() : Span<std::uint8_t>();
  return {pairs_.span(), marks, leaf_of_row_.span(), &ready_, Cuda()};
}

void ApartRows::AddLeaves(std::vector<float> const& values, std::int64_t output) {
  last_ = worker_.Post([this, values, output] {
    leaf_values_.Clear();
    auto const place = leaf_values_.Add(values);
    leaf_values_.Send(Cuda());
    cuda::AddLeaves(Cuda(), {leaf_values_.At<float>(place), values.size()}, leaf_of_row_.span(), n_outputs_, output,
                    margins_.span());
  });
}

}  // namespace kauri::cuda

/// Creates boosters, sets their parameters, trains rounds and evaluates.
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "booster/config/client.h"
#include "booster/config/metrics.h"
#include "booster/learner.h"
#include "booster/predict/metric_intervals.h"
#include "c_api/arrays.h"
#include "c_api/communicator.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/text/quoted.h"
#include "data/arrays/array_dispatch.h"

namespace kauri::c_api {
namespace {

constexpr std::int64_t kDefaultResamples = 200;
constexpr std::int64_t kMostResamples = std::int64_t{1} << 31U;

BoosterHandle MakeBooster(DMatrixHandle const* matrices, bst_ulong count) {
  if (count > 0) NotNull(matrices, "dmats");
  auto learner = std::make_unique<Learner>(ThisClient());
  if (DefaultThreads() > 0) learner->SetParam("nthread", std::to_string(DefaultThreads()));
  learner->SettleParams();  // so that the user may change it by its other name n_jobs
  for (bst_ulong i = 0; i < count; ++i) learner->AddData(DataRead(matrices[i])->data);
  return new LearnerHandle(std::move(learner));
}

/// Returns the elements as float32, row by row.
std::vector<float> FloatsOf(ArrayView const& array) {
  std::vector<float> values;
  values.reserve(array.Size());
  DispatchDType(array.dtype, [&](auto tag) {
    for (std::int64_t row = 0; row < array.shape[0]; ++row) {
      for (std::int64_t col = 0; col < array.shape[1]; ++col) {
        values.push_back(static_cast<float>(LoadElement<decltype(tag)>(ElementAddress(array, row, col))));
      }
    }
  });
  return values;
}

std::vector<GradientPair> PairsOf(Span<float const> gradients, Span<float const> hessians) {
  if (gradients.size() != hessians.size()) {
    Fail(ErrorKind::kData, "there are ", gradients.size(), " gradients and ", hessians.size(),
         " hessians; pass one of each per row and output.");
  }
  std::vector<GradientPair> pairs(gradients.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {gradients[i], hessians[i]};
  return pairs;
}

std::vector<GradientPair> PairsOf(AnyArray const& gradients, AnyArray const& hessians) {
  return PairsOf(FloatsOf(gradients.OnHost().view), FloatsOf(hessians.OnHost().view));
}

/// Parses gradients or hessians. \throws Error(kData) unless the array has one row per row of `data`: [n_rows], or
/// [n_rows, n_outputs].
AnyArray DerivativesOf(char const* json, char const* name, DataMatrix const& data) {
  auto array = AnyArrayOf(json, name);
  auto const n_rows = array.array.view.shape[0];
  if (n_rows != data.NumRows()) {
    Fail(ErrorKind::kData, "argument ", Quoted(name), " has ", n_rows, " rows, the data ", data.NumRows(),
         "; expected the shape [n_rows] or [n_rows, n_outputs].");
  }
  return array;
}

bool TrainsOnDevice(Learner const& learner) { return learner.Ready()->Parts()->ctx.device.kind == DeviceKind::kCuda; }

/// Trains a round. Arrays in device memory stay there if training runs on a device. The number of a round, here and
/// below, is the model's number of rounds, not the caller's: continued training then draws the same random numbers as
/// uninterrupted training.
void BoostFrom(AnyArray const& gradients, AnyArray const& hessians, std::shared_ptr<DataMatrix> const& data,
               Learner* learner) {
  if (gradients.on_device && hessians.on_device && TrainsOnDevice(*learner)) {
    return learner->BoostRound(data, learner->NumIterations(), DeviceGradients{gradients.array, hessians.array});
  }
  auto const pairs = PairsOf(gradients, hessians);
  learner->BoostRound(data, learner->NumIterations(), pairs);
}

/// Returns whether the range is outside the rounds, XGBoost's return code -2; a range that is not a slice is an error.
bool IsOutside(int begin, int end, int step, std::int64_t n_rounds) {
  if (step < 1) Fail(ErrorKind::kParameter, "slice: the step must be >= 1, and is ", step, ".");
  if (begin < 0)
    Fail(ErrorKind::kParameter, "slice: begin must be >= 0, and is ", begin, "; count rounds from the first.");
  auto const last = end == 0 ? n_rounds : std::int64_t{end};
  if (begin == last) {
    Fail(ErrorKind::kParameter, "Empty slice: rounds [", begin, ", ", last, ") of the booster's ", n_rounds, ".");
  }
  return end < 0 || last > n_rounds || begin > last || step > last - begin;
}

/// Data sets with names, held during a call that evaluates them.
class HeldSets {
 public:
  HeldSets(DMatrixHandle const* matrices, char const* const* names, bst_ulong count) {
    if (count > 0) NotNull(matrices, "dmats");
    auto const texts = StringsOf(names, count, "evnames");
    for (bst_ulong i = 0; i < count; ++i) sets_.push_back({texts[i], held_.emplace_back(matrices[i])->data});
  }

  std::vector<NamedData> const& Sets() const { return sets_; }

 private:
  std::deque<DataRead> held_;  ///< a deque, because they cannot be moved
  std::vector<NamedData> sets_;
};

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGBoosterCreate(DMatrixHandle const dmats[], bst_ulong len, BoosterHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    *out = MakeBooster(dmats, len);
  });
}

int XGBoosterFree(BoosterHandle handle) {
  return Guard([&] {
    auto& booster = BoosterOf(handle);
    if (booster.TakeForGood("booster")) delete &booster;
  });
}

int XGBoosterReset(BoosterHandle handle) {
  return Guard([&] { BoosterUse(handle)->Reset(); });
}

int XGBoosterSlice(BoosterHandle handle, int begin_layer, int end_layer, int step, BoosterHandle* out) {
  auto outside = false;
  auto const status = Guard([&] {
    NotNull(out, "out");
    BoosterRead const booster(handle);
    auto const& learner = *booster->learner;
    outside = IsOutside(begin_layer, end_layer, step, learner.NumIterations());
    if (outside) {
      kauri::Fail(kauri::ErrorKind::kParameter, "slice: rounds [", begin_layer, ", ", end_layer, ") with step ", step,
                  " reach outside the ", learner.NumIterations(), " rounds of the booster.");
    }
    *out = new LearnerHandle(learner.Slice({begin_layer, end_layer}, step));
  });
  return outside ? -2 : status;
}

int KauriBoosterAverage(BoosterHandle const boosters[], bst_ulong len, BoosterHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    if (len > 0) NotNull(boosters, "boosters");
    std::deque<BoosterRead> held;
    std::vector<kauri::Learner const*> learners;
    for (bst_ulong i = 0; i < len; ++i) learners.push_back(held.emplace_back(boosters[i])->learner.get());
    *out = new LearnerHandle(kauri::Learner::Average(learners));
  });
}

int XGBoosterBoostedRounds(BoosterHandle handle, int* out) {
  return Guard([&] { *NotNull(out, "out") = static_cast<int>(BoosterRead(handle)->learner->NumIterations()); });
}

int KauriBoosterSettleParams(BoosterHandle handle) {
  return Guard([&] { BoosterUse(handle)->SettleParams(); });
}

int XGBoosterSetParam(BoosterHandle handle, char const* name, char const* value) {
  return Guard([&] { BoosterUse(handle)->SetParam(NotNull(name, "name"), NotNull(value, "value")); });
}

int XGBoosterGetNumFeature(BoosterHandle handle, bst_ulong* out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    *NotNull(out, "out") = static_cast<bst_ulong>(booster->learner->GetModel().n_features);
  });
}

int XGBoosterUpdateOneIter(BoosterHandle handle, int /*iter*/, DMatrixHandle dtrain) {
  return Guard([&] {
    EnterGroup(handle, {&dtrain, 1});
    BoosterUse const learner(handle);
    learner->BoostRound(DataRead(dtrain)->data, learner->NumIterations());
  });
}

int XGBoosterBoostOneIter(BoosterHandle handle, DMatrixHandle dtrain, float* grad, float* hess, bst_ulong len) {
  return Guard([&] {
    EnterGroup(handle, {&dtrain, 1});
    BoosterUse const learner(handle);
    auto const count = static_cast<std::size_t>(len);
    auto const pairs = PairsOf({NotNull(grad, "grad"), count}, {NotNull(hess, "hess"), count});
    learner->BoostRound(DataRead(dtrain)->data, learner->NumIterations(), pairs);
  });
}

int XGBoosterTrainOneIter(BoosterHandle handle, DMatrixHandle dtrain, int /*iter*/, char const* grad,
                          char const* hess) {
  return Guard([&] {
    EnterGroup(handle, {&dtrain, 1});
    BoosterUse const learner(handle);
    DataRead const matrix(dtrain);
    auto const& data = matrix->data;
    auto const gradients = DerivativesOf(grad, "grad", *data);
    BoostFrom(gradients, DerivativesOf(hess, "hess", *data), data, learner.operator->());
  });
}

int XGBoosterTrainOneIterWithSplitGrad(BoosterHandle handle, DMatrixHandle dtrain, int /*iter*/, char const* split_grad,
                                       char const* split_hess, char const* grad, char const* hess) {
  return Guard([&] {
    EnterGroup(handle, {&dtrain, 1});
    BoosterUse const learner(handle);
    DataRead const matrix(dtrain);
    auto const& data = matrix->data;
    auto const split_gradients = DerivativesOf(split_grad, "split_grad", *data);
    auto const splits = PairsOf(split_gradients, DerivativesOf(split_hess, "split_hess", *data));
    auto const leaves = PairsOf(DerivativesOf(grad, "grad", *data), DerivativesOf(hess, "hess", *data));
    auto const n_split_outputs = split_gradients.array.view.shape[1];
    learner->BoostRound(data, learner->NumIterations(), kauri::SplitGradients{splits, n_split_outputs, leaves});
  });
}

int XGBoosterEvalOneIter(BoosterHandle handle, int iter, DMatrixHandle dmats[], char const* evnames[], bst_ulong len,
                         char const** out_result) {
  return Guard([&] {
    NotNull(out_result, "out_result");
    EnterGroup(handle, {dmats, len});
    BoosterUse const booster(handle);
    auto const results = booster->Evaluate(HeldSets(dmats, evnames, len).Sets());
    auto& text = booster.Handle().Buffers().text;
    text = kauri::Learner::FormatEvaluation(iter, results);
    *out_result = text.c_str();
  });
}

int KauriBoosterHigherIsBetter(BoosterHandle handle, char const* metric, int* out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    auto const model = booster->learner->Ready();
    auto const direction = kauri::DirectionOf(*model->Parts(), NotNull(metric, "metric"));
    *NotNull(out, "out") = direction == kauri::MetricDirection::kHigher ? 1 : 0;
  });
}

int KauriBoosterRequireQueries(BoosterHandle handle, DMatrixHandle data) {
  return Guard([&] {
    BoosterRead const booster(handle);
    auto const model = booster->learner->Ready();
    kauri::RequireQueries(*model->Parts(), DataRead(data)->Info());
  });
}

int KauriBoosterKnowsMetric(BoosterHandle handle, char const* metric, int* out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    auto const model = booster->learner->Ready();
    auto const direction = kauri::DirectionOf(*model->Parts(), NotNull(metric, "metric"));
    *NotNull(out, "out") = direction == kauri::MetricDirection::kUnknown ? 0 : 1;
  });
}

int KauriBoosterEvaluateWithIntervals(BoosterHandle handle, DMatrixHandle dmat, char const* config, char const** out) {
  return Guard([&] {
    NotNull(out, "out");
    auto& booster = BoosterOf(handle);
    JsonConfig const settings(config, "KauriBoosterEvaluateWithIntervals");
    auto const n_resamples = settings.IntegerOr("n_resamples", kDefaultResamples);
    if (n_resamples < 0 || n_resamples > kMostResamples) {
      kauri::Fail(kauri::ErrorKind::kParameter, "n_resamples=", n_resamples, " is not from 0 to ", kMostResamples, ".");
    }
    kauri::ResamplingOptions const options{n_resamples, static_cast<std::uint64_t>(settings.IntegerOr("seed", 0))};
    auto list = nlohmann::json::array();
    auto const ready = booster.learner->Ready();
    for (auto const& metric : kauri::EvaluateWithIntervals(*ready, *DataOf(dmat).data, options)) {
      auto const& [low, high] = metric.interval;
      list.push_back({{"name", metric.name}, {"value", metric.value}, {"low", low}, {"high", high}});
    }
    auto& text = booster.Buffers().text;
    text = list.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    *out = text.c_str();
  });
}

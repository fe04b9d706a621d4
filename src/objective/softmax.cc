#include <dmlc/parameter.h>

#include <algorithm>
#include <cmath>

#include "collective/reduce.h"
#include "collective/row_sums.h"
#include "common/math.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "objective/formula.h"
#include "objective/gradient_kernels.h"
#include "objective/labels.h"
#include "objective/objective_table.h"

namespace kauri {

struct SoftmaxParam : public dmlc::Parameter<SoftmaxParam> {
  int num_class;

  DMLC_DECLARE_PARAMETER(SoftmaxParam) {
    DMLC_DECLARE_FIELD(num_class)
        .set_default(0)
        .set_range(0, 1 << 24)
        .describe("Number of classes, 2 or more; labels are 0 to num_class - 1.");
  }

  void Validate() const {
    if (num_class >= 2) return;
    Fail(ErrorKind::kParameter, "parameter num_class='", num_class,
         "' is not valid; multi:softmax and multi:softprob need the number of classes, 2 or more");
  }
};

DMLC_REGISTER_PARAMETER(SoftmaxParam);

namespace {

/// Returns the number of rows per block, such that a block has about kRowBlock elements.
std::int64_t BlockRows(std::int64_t n_classes) { return std::max<std::int64_t>(kRowBlock / n_classes, 1); }

/// Returns 1 / the sum of the exponents of a row.
double InverseSum(double const* exponents, std::int64_t n_classes) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n_classes; ++k) sum += exponents[k];
  return 1.0 / sum;
}

/// Calls fn(row, exponents of the row [n_classes], 1 / their sum) for every row.
template <typename Fn>
void ForRowExponents(Context const& ctx, float const* margins, std::int64_t n_rows, std::int64_t n_classes, Fn&& fn) {
  auto const block_rows = BlockRows(n_classes);
  ParallelForBlocks(ctx, n_rows, block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<double> exponents(SizeInMemory((end - begin) * n_classes));
    SoftmaxExponents(margins + begin * n_classes, end - begin, n_classes, exponents.data());
    for (auto row = begin; row < end; ++row) {
      auto const* of_row = exponents.data() + (row - begin) * n_classes;
      fn(row, of_row, InverseSum(of_row, n_classes));
    }
  });
}

/// Sums of weights per class.
struct ClassWeights {
  std::vector<double> sums;

  ClassWeights() = default;
  explicit ClassWeights(std::int64_t n_classes) : sums(ToSize(n_classes)) {}
  explicit ClassWeights(Span<double const> doubles) : sums(doubles.begin(), doubles.end()) {}

  void AppendTo(std::vector<double>* doubles) const { doubles->insert(doubles->end(), sums.begin(), sums.end()); }
  ClassWeights& operator+=(ClassWeights const& other) {
    if (sums.empty()) return *this = other;
    if (other.sums.size() != sums.size()) FailParcel("expected one sum of weights per class");
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
    return *this;
  }
};

/// The term of one row in these sums.
struct ClassWeight {
  std::int32_t label;
  float weight;
};

/// Returns the sums over the rows of all ranks; empty without rows.
ClassWeights SumClassWeights(Context const& ctx, MetaInfo const& info, std::int64_t n_classes) {
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    ClassWeights block(n_classes);
    for (auto row = begin; row < end; ++row) block.sums[info.labels[row]] += static_cast<double>(info.Weight(row));
    return block;
  };
  auto const weight_of = [&](std::int64_t row) {
    return ClassWeight{static_cast<std::int32_t>(info.labels[row]), info.Weight(row)};
  };
  auto const add_up = [&](BlockValues<ClassWeight> const& block) {
    ClassWeights weights(n_classes);
    for (std::int64_t i = 0; i < block.n; ++i) {
      auto const [label, weight] = block.values[i];
      if (label < 0 || label >= n_classes)
        FailParcel("a row has the class " + std::to_string(label) + ", which is out of range");
      weights.sums[label] += static_cast<double>(weight);
    }
    return weights;
  };
  auto weights = SumRows<ClassWeights>(ctx, info, {}, sum_of, weight_of, add_up);
  if (weights.sums.empty() || weights.sums.size() == ToSize(n_classes)) return weights;
  FailParcel("expected one sum of weights per class");
}

/// The objective. Predictions are the probabilities of all classes; multi:softmax then picks the likeliest class.
class Softmax : public Objective {
 public:
  Softmax(std::string name, bool picks_class, ParamMap const& params)
      : name_(std::move(name)), picks_class_(picks_class), param_(ParseParameters<SoftmaxParam>(params)) {}

  std::int64_t NumOutputs(MetaInfo const&) const override { return param_.num_class; }
  std::int64_t NumClasses() const override { return param_.num_class; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override;
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override;
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override;
  std::int64_t ValueWidth(std::int64_t n_outputs) const override { return picks_class_ ? 1 : n_outputs; }
  void PickValues(Context const& ctx, Span<float const> transformed, std::int64_t n_outputs,
                  Span<float> out) const override;
  std::string Name() const override { return name_; }
  std::string DefaultMetric() const override { return "mlogloss"; }
  std::string ParamKey() const override { return "softmax_multiclass_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }
  ObjectiveFormula Formula() const override { return {SoftmaxLoss{param_.num_class}}; }

 private:
  std::string name_;
  bool picks_class_;
  SoftmaxParam param_;
};

void Softmax::ValidateInfo(Context const& ctx, MetaInfo const& info) const {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column with the class of each row");
  }
  auto const n_classes = static_cast<float>(param_.num_class);
  auto const last = std::to_string(param_.num_class - 1);
  CheckLabels(ctx, info,
              {name_, "a whole number from 0 to " + last, "number the classes from 0, or raise num_class",
               "label must be discrete values in the range of [0, num_class)"},
              [&](float label) { return label >= 0.0F && label < n_classes && std::floor(label) == label; });
}

void Softmax::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                               Span<GradientPair> out) const {
  std::int64_t const n_classes = param_.num_class;
  CheckGradientSizes(info.labels.size() * ToSize(n_classes), margins, out);
  ForRowExponents(ctx, margins.data(), info.n_rows, n_classes,
                  [&](std::int64_t row, double const* exponents, double inverse_sum) {
                    auto const label = static_cast<std::int64_t>(info.labels[row]);
                    auto const weight = info.Weight(row);
                    auto* pairs = out.data() + row * n_classes;
                    for (std::int64_t k = 0; k < n_classes; ++k) {
                      auto const probability = SoftmaxLoss::Probability(exponents[k], inverse_sum);
                      pairs[k] = SoftmaxLoss::Gradient(probability, false, weight);
                    }
                    // Done afterwards, so that the loop above has no comparison and is vectorised.
                    auto const probability = SoftmaxLoss::Probability(exponents[label], inverse_sum);
                    pairs[label] = SoftmaxLoss::Gradient(probability, true, weight);
                  });
}

std::vector<float> Softmax::EstimateBaseScore(Context const& ctx, MetaInfo const& info) const {
  auto const n_classes = static_cast<std::size_t>(param_.num_class);
  auto const weights = SumClassWeights(ctx, info, param_.num_class);
  std::vector<float> scores(n_classes, 0.0F);
  if (weights.sums.empty()) return scores;
  double total = 0.0;
  for (auto const sum : weights.sums) total += sum;
  if (!(total > 0.0)) FailNoWeight(SumOverRanks(ctx, info.n_rows), name_);
  // float32 steps in XGBoost's order: log(frequency + 1e-6), minus its mean over the classes.
  float mean = 0.0F;
  for (std::size_t k = 0; k < n_classes; ++k) {
    scores[k] = LogFloat(static_cast<float>(weights.sums[k] / total) + 1e-6F);
    mean += scores[k] / static_cast<float>(n_classes);
  }
  for (auto& score : scores) score -= mean;
  return scores;
}

void Softmax::TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const {
  auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
  ForRowExponents(ctx, values.data(), n_rows, n_outputs,
                  [&](std::int64_t row, double const* exponents, double inverse_sum) {
                    auto* of_row = values.data() + row * n_outputs;
                    for (std::int64_t k = 0; k < n_outputs; ++k) {
                      of_row[k] = SoftmaxLoss::Probability(exponents[k], inverse_sum);
                    }
                  });
}

void Softmax::PickValues(Context const& ctx, Span<float const> transformed, std::int64_t n_outputs,
                         Span<float> out) const {
  if (!picks_class_) return Objective::PickValues(ctx, transformed, n_outputs, out);
  ParallelForBlocks(ctx, static_cast<std::int64_t>(out.size()), BlockRows(n_outputs),
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto row = begin; row < end; ++row) {
                        auto const* of_row = transformed.data() + row * n_outputs;
                        auto const* likeliest = std::max_element(of_row, of_row + n_outputs);
                        out[row] = static_cast<float>(likeliest - of_row);
                      }
                    });
}

}  // namespace

void RegisterSoftmax(Registry<ObjectiveFactory>* registry) {
  registry->Add({"multi:softmax", "Several classes: the likeliest class.",
                 [](ParamMap const& params) { return std::make_unique<Softmax>("multi:softmax", true, params); },
                 DescribeParameters<SoftmaxParam>});
  registry->Add({"multi:softprob", "Several classes: the probability of each.",
                 [](ParamMap const& params) { return std::make_unique<Softmax>("multi:softprob", false, params); },
                 DescribeParameters<SoftmaxParam>});
}

}  // namespace kauri

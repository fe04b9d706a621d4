#include "booster/boosters/coordinate_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/fixed_point.h"
#include "common/random/random.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {

LinearColumns::LinearColumns(Context const& ctx, DataMatrix const& data) {
  if (data.NumRows() > 0xFFFFFFFFLL) {
    Fail(ErrorKind::kData, "gblinear was given ", data.NumRows(), " rows; it takes at most 4294967295.");
  }
  auto const n_entries = static_cast<std::size_t>(data.NumEntries());
  column_ptr_.assign(static_cast<std::size_t>(data.NumCols()) + 1, 0);
  values_.resize(n_entries);
  if (data.HasMissing()) rows_.resize(n_entries);
  if (data.IsDense()) {
    TakeDense(ctx, data);
  } else {
    TakeSparse(data);
  }
}

void LinearColumns::TakeDense(Context const& ctx, DataMatrix const& data) {
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  auto const* const cells = data.Dense().values.data();
  auto const for_present = [&](std::int64_t feature, auto&& fn) {
    auto const* value = cells + feature;
    for (std::int64_t row = 0; row < data.NumRows(); ++row, value += n_cols) {
      if (!std::isnan(*value)) fn(row, *value);
    }
  };
  ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
    auto& count = column_ptr_[feature + 1];
    if (!data.HasMissing()) {
      count = data.NumRows();
    } else {
      for_present(feature, [&](std::int64_t, float) { ++count; });
    }
  });
  for (std::size_t i = 1; i <= n_cols; ++i) column_ptr_[i] += column_ptr_[i - 1];
  ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
    auto next = static_cast<std::size_t>(column_ptr_[feature]);
    for_present(feature, [&](std::int64_t row, float value) {
      if (!rows_.empty()) rows_[next] = static_cast<std::uint32_t>(row);
      values_[next++] = value;
    });
  });
}

void LinearColumns::TakeSparse(DataMatrix const& data) {
  auto const& csr = data.Csr();
  for (auto const feature : csr.features) ++column_ptr_[feature + 1];
  for (std::size_t i = 1; i < column_ptr_.size(); ++i) column_ptr_[i] += column_ptr_[i - 1];
  std::vector<std::int64_t> cursor(column_ptr_.begin(), column_ptr_.end() - 1);
  for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
    for (auto entry = csr.row_ptr[row]; entry < csr.row_ptr[row + 1]; ++entry) {
      auto const from = static_cast<std::size_t>(entry);
      auto const to = static_cast<std::size_t>(cursor[csr.features[from]]++);
      rows_[to] = static_cast<std::uint32_t>(row);
      values_[to] = csr.values[from];
    }
  }
}

LinearColumn LinearColumns::Column(std::int64_t feature) const {
  auto const begin = static_cast<std::size_t>(column_ptr_[feature]);
  auto const size = static_cast<std::size_t>(column_ptr_[feature + 1]) - begin;
  LinearColumn column;
  column.values = {values_.data() + begin, size};
  if (!rows_.empty()) column.rows = {rows_.data() + begin, size};
  return column;
}

namespace {

constexpr std::int64_t kEntriesPerBlock = 1 << 16;  ///< a shorter column is not worth a second thread
constexpr std::int64_t kFewEntries = 1 << 16;       ///< below this, threads cost more than they save
constexpr double kLeastHessian = 1e-5;
constexpr std::uint64_t kPurpose = 0x6C696E656172;  ///< random stream of the selectors

/// A round of coordinate descent on one output.
class OutputDescent {
 public:
  OutputDescent(Context const& ctx, GbLinearParam const& param, Penalties penalties, LinearColumns const& columns)
      : ctx_(ctx), param_(param), penalties_(penalties), columns_(columns) {}

  /// Sets the residuals to the gradients. \throws Error(kData) for a pair that is not finite.
  void TakeGradients(Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t output) {
    auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
    residuals_.resize(n_rows);
    ParallelForBlocks(ctx_, n_rows, kEntriesPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        auto const pair = gradients[row * n_outputs + output];
        if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, row);
        residuals_[row] = pair.hessian < 0.0F ? GradientPair{0.0F, 0.0F} : pair;
      }
    });
  }

  float StepBias() {
    auto const n_rows = static_cast<std::int64_t>(residuals_.size());
    auto const sum = SumBlocks<ColumnSum>(ctx_, n_rows, kEntriesPerBlock, [&](std::int64_t begin, std::int64_t end) {
      ColumnSum block;
      for (auto row = begin; row < end; ++row) Add(residuals_[row], 1.0F, &block);
      return block;
    });
    if (!(sum.hessian > 0.0)) return 0.0F;
    auto const step = static_cast<float>(static_cast<double>(param_.eta) * (-sum.gradient / sum.hessian));
    ForRows(n_rows, [&](std::int64_t row) { Move(1.0F, step, &residuals_[row]); });
    return step;
  }

  float StepFeature(std::int64_t feature, float weight) {
    auto const column = columns_.Column(feature);
    auto const step = static_cast<float>(static_cast<double>(param_.eta) * WholeStep(SumOf(ctx_, column), weight));
    if (step == 0.0F) return 0.0F;
    ForRows(static_cast<std::int64_t>(column.values.size()), [&](std::int64_t entry) {
      auto const index = static_cast<std::size_t>(entry);
      Move(column.values[index], step, &residuals_[RowOf(column, index)]);
    });
    return step;
  }

  /// Returns how far each feature's weight would move alone, [n_features]. weight_of: feature -> weight.
  template <typename WeightOf>
  std::vector<double> StepLengths(WeightOf&& weight_of) const {
    Context const alone;
    auto const& ctx = columns_.NumEntries() < kFewEntries ? alone : ctx_;
    std::vector<double> lengths(columns_.NumCols());
    ParallelFor(ctx, columns_.NumCols(), [&](std::int64_t feature) {
      auto const step = WholeStep(SumOf(alone, columns_.Column(feature)), weight_of(feature));
      lengths[feature] = std::fabs(step);
    });
    return lengths;
  }

 private:
  static std::size_t RowOf(LinearColumn const& column, std::size_t entry) {
    return column.rows.empty() ? entry : column.rows[entry];
  }
  static void Add(GradientPair pair, float value, ColumnSum* sum) {
    auto const x = static_cast<double>(value);
    sum->gradient += static_cast<double>(pair.gradient) * x;
    sum->hessian += static_cast<double>(pair.hessian) * x * x;
  }
  static void Move(float value, float step, GradientPair* pair) { pair->gradient += pair->hessian * value * step; }

  double WholeStep(ColumnSum sum, float weight) const {
    return CoordinateStep(sum, static_cast<double>(weight), penalties_);
  }

  ColumnSum SumOf(Context const& ctx, LinearColumn const& column) const {
    auto const n = static_cast<std::int64_t>(column.values.size());
    return SumBlocks<ColumnSum>(ctx, n, kEntriesPerBlock, [&](std::int64_t begin, std::int64_t end) {
      ColumnSum block;
      for (auto entry = static_cast<std::size_t>(begin); entry < static_cast<std::size_t>(end); ++entry) {
        Add(residuals_[RowOf(column, entry)], column.values[entry], &block);
      }
      return block;
    });
  }

  template <typename Fn>
  void ForRows(std::int64_t n, Fn&& fn) {
    ParallelForBlocks(ctx_, n, kEntriesPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto i = begin; i < end; ++i) fn(i);
    });
  }

  Context ctx_;
  GbLinearParam const& param_;
  Penalties penalties_;
  LinearColumns const& columns_;
  std::vector<GradientPair> residuals_;  ///< [n_rows]
};

/// The features of a round in order; greedy determines them during the round. key: random key of the round.
class Selector {
 public:
  Selector(GbLinearParam const& param, std::int64_t n_features, std::uint64_t key)
      : param_(param), n_features_(n_features), key_(key) {}

  /// Calls fn(feature) for each in turn. lengths(): current length of each feature's step, [n_features].
  template <typename Lengths, typename Fn>
  void ForEach(std::int64_t output, Lengths&& lengths, Fn&& fn) const {
    if (param_.feature_selector == GbLinearParam::kGreedy) {
      for (std::int64_t i = 0; i < NumPicked(); ++i) fn(Longest(lengths()));
    } else if (param_.feature_selector == GbLinearParam::kThrifty) {
      for (auto const feature : LongestFirst(lengths())) fn(feature);
    } else {
      for (std::int64_t i = 0; i < n_features_; ++i) fn(Picked(output, i));
    }
  }

  /// Shuffles the features (Fisher and Yates), the same for all outputs. Does nothing for other selectors.
  void Prepare() {
    if (param_.feature_selector != GbLinearParam::kShuffle) return;
    order_.resize(n_features_);
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    for (auto i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[RandomBelow(key_, i, static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::int64_t NumPicked() const {
    return param_.top_k == 0 ? n_features_ : std::min<std::int64_t>(param_.top_k, n_features_);
  }

  std::int64_t Picked(std::int64_t output, std::int64_t i) const {
    if (param_.feature_selector == GbLinearParam::kShuffle) return order_[i];
    if (param_.feature_selector == GbLinearParam::kCyclic) return i;
    auto const key = CombineKeys(key_, static_cast<std::uint64_t>(output));
    return RandomBelow(key, static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(n_features_));
  }

  static std::int64_t Longest(std::vector<double> const& lengths) {
    return std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
  }

  std::vector<std::int64_t> LongestFirst(std::vector<double> const& lengths) const {
    std::vector<std::int64_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return lengths[a] > lengths[b]; });
    order.resize(NumPicked());
    return order;
  }

  GbLinearParam const& param_;
  std::int64_t n_features_;
  std::uint64_t key_;
  std::vector<std::int64_t> order_;
};

/// Runs a round of `output` on weights [n_features + 1, n_outputs].
void Descend(Selector const& selector, std::int64_t output, std::int64_t n_outputs, OutputDescent* descent,
             std::vector<float>* weights) {
  auto const weight_of = [&](std::int64_t feature) -> float& { return (*weights)[feature * n_outputs + output]; };
  auto const n_features = static_cast<std::int64_t>(weights->size()) / n_outputs - 1;
  weight_of(n_features) += descent->StepBias();
  selector.ForEach(
      output, [&] { return descent->StepLengths(weight_of); },
      [&](std::int64_t feature) {
        auto& weight = weight_of(feature);
        weight += descent->StepFeature(feature, weight);
      });
}

/// Returns the sum of the rows' weights.
double RowWeight(MetaInfo const& info) {
  if (info.weights.empty()) return static_cast<double>(info.n_rows);
  double sum = 0.0;
  for (std::size_t i = 0; i < info.weights.size(); ++i) {
    auto const n_rows = info.group_ptr.empty() ? 1 : info.group_ptr[i + 1] - info.group_ptr[i];
    sum += static_cast<double>(info.weights[i]) * static_cast<double>(n_rows);
  }
  return sum;
}

float LargestMove(std::vector<float> const& from, std::vector<float> const& to) {
  auto largest = 0.0F;
  for (std::size_t i = 0; i < from.size(); ++i) largest = std::max(largest, std::fabs(to[i] - from[i]));
  return largest;
}

}  // namespace

double CoordinateStep(ColumnSum sum, double weight, Penalties penalties) {
  if (sum.hessian < kLeastHessian) return 0.0;
  auto const alpha = static_cast<double>(penalties.alpha);
  auto const gradient = sum.gradient + static_cast<double>(penalties.lambda) * weight;
  auto const hessian = sum.hessian + static_cast<double>(penalties.lambda);
  if (weight - gradient / hessian >= 0.0) return std::max(-(gradient + alpha) / hessian, -weight);
  return std::min(-(gradient - alpha) / hessian, -weight);
}

std::unique_ptr<BuildState> CoordinateDescent::MakeState(Context const& ctx, DataMatrix const& data) const {
  return std::make_unique<LinearColumns>(ctx, data);
}

void CoordinateDescent::Update(Context const& ctx, DataMatrix const& data, Span<GradientPair const> gradients,
                               BuildState* state, Model* model) const {
  auto const& columns = *static_cast<LinearColumns const*>(state);
  auto const n_outputs = model->NumOutputs();
  auto const total = RowWeight(data.Info());
  Penalties const penalties{static_cast<float>(static_cast<double>(param_.lambda) * total),
                            static_cast<float>(static_cast<double>(param_.alpha) * total)};
  auto const round = static_cast<std::uint64_t>(model->linear.n_rounds);
  Selector selector(param_, columns.NumCols(), CombineKeys(CombineKeys(ctx.seed, kPurpose), round));
  selector.Prepare();
  auto weights = model->linear.weights;
  auto const update = [&](Context const& inner, std::int64_t output) {
    OutputDescent descent(inner, param_, penalties, columns);
    descent.TakeGradients(gradients, n_outputs, output);
    Descend(selector, output, n_outputs, &descent, &weights);
  };
  if (n_outputs >= ctx.threads) {  // an output is a task; its loops run on one thread
    ParallelFor(ctx, n_outputs, [&](std::int64_t output) { update(Context{}, output); });
  } else {
    for (std::int64_t output = 0; output < n_outputs; ++output) update(ctx, output);
  }
  if (param_.tolerance == 0.0F || LargestMove(model->linear.weights, weights) > param_.tolerance) {
    model->linear.weights = std::move(weights);
  }
}

}  // namespace kauri

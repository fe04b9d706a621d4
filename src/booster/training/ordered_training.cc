#include "booster/training/ordered_training.h"

#include <string>
#include <utility>

#include "data/categories/categories.h"
#include "data/copies/recode.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"
#include "tree/constraints/constraints.h"

namespace kauri {
namespace {

constexpr char const* kOrdered = "ordered";
constexpr char const* kName = "categorical_encoding=ordered";
constexpr std::int64_t kMostClassColumns = std::int64_t{1} << 16U;

OrderedSettings SettingsOf(Components const& parts) {
  auto const& param = parts.param;
  return {param.ordered_permutations, param.ordered_strength, parts.ctx.seed, param.ordered_combination,
          NumbersOf(parts.objective->NumClasses())};
}

void RequireFewSigns(std::vector<std::int8_t> const& signs, MetaInfo const& info) {
  if (static_cast<std::int64_t>(signs.size()) <= info.n_cols) return;
  Fail(ErrorKind::kParameter, "monotone_constraints has ", signs.size(), " values, the data have ", info.n_cols,
       " features; give at most one value for each feature.");
}

/// Limits the number of columns: every copy of the data has a column for each categorical column and class.
void RequireFewColumns(MetaInfo const& info, std::int64_t n_classes) {
  std::int64_t n_categorical = 0;
  for (std::size_t feature = 0; feature < info.feature_types.size(); ++feature) {
    n_categorical += IsCategorical(info, feature) ? 1 : 0;
  }
  if (n_categorical <= kMostClassColumns / n_classes) return;
  Fail(ErrorKind::kParameter, kName, " does not go with num_class=", n_classes, " and ", n_categorical,
       " categorical columns: a column for each class makes more than ", kMostClassColumns,
       " of them; drop classes or columns, or leave categorical_encoding=partition.");
}

/// Checks parameters that name columns by number, because they cannot name the columns that only the model has.
void RequireColumns(Components const& parts, MetaInfo const& info, Model const* trained) {
  auto const* const encoding = trained == nullptr ? nullptr : trained->categories.ordered.get();
  auto const settings = encoding == nullptr ? SettingsOf(parts) : encoding->settings;
  Request columns;
  auto const combines = encoding == nullptr ? settings.most_combined > 1 : !encoding->combinations.empty();
  columns.features.AddIf(combines, Feature::kOrderedCombinations);
  columns.features.AddIf(settings.n_numbers > 1, Feature::kOrderedClasses);
  if (columns.features == FeatureSet()) return;
  auto const signs = ParseConstraints(parts.tree_param).signs;
  RequireFewSigns(signs, info);
  for (std::size_t column = 0; column < signs.size(); ++column) {
    if (signs[column] == 0 || !IsCategorical(info, column)) continue;
    columns.features.Add(Feature::kMonotoneClasses);
    columns.words.emplace("column", std::to_string(column));
  }
  parts.support->Require(columns);
  if (settings.n_numbers > 1) RequireFewColumns(info, settings.n_numbers);
}

void RequireLabels(DataMatrix const& data) {
  auto const& info = data.Info();
  if (info.n_targets == 1 && !info.labels.empty()) return;
  Fail(ErrorKind::kData, kName, " needs one label a row, and the training data have ",
       info.labels.empty() ? 0 : info.n_targets, "; give one, or use categorical_encoding=partition.");
}

/// Checks the encoding. \throws Error(kParameter) if the parameters name another encoding than the model has.
void RequireSameEncoding(Components const& parts, DataMatrix const& data, Model const& model) {
  auto const& wanted = parts.param.categorical_encoding;
  auto const* const has = model.categories.ordered != nullptr ? kOrdered : "partition";
  if (wanted.empty() || wanted == has) return;
  if (wanted == kOrdered && !HasCategorical(data.Info())) return;
  Fail(ErrorKind::kParameter, "categorical_encoding=", wanted, " does not fit the model, which was trained with ", has,
       ". Leave the parameter out to go on with the model, or start a new one.");
}

}  // namespace

void SettleEncoding(Components const& parts, DataMatrix const& data, Request round, OrderedData* ordered,
                    ModelDraft* draft) {
  auto const is_open = draft->IsUntrained();
  if (!is_open) RequireSameEncoding(parts, data, draft->Get());
  auto const is_wanted = is_open ? parts.param.categorical_encoding == kOrdered && HasCategorical(data.Info())
                                 : draft->Get().categories.ordered != nullptr;
  if (is_wanted) {
    round.features.Add(Feature::kOrderedEncoding);
    round.features.AddIf(parts.param.objective.rfind("survival:", 0) == 0, Feature::kCensoredLabels);
    round.features.AddIf(data.Store() != nullptr, Feature::kBins);
    if (data.Store() != nullptr) round.words.emplace("store", data.Store()->Describe());
    parts.support->Require(round);
    RequireLabels(data);
    RequireColumns(parts, data.Info(), is_open ? nullptr : &draft->Get());
  }
  if (!is_open) return;
  auto encoding = is_wanted ? ordered->Measure(parts.ctx, data, SettingsOf(parts)) : nullptr;
  if (encoding != draft->Get().categories.ordered) draft->Edit()->categories.ordered = std::move(encoding);
}

std::shared_ptr<OrderedEncoding const> OrderedData::Measure(Context const& ctx, DataMatrix const& data,
                                                            OrderedSettings const& settings) {
  auto const stamp = DataStamp::Of(data);
  if (measured_ == nullptr || measured_of_ != stamp || !(measured_->settings == settings) || rows_.pairs.empty()) {
    measured_ = std::make_shared<OrderedEncoding const>(MeasureOrdered(ctx, data, settings, &rows_));
    measured_of_ = stamp;
  }
  return measured_;
}

std::shared_ptr<DataMatrix const> OrderedData::For(Context const& ctx, std::shared_ptr<DataMatrix const> const& data,
                                                   Model const& model, std::int64_t iteration) {
  auto const& encoding = model.categories.ordered;
  if (encoding == nullptr) return data;
  auto const stamp = DataStamp::Of(*data);
  if (encoded_.empty() || encoded_of_ != stamp || encoded_by_ != encoding) {
    auto const measured = Measure(ctx, *data, encoding->settings);
    std::vector<std::shared_ptr<DataMatrix const>> encoded;
    if (*measured == *encoding) {
      for (std::int64_t number = 0; number < encoding->settings.n_permutations; ++number) {
        encoded.push_back(EncodeInOrder(ctx, *data, *encoding, rows_, number));
      }
    } else {
      encoded.push_back(EncodeByTable(ctx, *data, model));
    }
    encoded_ = std::move(encoded);
    encoded_of_ = stamp;
    encoded_by_ = encoding;
    rows_ = {};
  }
  return encoded_[static_cast<std::size_t>(iteration) % encoded_.size()];
}

}  // namespace kauri

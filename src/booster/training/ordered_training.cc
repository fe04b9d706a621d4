#include "booster/training/ordered_training.h"

#include <string>
#include <utility>

#include "booster/config/group.h"
#include "data/categories/categories.h"
#include "data/copies/recode.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/feature_cost.h"

namespace kauri {
namespace {

constexpr char const* kOrdered = "ordered";
constexpr char const* kName = "categorical_encoding=ordered";
constexpr char const* kClasses = "3 classes or more";
constexpr std::int64_t kMostClassColumns = std::int64_t{1} << 16U;

[[noreturn]] void FailCombination(std::string const& with, std::string const& why, std::string const& cure) {
  Fail(ErrorKind::kParameter, kName, " does not go with ", with, ": ", why, "; ", cure,
       ", or leave categorical_encoding=partition.");
}

void RequireParameters(Components const& parts, bool custom) {
  auto const& param = parts.param;
  if (param.booster == "gblinear")
    FailCombination("booster=gblinear", "the encoding is for trees", "use booster=gbtree");
  if (parts.ctx.device.kind != DeviceKind::kCpu) {
    FailCombination("device=cuda", "the encoding is computed in host memory", "train with device=cpu");
  }
  if (IsDistributed(parts.ctx)) {
    FailCombination("distributed training", "the encoding of a row depends on rows of all ranks",
                    "train in one process");
  }
  if (custom) {
    FailCombination("custom gradients", "they come from predictions that have used the labels of all rows",
                    "use one of the library's objectives");
  }
  if (param.objective.rfind("survival:", 0) == 0) {
    FailCombination("objective=" + param.objective, "a censored time has no mean",
                    "use an objective whose labels are exact numbers");
  }
}

OrderedSettings SettingsOf(Components const& parts) {
  auto const& param = parts.param;
  return {param.ordered_permutations, param.ordered_strength, parts.ctx.seed, param.ordered_combination,
          NumbersOf(parts.objective->NumClasses())};
}

/// Refuses rules of columns, which cannot name the columns that only the model has. `of`: origin of these columns, for
/// the message. \throws Error(kParameter).
void RequireNoRules(TreeParam const& param, std::string const& of, char const* why_apart, char const* why_free,
                    std::string const& cure) {
  if (!param.interaction_constraints.empty()) {
    FailCombination("interaction_constraints and " + of, why_apart, "leave out interaction_constraints" + cure);
  }
  if (!ParseFeatureCost(param).empty()) {
    FailCombination("feature_cost and " + of, why_free, "leave out feature_cost" + cure);
  }
}

void RequireFewSigns(std::vector<std::int8_t> const& signs, MetaInfo const& info) {
  if (static_cast<std::int64_t>(signs.size()) <= info.n_cols) return;
  Fail(ErrorKind::kParameter, "monotone_constraints has ", signs.size(), " values, the data have ", info.n_cols,
       " features; give at most one value for each feature.");
}

void RequireNoRulesOfCombinations(Components const& parts, MetaInfo const& info) {
  auto const param = ParseParameters<TreeParam>(parts.effective);
  RequireNoRules(param, "ordered_combination of 2 or more", "a combination lets its columns interact",
                 "a combination has no cost of its own", " or ordered_combination");
  RequireFewSigns(ParseConstraints(param).signs, info);
}

void RequireNoRulesOfClasses(Components const& parts, MetaInfo const& info) {
  auto const param = ParseParameters<TreeParam>(parts.effective);
  RequireNoRules(param, kClasses, "a category has a column for each class",
                 "a column of a class has no cost of its own", "");
  auto const signs = ParseConstraints(param).signs;
  RequireFewSigns(signs, info);
  for (std::size_t feature = 0; feature < signs.size(); ++feature) {
    if (signs[feature] == 0 || !IsCategorical(info, feature)) continue;
    FailCombination("monotone_constraints of the categorical column " + std::to_string(feature) + " and " + kClasses,
                    "where one class has a larger share, others have a smaller one", "leave the column free");
  }
}

/// Limits the number of columns: every copy of the data has a column for each categorical column and class.
void RequireFewColumns(MetaInfo const& info, std::int64_t n_classes) {
  std::int64_t n_categorical = 0;
  for (std::size_t feature = 0; feature < info.feature_types.size(); ++feature) {
    n_categorical += IsCategorical(info, feature) ? 1 : 0;
  }
  if (n_categorical <= kMostClassColumns / n_classes) return;
  FailCombination(
      "num_class=" + std::to_string(n_classes) + " and " + std::to_string(n_categorical) + " categorical columns",
      "a column for each class makes more than " + std::to_string(kMostClassColumns) + " of them",
      "drop classes or columns");
}

/// Refuses parameters that name columns by number, because they cannot name the columns that only the model has.
void RequireNoColumnRules(Components const& parts, MetaInfo const& info, Model const* trained) {
  auto const* const encoding = trained == nullptr ? nullptr : trained->categories.ordered.get();
  auto const settings = encoding == nullptr ? SettingsOf(parts) : encoding->settings;
  auto const combines = encoding == nullptr ? settings.most_combined > 1 : !encoding->combinations.empty();
  if (combines) RequireNoRulesOfCombinations(parts, info);
  if (settings.n_numbers == 1) return;
  RequireNoRulesOfClasses(parts, info);
  RequireFewColumns(info, settings.n_numbers);
}

void RequireData(DataMatrix const& data) {
  data.RequireValues(kName);
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

void SettleEncoding(Components const& parts, DataMatrix const& data, bool custom, OrderedData* ordered,
                    ModelDraft* draft) {
  auto const is_open = draft->IsUntrained();
  if (!is_open) RequireSameEncoding(parts, data, draft->Get());
  auto const is_wanted = is_open ? parts.param.categorical_encoding == kOrdered && HasCategorical(data.Info())
                                 : draft->Get().categories.ordered != nullptr;
  if (is_wanted) {
    RequireParameters(parts, custom);
    RequireData(data);
    RequireNoColumnRules(parts, data.Info(), is_open ? nullptr : &draft->Get());
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

#include "booster/ordered_training.h"

#include <string>
#include <utility>

#include "booster/group.h"
#include "data/categories/categories.h"
#include "data/copies/encode.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"
#include "tree/feature_cost.h"

namespace kauri {
namespace {

constexpr char const* kOrdered = "ordered";
constexpr char const* kName = "categorical_encoding=ordered";

[[noreturn]] void FailCombination(std::string const& with, std::string const& why, std::string const& cure) {
  Fail(ErrorKind::kParameter, kName, " does not go with ", with, ": ", why, "; ", cure,
       ", or leave categorical_encoding=partition.");
}

void RequireParameters(Components const& parts, bool custom) {
  auto const& param = parts.param;
  if (param.booster == "gblinear") FailCombination("booster=gblinear", "it learns from trees", "use booster=gbtree");
  if (parts.ctx.device.kind != DeviceKind::kCpu) {
    FailCombination("device=cuda", "categories get their numbers in host memory", "train with device=cpu");
  }
  if (IsDistributed(parts.ctx)) {
    FailCombination("a group of ranks", "a row's number follows from rows of all ranks", "train in one process");
  }
  if (custom) {
    FailCombination("gradients of the caller", "they are of predictions that have seen all labels",
                    "use one of the library's objectives");
  }
  if (parts.objective->NumClasses() > 1) {
    FailCombination("objective=" + param.objective, "a class has no mean",
                    "learn one class against the others at a time (binary:logistic)");
  }
  if (param.objective.rfind("survival:", 0) == 0) {
    FailCombination("objective=" + param.objective, "a censored time has no mean",
                    "use an objective with a label that is known");
  }
}

/// What names columns by number knows nothing of those that only the model has.
void RequireNoColumnRules(Components const& parts, std::int64_t n_features) {
  constexpr char const* kCombined = "ordered_combination of 2 or more";
  auto const param = ParseParameters<TreeParam>(parts.effective);
  auto const cure = [](char const* name) { return std::string("leave out ") + name + " or ordered_combination"; };
  if (!param.interaction_constraints.empty()) {
    FailCombination("interaction_constraints and " + std::string(kCombined), "a combination lets its columns interact",
                    cure("interaction_constraints"));
  }
  if (!ParseFeatureCost(param).empty()) {
    FailCombination("feature_cost and " + std::string(kCombined), "a combination has no cost of its own",
                    cure("feature_cost"));
  }
  auto const n_signs = static_cast<std::int64_t>(ParseConstraints(param).signs.size());
  if (n_signs <= n_features) return;
  Fail(ErrorKind::kParameter, "monotone_constraints has ", n_signs, " values, the data have ", n_features,
       " features; give at most one value for each feature.");
}

void RequireData(DataMatrix const& data) {
  data.RequireValues(kName);
  auto const& info = data.Info();
  if (info.n_targets == 1 && !info.labels.empty()) return;
  Fail(ErrorKind::kData, kName, " needs one label a row, and the training data have ",
       info.labels.empty() ? 0 : info.n_targets, "; give one, or use categorical_encoding=partition.");
}

/// \throws Error(kParameter) where the parameters name another encoding than the model has.
void RequireSameEncoding(Components const& parts, DataMatrix const& data, Model const& model) {
  auto const& wanted = parts.param.categorical_encoding;
  auto const* const has = model.categories.ordered != nullptr ? kOrdered : "partition";
  if (wanted.empty() || wanted == has) return;
  if (wanted == kOrdered && !HasCategorical(data.Info())) return;
  Fail(ErrorKind::kParameter, "categorical_encoding=", wanted, " does not fit the model, which was trained with ", has,
       ". Leave the parameter out to go on with the model, or start a new one.");
}

OrderedSettings SettingsOf(Components const& parts) {
  auto const& param = parts.param;
  return {param.ordered_permutations, param.ordered_strength, parts.ctx.seed, param.ordered_combination};
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
    auto const combines = is_open ? parts.param.ordered_combination > 1 : draft->Get().categories.NumCombinations() > 0;
    if (combines) RequireNoColumnRules(parts, data.NumCols());
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

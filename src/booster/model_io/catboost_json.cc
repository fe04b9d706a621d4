#include "booster/model_io/catboost_json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "booster/model_io/catboost_fields.h"
#include "booster/model_io/catboost_tree.h"
#include "booster/model_io/foreign_forest.h"

namespace kauri::model_io {
namespace {

struct CatBoostLoss {
  char const* theirs;  ///< CatBoost's loss
  char const* ours;    ///< an objective with the same link
};

constexpr char const* kIdentity = "reg:squarederror";
constexpr char const* kLogistic = "binary:logistic";
constexpr char const* kSoftmax = "multi:softprob";

constexpr CatBoostLoss kLosses[] = {
    {"CrossEntropy", kLogistic},
    {"Expectile", kIdentity},
    {"Huber", kIdentity},
    {"Logloss", kLogistic},
    {"Lq", kIdentity},
    {"MAE", kIdentity},
    {"MAPE", kIdentity},
    {"MultiClass", kSoftmax},
    {"MultiClassOneVsAll", kLogistic},
    {"MultiCrossEntropy", kLogistic},
    {"MultiLogloss", kLogistic},
    {"MultiQuantile", kIdentity},
    {"MultiRMSE", kIdentity},
    {"PairLogit", kIdentity},
    {"PairLogitPairwise", kIdentity},
    {"Poisson", "count:poisson"},
    {"Quantile", kIdentity},
    {"QueryRMSE", kIdentity},
    {"QuerySoftMax", kIdentity},
    {"RMSE", kIdentity},
    {"StochasticRank", kIdentity},
    {"Tweedie", "reg:tweedie"},
    {"YetiRank", kIdentity},
    {"YetiRankPairwise", kIdentity},
};

/// Returns a member of an object, or null.
CatBoostJson const& Maybe(CatBoostJson const& object, char const* key) {
  static CatBoostJson const none = nullptr;
  return object.is_object() && object.contains(key) ? object[key] : none;
}

/// Returns the name of the loss; empty if the file does not tell it.
std::string LossOf(CatBoostJson const& document) {
  auto const& info = Maybe(document, "model_info");
  auto const parsed = [](CatBoostJson const& value) {  // older versions write objects as texts
    if (!value.is_string()) return value;
    return CatBoostJson::parse(value.get<std::string>(), nullptr, /*allow_exceptions=*/false);
  };
  auto const params = parsed(Maybe(info, "params"));
  auto const loss =
      parsed(Maybe(params, "loss_function").is_null() ? Maybe(info, "loss_function") : Maybe(params, "loss_function"));
  auto const& name = Maybe(loss, "type");
  return name.is_string() ? name.get<std::string>() : "";
}

char const* ObjectiveOf(std::string const& loss) {
  if (loss.empty()) return kIdentity;
  auto const found = std::find_if(std::begin(kLosses), std::end(kLosses),
                                  [&](CatBoostLoss const& link) { return loss == link.theirs; });
  if (found != std::end(kLosses)) return found->ours;
  std::string known;
  for (auto const& link : kLosses) known += (known.empty() ? "" : ", ") + std::string(link.theirs);
  Fail(ErrorKind::kModel, "CatBoost's loss ", Quoted(loss), " has no counterpart with the same link here. Known are ",
       known, ".");
}

/// The facts of a model that are not about its columns.
struct Scale {
  double scale = 1.0;
  std::vector<double> bias;  ///< [n_outputs]
};

Scale ScaleOf(CatBoostJson const& document) {
  auto const& pair = ArrayIn(document, "scale_and_bias", "the file");
  if (pair.size() != 2 || !pair[1].is_array() || pair[1].empty()) {
    Fail(ErrorKind::kModel, "a model of CatBoost has the scale_and_bias ", Quoted(pair.dump(-1, ' ', true)),
         "; expected a number and a list of numbers. Save the model with CatBoost 1.0 or later.");
  }
  Scale scale{NumberOf(pair[0], "the scale"), {}};
  for (auto const& bias : pair[1]) scale.bias.push_back(NumberOf(bias, "the bias"));
  return scale;
}

/// Sets the base scores to the biases on the scale of predictions. A logistic link gets none, as 32-bit probabilities
/// near 1 would be too coarse. \returns what is left to add to the first tree: [n_outputs], or empty.
std::vector<double> PlaceBias(std::vector<double> const& bias, ForeignHeader* header) {
  if (header->objective == kLogistic) {
    header->base_score.assign(bias.size(), 0.5F);
    return bias;
  }
  bool const is_plain = header->objective == kIdentity || header->objective == kSoftmax;
  for (auto const value : bias) header->base_score.push_back(FloatOf(is_plain ? value : std::exp(value), "the bias"));
  return {};
}

CatBoostJson DocumentOf(std::string_view bytes) {
  auto document = CatBoostJson::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    Fail(ErrorKind::kModel, "a model of CatBoost is no valid JSON. The file is damaged or incomplete.");
  }
  return document;
}

}  // namespace

bool IsCatBoost(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (auto const letter : {'{', '"'}) {
    auto const begin = std::min(bytes.find_first_not_of(kBlanks), bytes.size());
    if (begin == bytes.size() || bytes[begin] != letter) return false;
    bytes.remove_prefix(begin + 1);
  }
  auto const key = bytes.substr(0, bytes.find('"'));
  constexpr std::string_view kKeys[] = {"ctr_data",        "features_info",  "model_info",
                                        "oblivious_trees", "scale_and_bias", "trees"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

Value ParseCatBoost(std::string_view bytes) {
  auto const document = DocumentOf(bytes);
  auto const columns = ReadCatBoostColumns(MemberOf(document, "features_info", "the file"));
  auto const scale = ScaleOf(document);
  bool const is_oblivious = document.contains("oblivious_trees");
  auto const& trees = ArrayIn(document, is_oblivious ? "oblivious_trees" : "trees", "the file");
  if (trees.empty())
    Fail(ErrorKind::kModel, "the model of CatBoost has no trees. Train it with one iteration or more.");
  ForeignHeader header;
  header.n_features = columns.n_features;
  header.objective = ObjectiveOf(LossOf(document));
  header.n_classes = header.objective == kSoftmax ? static_cast<std::int64_t>(scale.bias.size()) : 0;
  header.feature_names = columns.names;
  header.names = columns.category_names;
  auto shift = PlaceBias(scale.bias, &header);
  CatBoostTreeReader reader(columns, scale.scale, scale.bias.size());
  ForeignWriter writer(header);
  for (auto const& feature : columns.categories) writer.DeclareCategorical(feature.column);
  for (std::size_t index = 0; index < trees.size(); ++index) {
    reader.Shift(std::exchange(shift, {}));
    writer.Add(is_oblivious ? reader.ReadOblivious(trees[index], index) : reader.ReadNested(trees[index], index), 0);
  }
  return writer.Take();
}

}  // namespace kauri::model_io

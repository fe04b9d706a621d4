#include "booster/model_io/catboost_json.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "booster/model_io/catboost_fields.h"
#include "booster/model_io/catboost_tree.h"
#include "booster/model_io/foreign_forest.h"
#include "common/text/json_text.h"

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

/// An object within model_info. Older versions write its text instead.
class InfoObject {
 public:
  /// value: must outlive this object; a null stands for an object without members. \throws Error(kModel) for any other
  /// value.
  InfoObject(CatBoostJson const& value, char const* key)
      : parsed_(ParseJsonText(value.is_string() ? value.get<std::string>() : "{}", ErrorKind::kModel)),
        object_(value.is_string() ? parsed_.Root() : value) {
    if (object_.is_object() || value.is_null()) return;
    FailCatBoost("the ", key, " ", Quoted(value.dump(-1, ' ', true)), ", which is no object and no text of one");
  }

  InfoObject(InfoObject const&) = delete;
  InfoObject& operator=(InfoObject const&) = delete;

  CatBoostJson const& Get(char const* key) const { return Maybe(object_, key); }

 private:
  JsonDocument parsed_;
  CatBoostJson const& object_;
};

/// Returns the name of the loss; empty if the file has none. \throws Error(kModel) for a loss without a name.
std::string LossOf(CatBoostJson const& document) {
  InfoObject const info(Maybe(document, "model_info"), "model_info");
  InfoObject const params(info.Get("params"), "params");
  auto const& in_params = params.Get("loss_function");
  auto const& value = in_params.is_null() ? info.Get("loss_function") : in_params;
  if (value.is_null()) return "";
  InfoObject const loss(value, "loss_function");
  auto const& name = loss.Get("type");
  if (!name.is_string() || name == "") {
    FailCatBoost("the loss_function ", Quoted(value.dump(-1, ' ', true)), ", whose type is no name of a loss");
  }
  return name.get<std::string>();
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

/// Sets the base scores. The biases are base scores if these are raw values. Otherwise base scores are predictions, and
/// 32-bit numbers cannot hold the probabilities and counts of all biases: the base scores become those of a raw value
/// of 0. \returns what is left to add to the first tree: [n_outputs], or empty.
std::vector<double> PlaceBias(std::vector<double> const& bias, ForeignHeader* header) {
  if (header->objective == kIdentity || header->objective == kSoftmax) {
    for (auto const value : bias) header->base_score.push_back(FloatOf(value, "the bias"));
    return {};
  }
  header->base_score.assign(bias.size(), header->objective == kLogistic ? 0.5F : 1.0F);
  return bias;
}

JsonDocument DocumentOf(std::string_view bytes) {
  auto document = ParseJsonText(std::string(bytes), ErrorKind::kModel);
  if (document.Root().is_discarded()) {
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
  auto const parsed = DocumentOf(bytes);
  auto const& document = parsed.Root();
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

#include "booster/config/metrics.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <vector>

#include "booster/names/other_names.h"
#include "common/loss/loss_param.h"
#include "common/text/json_text.h"
#include "common/text/number_list.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/registry.h"
#include "objective/ranking/rank_param.h"

namespace kauri {
namespace {

using MetricEntry = Registry<MetricFactory>::Entry;

/// Returns whether a metric takes an argument. Found by trial: a registered metric does not declare it.
bool TakesArgument(MetricEntry const& entry, ParamMap const& params) {
  try {
    return !entry.make("1", params)->Argument().empty();
  } catch (Error const&) {  // it takes an argument, but not "1"
    return true;
  }
}

[[noreturn]] void RefuseArgument(std::string const& name, MetricEntry const& entry, ParamMap const& params) {
  auto const takes = TakesArgument(entry, params);
  Fail(ErrorKind::kParameter, "metric ", Quoted(name), ": ",
       takes ? "a value is missing after '@'" : entry.name + " takes no value", "; write ", entry.name,
       takes ? ", or the value as well. " : ". ", entry.name, ": ", entry.description);
}

}  // namespace

std::unique_ptr<Metric> MakeMetric(std::string const& name, ParamMap const& params) {
  auto const at = name.find('@');
  auto const known_as = name.substr(0, at);
  auto const& metrics = GetRegistries().metrics;
  if (metrics.TryFind(known_as) == nullptr) RefuseOtherName(NameKind::kMetric, known_as);
  auto const& entry = metrics.Find(known_as);
  if (at == std::string::npos) return entry.make("", params);
  auto const argument = name.substr(at + 1);
  if (argument.empty()) RefuseArgument(name, entry, params);
  auto metric = entry.make(argument, params);
  if (metric->Argument().empty()) RefuseArgument(name, entry, params);
  return metric;
}

MetricDirection DirectionOf(Components const& parts, std::string const& metric) {
  auto const direction = [](Metric const& known) {
    return known.HigherIsBetter() ? MetricDirection::kHigher : MetricDirection::kLower;
  };
  for (auto const& known : parts.metrics) {
    if (known->Name() == metric) return direction(*known);
  }
  auto const* const entry = GetRegistries().metrics.TryFind(metric.substr(0, metric.find('@')));
  if (entry == nullptr) return MetricDirection::kUnknown;
  try {
    return direction(*entry->make("", parts.effective));
  } catch (Error const&) {  // a loss that cannot be made without its argument
    return MetricDirection::kLower;
  }
}

void RequireQueries(Components const& parts, MetaInfo const& info) {
  if (!info.group_ptr.empty()) return;
  for (auto const& metric : parts.metrics) {
    auto const name = metric->Name();
    auto const of_queries = {"ndcg", "map", "pre"};
    if (std::find(of_queries.begin(), of_queries.end(), name.substr(0, name.find('@'))) == of_queries.end()) continue;
    Fail(ErrorKind::kData, name,
         " ranks the rows of each query, but the data have no queries; give the query of each row ",
         "(qid), or the number of rows of each query (group; for a single query, the number of all rows).");
  }
}

namespace {

using Texts = std::map<std::string, std::string>;

constexpr char const* kOfPairs = "lambdarank_param";

/// Returns the declared values, replaced by the user's own text where given, which has all digits.
template <typename P>
Texts Declared(Metric const& /*metric*/, ParamMap const& params) {
  auto texts = ParseParameters<P>(params).__DICT__();
  Texts shown(texts.begin(), texts.end());
  for (auto& [name, text] : shown) {
    if (auto const given = params.find(name); given != params.end()) text = given->second;
  }
  return shown;
}

Texts OfQuantiles(Metric const& metric, ParamMap const& params) {
  return {{"quantile_alpha", NumbersText(ParseParameters<QuantileParam>(params).Alphas(metric.Name()))}};
}

Texts OfExpectiles(Metric const& metric, ParamMap const& params) {
  return {{"expectile_alpha", NumbersText(ParseParameters<ExpectileParam>(params).Alphas(metric.Name()))}};
}

/// Returns the parameters of a rank metric. XGBoost stores its cutoff, as in ndcg@5, as the number of top positions
/// whose pairs are formed.
Texts OfRanks(Metric const& metric, ParamMap const& params) {
  auto texts = Declared<LambdaRankParam>(metric, params);
  auto const argument = metric.Argument();
  std::int64_t n_places = 0;
  auto const* const end = argument.data() + argument.size();
  if (std::from_chars(argument.data(), end, n_places).ec == std::errc()) {
    texts["lambdarank_num_pair_per_sample"] = std::to_string(n_places);
    texts["lambdarank_pair_method"] = "topk";
  }
  return texts;
}

/// The parameters of the metrics of one name.
struct Group {
  char const* key;
  Texts (*texts)(Metric const& metric, ParamMap const& params);
};

std::map<std::string, Group> const& Groups() {
  static std::map<std::string, Group> const kGroups{
      {"aft-nloglik", {"aft_loss_param", Declared<AftParam>}},
      {"mphe", {PseudoHuberParam::kModelKey, Declared<PseudoHuberParam>}},
      {"quantile", {"quantile_loss_param", OfQuantiles}},
      {"expectile", {"expectile_loss_param", OfExpectiles}},
      {"ndcg", {kOfPairs, OfRanks}},
      {"map", {kOfPairs, OfRanks}},
      {"pre", {kOfPairs, OfRanks}},
  };
  return kGroups;
}

Texts JsonQuotedTexts(Texts texts) {
  for (auto& [name, text] : texts) text = JsonQuoted(text);
  return texts;
}

/// Returns the name without its argument: ndcg for ndcg@5- and for ndcg-.
std::string PlainName(std::string const& name) {
  auto plain = name.substr(0, name.find('@'));
  if (!plain.empty() && plain.back() == '-') plain.pop_back();
  return plain;
}

std::string MetricAsJson(Metric const& metric, ParamMap const& params) {
  Texts members{{"name", JsonQuoted(metric.Name())}};
  auto const group = Groups().find(PlainName(metric.Name()));
  if (group != Groups().end()) {
    members[group->second.key] = JsonObject(JsonQuotedTexts(group->second.texts(metric, params)));
  }
  return JsonObject(members);
}

}  // namespace

std::string MetricsAsJson(Components const& parts) {
  std::vector<std::string> metrics;
  for (auto const& metric : parts.metrics) metrics.push_back(MetricAsJson(*metric, parts.effective));
  return JsonArray(metrics);
}

ParamMap ParamsOfMetrics(nlohmann::json const& learner) {
  ParamMap params;
  for (auto const& metric : JsonMember(learner, "metrics")) {
    if (!metric.is_object()) continue;
    for (auto const& [key, group] : metric.items()) {
      if (key == "name" || !group.is_object()) continue;
      for (auto const& [name, value] : group.items()) {
        auto const is_of_pair = key == kOfPairs && name != "ndcg_exp_gain";
        if (value.is_string() && !is_of_pair) params[name] = value.get<std::string>();
      }
    }
  }
  return params;
}

}  // namespace kauri

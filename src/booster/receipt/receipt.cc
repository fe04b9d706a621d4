#include "booster/receipt/receipt.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "booster/model_io/model_io.h"
#include "booster/receipt/data_digests.h"
#include "common/files/sha256.h"
#include "common/text/json_text.h"
#include "kauri/error.h"
#include "kauri/version.h"

namespace kauri {
namespace {

using Data = std::shared_ptr<DataMatrix const>;
using Texts = std::map<std::string, std::string>;

/// Returns whether the parameter decides where and how training runs; no model depends on such parameters.
bool SaysWhereNotWhat(std::string const& name) {
  static constexpr std::array<char const*, 4> kNames{"device", "nthread", "verbosity", "validate_parameters"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Returns the given parameters that decide where a model is trained, or if not `where`, the given parameters that the
/// model depends on.
ParamMap ParamsOf(Components const& parts, bool where) {
  ParamMap params;
  for (auto const& [name, value] : parts.given) {
    if (SaysWhereNotWhat(name) == where) params[name] = value;
  }
  return params;
}

/// Sets the learner's column names and types to the model's. Training rounds take them from the data if the learner has
/// none.
void GiveColumnLabels(Model const& model, Learner* learner) {
  learner->SetFeatureInfo("feature_name", model.feature_names);
  learner->SetFeatureInfo("feature_type", model.feature_types);
}

/// Trains a model again with `params` and the learner's device and threads, and returns its digest.
std::string DigestOfAnother(Learner const& learner, Model const& model, ParamMap params, Data const& data) {
  params.merge(ParamsOf(*learner.Ready()->Parts(), true));
  auto const again = learner.Untrained(params);
  GiveColumnLabels(model, again.get());
  again->AddData(data);
  for (std::int64_t round = 0; round < model.NumIterations(); ++round) again->BoostRound(data, round);
  GiveColumnLabels(model, again.get());
  return DigestOfModel(again->GetModel());
}

std::string TextsAsJson(Texts const& texts) {
  Texts members;
  for (auto const& [name, text] : texts) members[name] = JsonQuoted(text);
  return JsonObject(members);
}

struct Receipt {
  Texts data;
  ParamMap params;
  std::int64_t rounds = 0;
  std::string model;
  std::string version;
};

std::string AsJson(Receipt const& receipt) {
  return JsonObject({{"data", TextsAsJson(receipt.data)},
                     {"params", TextsAsJson(receipt.params)},
                     {"rounds", std::to_string(receipt.rounds)},
                     {"model", JsonQuoted(receipt.model)},
                     {"kauri", JsonQuoted(receipt.version)}});
}

[[noreturn]] void FailDamaged() {
  Fail(ErrorKind::kModel, "the model's attribute ", kReceiptAttribute, " is damaged, or belongs to other rounds; ",
       "train the model with a receipt again.");
}

std::string TextOf(nlohmann::json const& value) {
  if (!value.is_string()) FailDamaged();
  return value.get<std::string>();
}

Texts TextsOf(nlohmann::json const& object) {
  if (!object.is_object()) FailDamaged();
  Texts texts;
  for (auto const& [name, value] : object.items()) texts[name] = TextOf(value);
  return texts;
}

Receipt ReadReceipt(Model const& model) {
  auto const found = model.attributes.find(kReceiptAttribute);
  if (found == model.attributes.end()) {
    Fail(ErrorKind::kModel, "the model has no receipt; give it one after training: kauriboost.add_receipt(model, ",
         "data), KauriBoosterAddReceipt, or receipt=true at the command line.");
  }
  auto const document = ParseJsonText(found->second, ErrorKind::kModel);
  auto const& root = document.Root();
  auto const& rounds = JsonMember(root, "rounds");
  if (!rounds.is_number_integer() || rounds.get<std::int64_t>() != model.NumIterations()) FailDamaged();
  return {TextsOf(JsonMember(root, "data")), TextsOf(JsonMember(root, "params")), model.NumIterations(),
          TextOf(JsonMember(root, "model")), TextOf(JsonMember(root, "kauri"))};
}

/// Returns a message for each part of the data whose digest differs from the receipt.
std::vector<std::string> DifferencesOfData(Receipt const& receipt, Texts const& found) {
  std::vector<std::string> differences;
  if (receipt.data.size() != found.size()) FailDamaged();
  for (auto const& [name, digest] : found) {
    auto const kept = receipt.data.find(name);
    if (kept == receipt.data.end()) FailDamaged();
    if (kept->second != digest) differences.push_back("the " + name + " of the data differ");
  }
  return differences;
}

}  // namespace

std::string MakeReceipt(Learner const& learner, Model const& model, Data const& data) {
  learner.CheckColumns(*data);
  auto const& parts = *learner.Ready()->Parts();
  auto const params = ParamsOf(parts, false);
  auto const rounds = model.NumIterations();
  auto const digest = DigestOfModel(model);
  if (rounds == 0 || DigestOfAnother(learner, model, params, data) != digest) {
    Fail(ErrorKind::kModel, "training ", rounds, " rounds on these rows with the parameters ", TextsAsJson(params),
         " gives another model; add a receipt right after one training with built-in objectives, and give the rows "
         "that ",
         "the model was trained on.");
  }
  return AsJson({DigestsOfData(parts.ctx, *data), params, rounds, digest, KAURI_VERSION});
}

std::vector<std::string> DifferencesFromReceipt(Learner const& learner, Data const& data) {
  auto const& model = learner.GetModel();
  auto const receipt = ReadReceipt(model);
  auto differences = DifferencesOfData(receipt, DigestsOfData(learner.Ready()->Parts()->ctx, *data));
  if (DigestOfModel(model) != receipt.model) differences.emplace_back("the model was changed after its receipt");
  if (differences.empty() && DigestOfAnother(learner, model, receipt.params, data) != receipt.model) {
    differences.push_back("learning again gives another model, by Kauri " KAURI_VERSION " and not " + receipt.version);
  }
  return differences;
}

}  // namespace kauri

#include "booster/receipt/receipt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "booster/model_io/model_io.h"
#include "common/files/checksum.h"
#include "common/text/json_text.h"
#include "common/threads/parallel_for.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"
#include "kauri/version.h"

namespace kauri {
namespace {

// Checksums of training data.

constexpr std::int64_t kBlockRows = 4096;
constexpr std::int64_t kMostTileValues = 1 << 20;

/// Digest of the present entries of rows, added one row after the other.
class RowsDigest {
 public:
  void AddEntry(std::uint32_t column, float value) {
    columns_.push_back(column);
    values_.push_back(value + 0.0F);  // -0 is 0
  }
  void EndRow() {
    auto const n_entries = static_cast<std::uint64_t>(columns_.size());
    digest_.AddValues(Span<std::uint64_t const>(&n_entries, 1));
    digest_.AddValues(Span<std::uint32_t const>(columns_));
    digest_.AddValues(Span<float const>(values_));
    columns_.clear();
    values_.clear();
  }
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256 digest_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

std::string DigestOfSparseRows(CsrStorage const& csr, std::int64_t begin, std::int64_t end) {
  RowsDigest digest;
  Span<std::uint32_t const> const columns(csr.features);
  Span<float const> const values(csr.values);
  for (auto row = begin; row < end; ++row) {
    for (auto entry = csr.row_ptr[ToSize(row)]; entry < csr.row_ptr[ToSize(row) + 1]; ++entry) {
      digest.AddEntry(columns[entry], values[entry]);
    }
    digest.EndRow();
  }
  return digest.Finish();
}

std::string DigestOfRows(DataView const& view, std::int64_t begin, std::int64_t end) {
  RowsDigest digest;
  auto const n_cols = view.NumCols();
  auto const at_once = std::clamp<std::int64_t>(kMostTileValues / std::max<std::int64_t>(n_cols, 1), 1, kBlockRows);
  std::vector<float> tile(ToSize(at_once * n_cols));
  for (auto first = begin; first < end; first += at_once) {
    auto const last = std::min(first + at_once, end);
    view.CopyRows(first, last, n_cols, tile.data());
    auto const* value = tile.data();
    for (auto row = first; row < last; ++row) {
      for (std::int64_t column = 0; column < n_cols; ++column, ++value) {
        if (!std::isnan(*value)) digest.AddEntry(static_cast<std::uint32_t>(column), *value);
      }
      digest.EndRow();
    }
  }
  return digest.Finish();
}

std::string DigestOfFeatures(Context const& ctx, DataMatrix const& data) {
  auto const n_rows = data.NumRows();
  auto const is_sparse = data.Store() == nullptr && !data.IsDense();
  auto const view = data.View();
  std::vector<std::string> blocks(ToSize((n_rows + kBlockRows - 1) / kBlockRows));
  ParallelForBlocks(ctx, n_rows, kBlockRows, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    blocks[ToSize(block)] = is_sparse ? DigestOfSparseRows(data.Csr(), begin, end) : DigestOfRows(*view, begin, end);
  });
  Sha256 digest;
  digest.Add(std::to_string(n_rows) + " rows, " + std::to_string(data.NumCols()) + " columns\n");
  for (auto const& block : blocks) digest.Add(block);
  return digest.Finish();
}

/// Adds each text after its length, so that different lists give different bytes.
void AddTexts(std::vector<std::string> const& texts, Sha256* digest) {
  digest->Add(std::to_string(texts.size()) + '\n');
  for (auto const& text : texts) digest->Add(std::to_string(text.size()) + '\n' + text);
}

/// Returns the digest of the columns' names, types and category names. All numerical types count as one type. Columns
/// without category names add nothing, so a missing table and an empty one are the same.
std::string DigestOfColumns(MetaInfo const& info) {
  auto types = info.feature_types;
  if (types.empty()) types.assign(ToSize(info.n_cols), "q");
  for (auto& type : types) type = type == "c" ? "c" : "q";
  Sha256 digest;
  AddTexts(info.feature_names, &digest);
  AddTexts(types, &digest);
  for (std::size_t column = 0; column < info.category_names.size(); ++column) {
    auto const& names = info.category_names[column];
    if (names.Size() == 0) continue;
    digest.Add(std::to_string(column) + '\n');
    AddTexts(names.texts, &digest);
    digest.AddValues(Span<std::int64_t const>(names.numbers));
  }
  return digest.Finish();
}

template <typename T>
std::string DigestOfValues(std::vector<T> const& values) {
  Sha256 digest;
  digest.Add(std::to_string(values.size()) + '\n');
  digest.AddValues(Span<T const>(values));
  return digest.Finish();
}

/// Returns the SHA-256 of each part of the data, by the part's name ("features", "values of label", ...). The digests
/// depend neither on the memory layout of the rows nor on the number of threads. The names of the parts are always the
/// same. A matrix that keeps bins contributes the values that represent its bins.
std::map<std::string, std::string> DigestsOfData(Context const& ctx, DataMatrix const& data) {
  auto const& info = data.Info();
  return {{"features", DigestOfFeatures(ctx, data)},
          {"names and types", DigestOfColumns(info)},
          {"query groups", DigestOfValues(info.group_ptr)},
          {"values of label", DigestOfValues(info.labels)},
          {"values of weight", DigestOfValues(info.weights)},
          {"values of base_margin", DigestOfValues(info.base_margin)},
          {"values of label_lower_bound", DigestOfValues(info.label_lower_bound)},
          {"values of label_upper_bound", DigestOfValues(info.label_upper_bound)},
          {"values of feature_weights", DigestOfValues(info.feature_weights)}};
}

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

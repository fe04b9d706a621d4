#include "booster/model_io/model_io.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "booster/model_io/catboost_json.h"
#include "booster/model_io/document.h"
#include "booster/model_io/forest_json.h"
#include "booster/model_io/json.h"
#include "booster/model_io/lightgbm_text.h"
#include "booster/model_io/model_document.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/ubjson.h"
#include "common/files/atomic_file.h"
#include "common/files/checksum.h"
#include "common/files/read_file.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/registry.h"

namespace kauri::model_io {
namespace {

// Writes a parsed document as JSON or UBJSON again. Parsing has converted whole numbers in arrays of floats, and
// true and false in arrays, to numbers of the array's kind.

void WriteValue(Value const& value, JsonWriter* writer);
void WriteValue(Value const& value, UbjsonWriter* writer);

/// One overload for each kind of value; depth is bounded by DocumentBuilder::kMaxDepth.
template <typename Writer>
struct Visitor {
  Writer* writer;

  void operator()(std::monostate /*null*/) const { writer->Null(); }
  void operator()(bool value) const { writer->Boolean(value); }
  void operator()(std::int64_t value) const { writer->Integer(value); }
  void operator()(float value) const { writer->Float(value); }
  void operator()(std::string const& text) const { writer->String(text); }
  void operator()(Object const& members) const {
    writer->BeginObject();
    for (auto const& member : members) {
      writer->Key(member.key);
      WriteValue(member.value, writer);
    }
    writer->EndObject();
  }
  void operator()(Array const& values) const {
    writer->BeginArray(values.size());
    for (auto const& value : values) WriteValue(value, writer);
    writer->EndArray();
  }
  /// Writes integers without a common type: XGBoost reads the numbers of a version in this form.
  void operator()(Integers const& integers) const {
    writer->BeginArray(integers.size());
    for (auto const integer : integers) writer->Integer(integer);
    writer->EndArray();
  }
  template <typename T>
  void operator()(std::vector<T> const& numbers) const {
    writer->Numbers(Span<T const>(numbers));
  }
};

void WriteValue(Value const& value, JsonWriter* writer) { std::visit(Visitor<JsonWriter>{writer}, value.data); }
void WriteValue(Value const& value, UbjsonWriter* writer) { std::visit(Visitor<UbjsonWriter>{writer}, value.data); }

}  // namespace
}  // namespace kauri::model_io

namespace kauri {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Members of a snapshot.
constexpr char const* kConfig = "Config";
constexpr char const* kModel = "Model";

bool EndsWith(std::string const& text, std::string_view ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

bool StartsWith(std::string_view bytes, std::string_view beginning) {
  return bytes.substr(0, beginning.size()) == beginning;
}

/// Returns a message that identifies the format of bytes that are not a model, by their first bytes, and says what to
/// do.
std::string DescribeForeign(std::string_view bytes) {
  constexpr std::string_view kBom = "\xEF\xBB\xBF";
  if (StartsWith(bytes, "\x1F\x8B")) return "They are compressed (gzip). Unpack them first, for example with gunzip.";
  if (StartsWith(bytes, kBom)) {
    return "They begin with a byte order mark, which JSON does not allow. Write the file as UTF-8 without one.";
  }
  if (StartsWith(bytes, "\x80") && bytes.size() > 1 && bytes[1] >= 2 && bytes[1] <= 5) {
    return "They are a pickle of Python. Load it with pickle.load, where its source is trusted, and save the booster "
           "as "
           ".json or .ubj.";
  }
  if (StartsWith(bytes, "booster[") || StartsWith(bytes, "0:[") || StartsWith(bytes, "0:leaf=")) {
    return "They are a text dump of trees, from which no model can be read. Save the booster with save_model.";
  }
  if (StartsWith(bytes, "[")) {
    return "They are a JSON list, as dumps of trees are, from which no model can be read. Save the booster with "
           "save_model.";
  }
  if (StartsWith(bytes, "CBM1"))
    return "They are a model in CatBoost's binary format. Save it with save_model(path, format=\"json\") of CatBoost.";
  if (StartsWith(bytes, "PK\x03\x04")) return "They are a zip archive. Unpack it first.";
  return "Models in XGBoost's old binary format can be converted by loading and saving them as .json or .ubj with "
         "XGBoost 1.0 to 3.0.";
}

/// Returns whether the bytes are JSON. After '{', JSON continues with a string, '}' or a blank, UBJSON with the marker
/// of a length.
bool IsJson(std::string_view bytes) {
  auto const begin = bytes.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos || bytes[begin] != '{') {
    Fail(ErrorKind::kModel, "model: the ", bytes.size(), " bytes are neither a JSON nor a UBJSON object. ",
         DescribeForeign(bytes));
  }
  auto const next = begin + 1 < bytes.size() ? bytes[begin + 1] : ' ';
  return next == '"' || next == '}' || kBlanks.find(next) != std::string_view::npos;
}

/// Refuses what dump_model of LightGBM writes, which is a JSON object, too, and a forest that was not recognised.
void RefuseOtherJson(model_io::Value const& document) {
  auto const* object = std::get_if<model_io::Object>(&document.data);
  if (object == nullptr) return;
  auto const has = [&](std::string_view key) {
    return std::any_of(object->begin(), object->end(), [&](auto const& member) { return member.key == key; });
  };
  if (has("kauri_forest")) {
    Fail(ErrorKind::kModel, "model: 'kauri_forest' is not the first member of the JSON, by which forests are ",
         "recognised. Write it first.");
  }
  if (has("learner") || !has("tree_info")) return;
  Fail(ErrorKind::kModel, "model: the JSON is a dump of LightGBM. Save the booster with LightGBM's save_model; ",
       "kauriboost.forests.from_lightgbm turns that file into a model of Kauri.");
}

}  // namespace

ModelFormat FormatOfPath(std::string const& path) {
  if (EndsWith(path, ".json")) return ModelFormat::kJson;
  if (EndsWith(path, ".ubj") || EndsWith(path, ".model")) return ModelFormat::kUbjson;
  Fail(ErrorKind::kParameter, "the model file ", Quoted(path), " has no known extension; use .json, .ubj or .model");
}

std::string SerialiseModel(Model const& model, ModelFormat format, ModelDialect const& dialect) {
  if (format == ModelFormat::kJson) {
    model_io::JsonWriter writer;
    model_io::WriteModel(model, dialect, &writer);
    return writer.Take();
  }
  model_io::UbjsonWriter writer;
  model_io::WriteModel(model, dialect, &writer);
  return writer.Take();
}

model_io::Value ParseDocument(Span<char const> bytes) {
  if (model_io::IsLightGbm({bytes.data(), bytes.size()})) return model_io::ParseLightGbm({bytes.data(), bytes.size()});
  if (model_io::IsCatBoost({bytes.data(), bytes.size()})) return model_io::ParseCatBoost({bytes.data(), bytes.size()});
  if (model_io::IsForest({bytes.data(), bytes.size()})) {
    return model_io::ParseForest({bytes.data(), bytes.size()}, model_io::ForestSource::kFile);
  }
  return IsJson({bytes.data(), bytes.size()}) ? model_io::ParseJson(bytes) : model_io::ParseUbjson(bytes);
}

Model ParseModel(Span<char const> bytes) {
  auto document = ParseDocument(bytes);
  RefuseOtherJson(document);
  return model_io::ReadModel(&document);
}

std::string DigestOfModel(Model model) {
  model.attributes.clear();
  model.categories.seen.clear();
  for (auto& tree : model.trees) tree.row_count.clear();
  auto const is_in_attributes = GetRegistries().boosters_in_attributes.TryFind(model.booster) != nullptr;
  if (is_in_attributes) model.booster = "gbtree";  // its name in a file without attributes
  Sha256 digest;
  digest.Add(SerialiseModel(model, ModelFormat::kUbjson));
  return digest.Finish();
}

void SaveModel(Model const& model, std::string const& path, ModelDialect const& dialect) {
  bool const known = EndsWith(path, ".json") || EndsWith(path, ".ubj") || EndsWith(path, ".model");
  if (!known)
    Log(LogLevel::kWarning, "Unknown file format: Saving model in the UBJSON format, to ", Quoted(path),
        "; end the file's name in .json or .ubj to choose the format.");
  auto const bytes = SerialiseModel(model, known ? FormatOfPath(path) : ModelFormat::kUbjson, dialect);
  WriteFileAtomically(path, {bytes.data(), bytes.size()});
}

Model LoadModel(std::string const& path) {
  auto const bytes = ReadFile(FileToRead{path, "model"});
  try {
    return ParseModel({bytes.data(), bytes.size()});
  } catch (Error const& error) {
    Fail(error.Kind(), "cannot load ", Quoted(path), ": ", error.what());
  }
}

std::string SerialiseSnapshot(std::string const& config, Model const& model, ModelDialect const& dialect) {
  model_io::UbjsonWriter writer;
  writer.BeginObject();
  writer.Key(kConfig);
  model_io::WriteValue(model_io::ParseJson({config.data(), config.size()}), &writer);
  writer.Key(kModel);
  model_io::WriteModel(model, dialect, &writer);
  writer.EndObject();
  return writer.Take();
}

Snapshot ParseSnapshot(Span<char const> bytes) {
  auto document = ParseDocument(bytes);
  model_io::ObjectReader const top(&document, "");
  if (!top.Has(kConfig) || !top.Has(kModel)) return {{}, model_io::ReadModel(&document)};
  model_io::JsonWriter config;
  model_io::WriteValue(*top.At(kConfig), &config);
  return {config.Take(), model_io::ReadModel(top.At(kModel))};
}

}  // namespace kauri

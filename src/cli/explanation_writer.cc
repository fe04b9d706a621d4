#include "cli/explanation_writer.h"

#include <charconv>
#include <utility>

#include "cli/report.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

void AppendNumber(float value, std::string* line) {
  char buffer[32];
  line->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

class CsvWriter : public ExplanationWriter {
 public:
  CsvWriter(ExplanationShape shape, std::ostream* out)
      : shape_(std::move(shape)), numbered_(shape_.n_outputs > 1 || shape_.interactions), out_(out) {
    for (auto& column : shape_.columns) column = CsvText(column);
    if (numbered_ && !shape_.reduced) *out_ << "row,";
    if (shape_.n_outputs > 1) *out_ << "output,";
    if (shape_.interactions) *out_ << "feature,";
    auto const* comma = "";
    for (auto const& column : shape_.columns) {
      *out_ << comma << column;
      comma = ",";
    }
    *out_ << '\n';
  }

  void Write(Span<float const> values) override {
    auto const width = shape_.columns.size();
    for (std::size_t begin = 0; begin < values.size(); begin += width) WriteLine(values.subspan(begin, width));
  }

 private:
  void WriteLine(Span<float const> numbers) {
    line_.clear();
    AppendKeys();
    for (auto const number : numbers) {
      AppendNumber(number, &line_);
      line_ += ',';
    }
    line_.back() = '\n';
    *out_ << line_;
    ++n_lines_;
  }

  /// Appends the columns that identify the line.
  void AppendKeys() {
    if (!numbered_) return;
    auto const n_features = static_cast<std::int64_t>(shape_.interactions ? shape_.columns.size() : 1);
    auto const block = n_lines_ / n_features;
    if (!shape_.reduced) line_ += std::to_string(block / shape_.n_outputs) + ',';
    if (shape_.n_outputs > 1) line_ += std::to_string(block % shape_.n_outputs) + ',';
    if (shape_.interactions) line_ += shape_.columns[n_lines_ % n_features] + ',';
  }

  ExplanationShape shape_;
  bool numbered_;
  std::ostream* out_;
  std::string line_;
  std::int64_t n_lines_ = 0;
};

/// Returns the header: magic, version 1.0, length of the text, and the text, padded so that the numbers begin at a
/// multiple of 64.
std::string NpyHeader(ExplanationShape const& shape) {
  constexpr std::size_t kAlignment = 64;
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  if (!shape.reduced) text += std::to_string(shape.n_rows) + ", ";
  if (shape.n_outputs > 1) text += std::to_string(shape.n_outputs) + ", ";
  auto const width = std::to_string(shape.columns.size());
  text += width + (shape.interactions ? ", " + width : "") + ",), }";
  std::string header("\x93NUMPY\x01\0", 8);
  auto const used = header.size() + 2 + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

class NpyWriter : public ExplanationWriter {
 public:
  NpyWriter(ExplanationShape const& shape, std::ostream* out) : out_(out) { *out_ << NpyHeader(shape); }

  void Write(Span<float const> values) override {
    out_->write(reinterpret_cast<char const*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(float)));
  }

 private:
  std::ostream* out_;
};

}  // namespace

bool IsNpyPath(char const* key, std::string const& path) {
  auto const ends_with = [&](std::string const& ending) {
    return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (ends_with(".npy")) return true;
  if (path == "stdout" || ends_with(".csv")) return false;
  Fail(ErrorKind::kParameter, key, "=", path, " ends neither with .csv nor with .npy; name it by one of them.");
}

std::vector<std::string> FeatureNames(Model const& model, std::vector<std::string> const& of_map) {
  auto names = of_map.empty() ? model.feature_names : of_map;
  auto const n_names = static_cast<std::int64_t>(names.size());
  if (n_names > model.n_features) names.resize(static_cast<std::size_t>(model.n_features));
  for (auto feature = static_cast<std::int64_t>(names.size()); feature < model.n_features; ++feature) {
    names.push_back("f" + std::to_string(feature));
  }
  return names;
}

ExplanationShape ShapeOfExplanation(Model const& model, std::vector<std::string> const& names, std::int64_t n_rows,
                                    ExplainOptions const& options) {
  auto const reduced = options.reduction != ExplainReduction::kNone;
  ExplanationShape shape{reduced ? 1 : n_rows, reduced, model.NumOutputs(), IsOfPairs(options.kind), {}};
  for (auto const feature : options.features) shape.columns.push_back(names[feature]);
  if (options.features.empty()) shape.columns = names;
  shape.columns.emplace_back("bias");
  return shape;
}

std::unique_ptr<ExplanationWriter> MakeCsvWriter(ExplanationShape shape, std::ostream* out) {
  return std::make_unique<CsvWriter>(std::move(shape), out);
}

std::unique_ptr<ExplanationWriter> MakeNpyWriter(ExplanationShape const& shape, std::ostream* out) {
  return std::make_unique<NpyWriter>(shape, out);
}

}  // namespace kauri::cli

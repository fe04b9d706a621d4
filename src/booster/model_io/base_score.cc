#include "booster/model_io/base_score.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "booster/model_io/number_text.h"

namespace kauri::model_io {
namespace {

constexpr char const* kKey = "base_score";

std::vector<float> ParseText(ObjectReader const& reader, std::string const& text) {
  auto inner = text;
  bool const is_array =
      text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
  if (is_array) inner = text.substr(1, text.size() - 2);
  std::vector<float> values;
  std::istringstream parts(inner);
  for (std::string part; std::getline(parts, part, ',');) {
    float value = 0.0F;
    if (!ParseFloat(part, &value) || (!is_array && !values.empty())) {
      reader.FailAt(kKey, "is '", Printable(text), "'; expected finite numbers such as 0.5 or [0.1,0.9]");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

std::vector<float> ReadBaseScore(ObjectReader const& reader) {
  auto const* value = reader.At(kKey);
  std::vector<float> scores;
  if (auto const* text = std::get_if<std::string>(&value->data)) {
    scores = ParseText(reader, *text);
  } else if (auto const* number = std::get_if<float>(&value->data)) {
    scores = {*number};
  } else if (auto const* integer = std::get_if<std::int64_t>(&value->data)) {
    scores = {static_cast<float>(*integer)};
  } else {
    scores = reader.TakeFloats(kKey);
  }
  if (scores.empty()) reader.FailAt(kKey, "is empty; expected one number per output");
  if (!std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); })) {
    reader.FailAt(kKey, "holds a number that is not finite");
  }
  return scores;
}

std::string BaseScoreText(std::vector<float> const& base_score, std::size_t n_outputs) {
  std::string text = "[";
  auto const size = base_score.size() == 1 ? n_outputs : base_score.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) text += ',';
    text += FloatText(base_score[base_score.size() == 1 ? 0 : i]);
  }
  return text + "]";
}

}  // namespace kauri::model_io

#include "data/text/csv_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "data/text/text_number.h"
#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(CsvParam);

namespace {

constexpr std::size_t kUsualFieldBytes = 8;  // for memory set aside

/// One line, field by field.
class FieldReader {
 public:
  FieldReader(char const* begin, char const* end, char delimiter) : at_(begin), end_(end), delimiter_(delimiter) {}

  bool IsBlankLine() {
    SkipBlanks();
    return at_ == end_;
  }
  std::int64_t Number() const { return number_; }  ///< of the field read last, from 1
  bool AtEnd() const { return at_ == nullptr; }

  /// Reads a field and its delimiter. An empty field is NaN.
  NumberStatus Next(float* value) {
    ++number_;
    *value = std::numeric_limits<float>::quiet_NaN();
    SkipBlanks();
    field_ = at_;
    auto status = NumberStatus::kOk;
    if (!AtFieldEnd()) {
      auto const parsed = ParseFloat(at_, end_);
      status = parsed.status;
      *value = parsed.value;
      at_ = parsed.end;
      SkipBlanks();
      if (!AtFieldEnd()) status = NumberStatus::kNotANumber;
    }
    Leave();
    return status;
  }
  std::string Shown() const { return ShowText(field_, std::find(field_, end_, delimiter_)); }
  /// The field as it stands there, but for blanks and quotes around it.
  std::string Text() const {
    auto const* end = std::find(field_, end_, delimiter_);
    auto const* begin = field_;
    while (end != begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') return {begin + 1, end - 1};
    return {begin, end};
  }

 private:
  bool AtFieldEnd() const { return at_ == end_ || *at_ == delimiter_; }
  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t') && *at_ != delimiter_) ++at_;
  }
  void Leave() {
    if (!AtFieldEnd()) at_ = std::find(at_, end_, delimiter_);
    at_ = at_ == end_ ? nullptr : at_ + 1;
  }

  char const* at_;  ///< nullptr after the last field
  char const* end_;
  char const* field_ = nullptr;
  char delimiter_;
  std::int64_t number_ = 0;
};

std::string WrongField(FieldReader const& fields, std::string const& what) {
  return "field " + std::to_string(fields.Number()) + ", " + fields.Shown() + ", is " + what + ".";
}

void CheckField(FieldReader const& fields, NumberStatus status) {
  switch (status) {
    case NumberStatus::kOk:
      return;
    case NumberStatus::kNotANumber:
      throw WrongField(fields, "not a number; leave it empty where the value is missing");
    case NumberStatus::kInfinite:
      throw WrongField(fields, "infinite; values must be finite");
    case NumberStatus::kTooLarge:
      throw WrongField(fields, "too large for float32; scale the column");
  }
}

/// The largest n such that all whole numbers up to it are float32.
constexpr float kMostQueryId = 16'777'216.0F;

std::int64_t QueryId(FieldReader const& fields, float value) {
  if (!(value >= 0.0F && value <= kMostQueryId) || value != std::floor(value)) {
    throw WrongField(fields, "the query; queries must be whole numbers from 0 to 16777216");
  }
  return static_cast<std::int64_t>(value);
}

void Keep(FieldReader const& fields, CsvRole role, float value, CsvRows* rows) {
  switch (role) {
    case CsvRole::kFeature:
      rows->values.push_back(value);
      break;
    case CsvRole::kLabel:
      if (std::isnan(value)) throw WrongField(fields, "the label; labels must be given");
      rows->labels.push_back(value);
      break;
    case CsvRole::kWeight:
      if (!(value >= 0.0F)) throw WrongField(fields, "the weight; weights must be numbers of at least 0");
      rows->weights.push_back(value);
      break;
    case CsvRole::kQuery:
      rows->query_ids.push_back(QueryId(fields, value));
      if (rows->query_ids.size() > 1 && rows->query_ids.back() < rows->query_ids[rows->query_ids.size() - 2]) {
        throw WrongField(fields, "a smaller query than that of the row before; sort the rows by query");
      }
      break;
    case CsvRole::kIgnored:
      break;
  }
}

/// Parses one line; what goes wrong is thrown as a std::string.
void ParseLine(FieldReader fields, CsvFormat const& format, CsvRows* rows) {
  auto const n_fields = format.NumFields();
  while (!fields.AtEnd()) {
    auto value = 0.0F;
    auto const status = fields.Next(&value);
    auto const column = fields.Number() - 1;
    if (column >= n_fields) continue;  // counted below
    auto const role = format.roles[static_cast<std::size_t>(column)];
    if (role != CsvRole::kIgnored) CheckField(fields, status);
    Keep(fields, role, value, rows);
  }
  if (fields.Number() != n_fields) {
    throw "the line has " + std::to_string(fields.Number()) + " fields, but the first line has " +
        std::to_string(n_fields) + ".";
  }
  ++rows->n_rows;
}

}  // namespace

void CsvParam::Validate() const {
  if (delimiter != "\\t" && (delimiter.size() != 1 || std::strchr("0123456789+-.eE\"\r\n", delimiter[0]) != nullptr)) {
    Fail(ErrorKind::kParameter, "delimiter '", delimiter,
         "' is not valid; it must be one character that is not part of numbers.");
  }
}

std::int64_t CsvFormat::NumFeatures() const { return std::count(roles.begin(), roles.end(), CsvRole::kFeature); }

bool CsvFormat::Has(CsvRole role) const { return std::find(roles.begin(), roles.end(), role) != roles.end(); }

std::optional<CsvFirstLine> FindCsvFirstLine(Span<char const> text, char delimiter, std::int64_t* n_lines) {
  std::optional<CsvFirstLine> first;
  *n_lines = ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
    FieldReader fields(begin, end, delimiter);
    if (first || fields.IsBlankLine()) return;
    first.emplace();
    first->line = line;
    while (!fields.AtEnd()) {
      auto value = 0.0F;
      auto const is_number = fields.Next(&value) != NumberStatus::kNotANumber;
      first->fields.push_back(fields.Text());
      if (is_number && !first->fields.back().empty()) ++first->n_numbers;
      if (is_number || !first->not_a_number.empty()) continue;
      first->not_a_number = fields.Shown();
      first->field = fields.Number();
    }
  });
  return first;
}

std::optional<LineFault> ParseCsvText(Span<char const> text, std::int64_t block, CsvFormat const& format,
                                      CsvRows* rows) {
  std::int64_t current = 0;
  auto before_header = block == format.header_block;
  rows->values.reserve(text.size() / kUsualFieldBytes);
  try {
    rows->n_lines = ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
      current = line;
      FieldReader const fields(begin, end, format.delimiter);
      if (FieldReader(fields).IsBlankLine()) return;
      if (!std::exchange(before_header, false)) ParseLine(fields, format, rows);
    });
  } catch (std::string const& message) {
    return LineFault{current, message};
  }
  return std::nullopt;
}

}  // namespace kauri

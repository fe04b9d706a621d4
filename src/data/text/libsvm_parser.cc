#include "data/text/libsvm_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "data/text/text_number.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(LibsvmParam);

namespace {

constexpr std::int64_t kMaxFeature = INT32_MAX - 1;
constexpr std::size_t kUsualEntryBytes = 8;  // estimate for memory reservations

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

char const* SkipBlanks(char const* p, char const* end) {
  while (p != end && IsBlank(*p)) ++p;
  return p;
}

bool IsTokenEnd(char const* p, char const* end) { return p == end || IsBlank(*p) || *p == '#'; }

[[noreturn]] void RefuseToken(char const* token, char const* end, std::string const& what) {
  throw ShowText(token, std::find_if(token, end, IsBlank)) + " is " + what + ".";
}

/// Reads one line from left to right. Reports errors by throwing a std::string.
class LineReader {
 public:
  LineReader(char const* begin, char const* end) : at_(begin), end_(end) {}

  /// Moves to the next token. Returns false at the end of the line or at a comment.
  bool NextToken() {
    token_ = at_ = SkipBlanks(at_, end_);
    return at_ != end_ && *at_ != '#';
  }
  bool Take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool TakeQuery() {
    if (end_ - at_ < 4 || std::memcmp(at_, "qid:", 4) != 0) return false;
    at_ += 4;
    return true;
  }
  /// \param cure describes the expected input.
  float TakeFloat(char const* cure) {
    auto const parsed = ParseFloat(at_, end_);
    at_ = parsed.end;
    if (parsed.status == NumberStatus::kInfinite) Refuse("infinite; numbers must be finite or, as features, nan");
    if (parsed.status == NumberStatus::kTooLarge) Refuse("too large for float32; scale the column");
    if (parsed.status == NumberStatus::kNotANumber) Refuse(cure);
    return parsed.value;
  }
  std::int64_t TakeIndex(char const* cure) {
    std::int64_t value = 0;
    if (!ParseIndex(&at_, end_, &value)) Refuse(cure);
    return value;
  }
  void EndToken(char const* cure) {
    if (!IsTokenEnd(at_, end_)) Refuse(cure);
  }
  char const* At() const { return at_; }
  /// \param what completes "'token' is".
  [[noreturn]] void Refuse(std::string const& what) const { RefuseToken(token_, end_, what); }

 private:
  char const* at_;
  char const* end_;
  char const* token_ = nullptr;
};

/// The start of a line: label, weight, query.
struct RowHead {
  float label = 0.0F;
  std::optional<float> weight;
  std::optional<std::int64_t> query;
};

RowHead TakeHead(LineReader* line) {
  static constexpr char kLabelCure[] = "not a label; expected a number or number:weight at the start of the line";
  RowHead head;
  head.label = line->TakeFloat(kLabelCure);
  if (std::isnan(head.label)) line->Refuse("not a label; labels must be finite");
  if (line->Take(':')) {
    head.weight = line->TakeFloat("not label:weight");
    if (!(*head.weight >= 0.0F)) line->Refuse("not label:weight; weights must be at least 0");
  }
  line->EndToken(kLabelCure);
  return head;
}

/// One present or missing value. It is read without a LineReader, whose address the messages need: this is the hot
/// loop, and its state must stay in registers.
struct Entry {
  std::int64_t feature;
  float value;
};

/// Reads index:value at p. Returns its end, or nullptr for an error, which RefuseEntry then reports.
char const* ReadEntry(char const* p, char const* end, std::int64_t first_index, Entry* entry) {
  if (!ParseIndex(&p, end, &entry->feature) || p == end || *p != ':') return nullptr;
  if (entry->feature < first_index || entry->feature > kMaxFeature) return nullptr;
  auto const parsed = ParseFloat(p + 1, end);
  entry->value = parsed.value;
  return parsed.status == NumberStatus::kOk && IsTokenEnd(parsed.end, end) ? parsed.end : nullptr;
}

[[noreturn]] void RefuseEntry(char const* p, char const* end, std::int64_t first_index) {
  static constexpr char kCure[] = "not index:value, such as 3:0.5";
  LineReader line(p, end);
  line.NextToken();
  auto const feature = line.TakeIndex(kCure);
  if (!line.Take(':')) line.Refuse(kCure);
  if (feature < first_index) line.Refuse("below the first feature, 1; use indexing_mode=0 when features count from 0");
  if (feature > kMaxFeature) line.Refuse("past the largest feature number, " + std::to_string(kMaxFeature));
  line.TakeFloat(kCure);
  line.Refuse(kCure);
}

class TextParser {
 public:
  TextParser(LibsvmFormat const& format, LibsvmRows* rows) : format_(format), rows_(rows) {}

  void ParseLine(char const* begin, char const* end, std::int64_t line_number) {
    LineReader line(begin, end);
    if (!line.NextToken()) return;
    auto head = TakeHead(&line);
    if (line.NextToken() && line.TakeQuery()) {
      head.query = line.TakeIndex("not qid:n with a whole number n");
      line.EndToken("not qid:n with a whole number n");
    }
    StoreHead(head);
    if (rows_->labels.size() == 1) rows_->first_row_line = line_number;
    ParseEntries(line.At(), end);
  }

 private:
  void StoreHead(RowHead const& head) {
    if (head.weight.has_value() != format_.has_weights) {
      throw std::string(format_.has_weights ? "this row has no weight, but the first row has one"
                                            : "this row has a weight, but the first row has none") +
          "; write label:weight in all rows or in none.";
    }
    if (head.query.has_value() != format_.has_queries) {
      throw std::string(format_.has_queries ? "this row has no qid, but the first row has one"
                                            : "this row has a qid, but the first row has none") +
          "; write qid:n in all rows or in none.";
    }
    rows_->labels.push_back(head.label);
    if (head.weight) rows_->weights.push_back(*head.weight);
    if (!head.query) return;
    if (!rows_->query_ids.empty() && *head.query < rows_->query_ids.back()) {
      throw "qid:" + std::to_string(*head.query) + " follows qid:" + std::to_string(rows_->query_ids.back()) +
          "; sort the lines by qid.";
    }
    rows_->query_ids.push_back(*head.query);
  }

  void ParseEntries(char const* p, char const* end) {
    auto const row_begin = rows_->features.size();
    std::int64_t previous = -1;
    auto smallest = rows_->smallest_feature;
    auto largest = rows_->largest_feature;
    auto ascending = true;
    for (p = SkipBlanks(p, end); p != end && *p != '#'; p = SkipBlanks(p, end)) {
      Entry entry{};
      auto const* token_end = ReadEntry(p, end, format_.first_index, &entry);
      if (token_end == nullptr) RefuseEntry(p, end, format_.first_index);
      p = token_end;
      ascending &= entry.feature > previous;
      previous = entry.feature;
      smallest = std::min(smallest, entry.feature);
      largest = std::max(largest, entry.feature);
      if (std::isnan(entry.value)) continue;
      rows_->features.push_back(static_cast<std::uint32_t>(entry.feature));
      rows_->values.push_back(entry.value);
    }
    rows_->smallest_feature = smallest;
    rows_->largest_feature = largest;
    if (!ascending) SortRow(row_begin);
    rows_->row_ends.push_back(static_cast<std::int64_t>(rows_->features.size()));
  }

  void SortRow(std::size_t begin) {
    auto& features = rows_->features;
    scratch_.clear();
    for (auto i = begin; i < features.size(); ++i) scratch_.emplace_back(features[i], rows_->values[i]);
    std::stable_sort(scratch_.begin(), scratch_.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (auto i = begin; i < features.size(); ++i) {
      std::tie(features[i], rows_->values[i]) = scratch_[i - begin];
      if (i > begin && features[i] == features[i - 1]) {
        throw "feature " + std::to_string(features[i]) + " is given twice; keep one of the two.";
      }
    }
  }

  LibsvmFormat const& format_;
  LibsvmRows* rows_;
  std::vector<std::pair<std::uint32_t, float>> scratch_;
};

}  // namespace

std::optional<LibsvmFormat> DetectLibsvmFormat(Span<char const> text) {
  std::optional<LibsvmFormat> format;
  auto const* p = text.begin();
  while (p != text.end() && !format) {
    auto const* end = std::find(p, text.end(), '\n');
    LineReader line(p, end != p && end[-1] == '\r' ? end - 1 : end);
    if (line.NextToken()) {
      format.emplace();
      try {
        format->has_weights = TakeHead(&line).weight.has_value();
        format->has_queries = line.NextToken() && line.TakeQuery();
      } catch (std::string const&) {  // ParseLibsvmText will report it, with the line
      }
    }
    p = end == text.end() ? end : end + 1;
  }
  return format;
}

std::optional<LineFault> ParseLibsvmText(Span<char const> text, LibsvmFormat const& format, LibsvmRows* rows) {
  TextParser parser(format, rows);
  std::int64_t current = 0;
  rows->features.reserve(text.size() / kUsualEntryBytes);
  rows->values.reserve(text.size() / kUsualEntryBytes);
  try {
    rows->n_lines = ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
      current = line;
      parser.ParseLine(begin, end, line);
    });
  } catch (std::string const& message) {
    return LineFault{current, message};
  }
  return std::nullopt;
}

}  // namespace kauri

#include "data/text/side_files.h"

#include <optional>
#include <utility>
#include <vector>

#include "common/platform/file.h"
#include "common/text/quoted.h"
#include "data/meta_info.h"
#include "data/text/text_lines.h"
#include "data/text/text_number.h"
#include "kauri/error.h"

namespace kauri {
namespace {

bool IsSpaceOrTab(char c) { return c == ' ' || c == '\t'; }

/// Reads one number and moves *at behind it. Returns false if there is none.
bool ParseNumber(char const** at, char const* end, float* value) {
  auto const parsed = ParseFloat(*at, end);
  *at = parsed.end;
  *value = parsed.value;
  return parsed.status == NumberStatus::kOk;
}
bool ParseNumber(char const** at, char const* end, std::int64_t* value) { return ParseIndex(at, end, value); }

/// Calls fn(begin, end) for each word of a line.
template <typename Fn>
void ForEachWord(char const* begin, char const* end, Fn&& fn) {
  for (auto const* p = begin;;) {
    while (p != end && IsSpaceOrTab(*p)) ++p;
    if (p == end) return;
    auto const* word_end = p;
    while (word_end != end && !IsSpaceOrTab(*word_end)) ++word_end;
    fn(p, word_end);
    p = word_end;
  }
}

template <typename T>
std::optional<LineFault> ParseText(Span<char const> text, std::vector<T>* values, std::int64_t* n_lines) {
  std::optional<LineFault> fault;
  *n_lines = ForEachLine(text, [&](char const* begin, char const* end, std::int64_t line) {
    ForEachWord(begin, end, [&](char const* word, char const* word_end) {
      if (fault) return;
      auto const* after = word;
      T value{};
      if (!ParseNumber(&after, word_end, &value) || after != word_end) {
        fault =
            LineFault{line, ShowText(word, word_end) + (std::is_integral_v<T> ? " is not a count of rows, 0 or more."
                                                                              : " is not a finite number.")};
      }
      values->push_back(value);
    });
  });
  return fault;
}

template <typename T>
std::vector<T> ReadNumbers(Context const& ctx, std::string const& path) {
  TextFile const file(path);
  std::vector<std::vector<T>> of_block(file.NumBlocks());
  file.ParseBlocks(ctx, [&](Span<char const> text, std::int64_t block, std::int64_t* n_lines) {
    return ParseText(text, &of_block[block], n_lines);
  });
  std::vector<T> all;
  for (auto const& values : of_block) all.insert(all.end(), values.begin(), values.end());
  if (all.empty()) Fail(ErrorKind::kData, path, " holds no numbers; fill it, or remove it.");
  return all;
}

template <typename T>
void SetFromFile(Context const& ctx, std::string const& path, char const* field, DType dtype, MetaInfo* info) {
  auto const values = ReadNumbers<T>(ctx, path);
  ArrayView array;
  array.data = values.data();
  array.dtype = dtype;
  array.shape = {static_cast<std::int64_t>(values.size()), 1};
  array.strides = {sizeof(T), sizeof(T)};
  try {
    SetInfo(info, field, array);
  } catch (Error const& error) {
    Fail(error.Kind(), path, ": ", error.what());
  }
}

/// \throws Error(kIo) if there may be such a file.
bool Exists(std::string const& path) {
  platform::FileStatus status;
  if (platform::GetStatus(path, &status)) return true;
  if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return false;
  Fail(ErrorKind::kIo, Quoted(path), ", a file beside the data, cannot be read: ", ReasonOf(errno), ".");
}

/// Returns whether the file exists. It must then be the only source of the field.
bool SideFileIsThere(std::string const& path, char const* field, bool has_field) {
  if (!Exists(path)) return false;
  if (has_field) {
    Fail(ErrorKind::kData, path, " gives the ", field, " that the data file has already; remove one of them.");
  }
  return true;
}

}  // namespace

std::vector<std::string> ReadFeatureTypes(std::string const& path, std::int64_t n_cols,
                                          std::vector<std::string> const& own) {
  auto const name = path + ".feature_types";
  if (!SideFileIsThere(name, "types of columns", !own.empty())) return own;
  TextFile const file(name);
  std::vector<std::string> types;
  std::vector<char> buffer;
  for (std::int64_t block = 0; block < file.NumBlocks(); ++block) {
    ForEachLine(file.ReadBlock(block, &buffer), [&](char const* begin, char const* end, std::int64_t) {
      ForEachWord(begin, end, [&](char const* word, char const* word_end) { types.emplace_back(word, word_end); });
    });
  }
  if (types.empty()) Fail(ErrorKind::kData, name, " holds no types; fill it, or remove it.");
  MetaInfo info;
  info.n_cols = n_cols;
  try {
    SetFeatureStrings(&info, "feature_type", std::move(types));
  } catch (Error const& error) {
    Fail(error.Kind(), name, ": ", error.what());
  }
  return info.feature_types;
}

void ReadSideFiles(Context const& ctx, std::string const& path, MetaInfo* info) {
  if (auto const file = path + ".group"; SideFileIsThere(file, "queries", !info->group_ptr.empty())) {
    SetFromFile<std::int64_t>(ctx, file, "group", DType::kI64, info);
    if (!info->group_ptr.empty() && info->group_ptr.back() != info->n_rows) {
      Fail(ErrorKind::kData, file, ": group sizes add up to ", info->group_ptr.back(), ", but the data have ",
           info->n_rows, " rows.");
    }
  }
  if (auto const file = path + ".weight"; SideFileIsThere(file, "weights", !info->weights.empty())) {
    SetFromFile<float>(ctx, file, "weight", DType::kF32, info);
    auto const n_weights = static_cast<std::int64_t>(info->weights.size());
    if (n_weights != info->n_rows && info->group_ptr.empty()) {
      Fail(ErrorKind::kData, file, ": weight has ", n_weights, " values, but the data have ", info->n_rows, " rows.");
    }
  }
  if (auto const file = path + ".base_margin"; SideFileIsThere(file, "margins", !info->base_margin.empty())) {
    SetFromFile<float>(ctx, file, "base_margin", DType::kF32, info);
  }
}

}  // namespace kauri

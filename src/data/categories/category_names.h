/// \file Names of categories: checking, comparison, and translation between numberings. A column of categories has
/// codes and the names that they stand for.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/categories.h"
#include "kauri/span.h"

namespace kauri {

/// Result of CategoryCodes for a name that the other numbering lacks.
constexpr std::int32_t kUnknownCategory = -1;

/// Returns "xgboost", "missing" or "error".
char const* NameOfPolicy(UnseenCategory policy);
/// Parses the name of a policy; returns false for any other text.
bool ParsePolicy(std::string const& text, UnseenCategory* policy);

/// Returns the name for a message, e.g. "'red'" or "7".
std::string NameOfCategory(CategoryNames const& names, std::size_t category);

/// Returns for each category of `from` the category of `to` that has the same name, or kUnknownCategory: [from.Size()].
/// Numbers compare by value, whatever their type; all are unknown if one side has texts and the other numbers.
std::vector<std::int32_t> CategoryCodes(CategoryNames const& from, CategoryNames const& to);

/// Returns `known`, followed by the names of `more` that it lacks, in their order. `feature` appears in the message.
/// \throws Error(kData) if one has texts and the other integers, or if no integer type holds all of them.
CategoryNames JoinNames(CategoryNames const& known, CategoryNames const& more, std::size_t feature);

/// Requires that names of `rows` can be looked up in `model`. \throws Error(kData) if one has texts and the other
/// integers.
void RequireSameKind(CategoryNames const& rows, CategoryNames const& model, std::size_t feature);

/// Returns whether each category below both sizes has the same name in both.
bool AgreeOnNames(CategoryNames const& a, CategoryNames const& b);

/// Returns whether all categories that both a and b name have the same numbers.
bool AgreeOnTables(CategoryNameTable const& a, CategoryNameTable const& b);

/// Returns for each column the names of `known`, followed by the names of `more` that `known` lacks. A column that only
/// one of the two tables names keeps the names of `more`.
CategoryNameTable JoinTables(CategoryNameTable const& known, CategoryNameTable const& more);

/// The origin of the names of a column. kDeclared: the data say that the column is categorical. kTexts: the names are
/// the different texts of a column that nobody called categorical, sorted by their bytes. kManyTexts: likewise, and the
/// texts are too many for categories, as identifiers are. Texts have no type of numbers, so CategoryNames::number_type
/// holds the origin; files do not store it.
enum class NameOrigin : std::uint8_t { kDeclared, kTexts, kManyTexts };

/// More different texts than this are too many if they are more than half as many as the rows.
constexpr std::size_t kMostTextsOfAnyShare = 32;

NameOrigin OriginOf(CategoryNames const& names);
/// Marks names as the different texts of a column of `n_rows` rows.
void SetTexts(std::int64_t n_rows, CategoryNames* names);
/// Marks names as declared.
void SetDeclared(CategoryNames* names);

/// Collects the names of text columns over batches, each of which has collected its own.
class CollectedTexts {
 public:
  void Add(CategoryNameTable const& batch, std::int64_t n_rows);
  /// Returns the names of each column that is text in all batches that name it, sorted by their bytes; the table is
  /// empty if there is no such column.
  CategoryNameTable Names() const;

 private:
  CategoryNameTable names_;
  std::vector<char> are_declared_{};  ///< [n_cols]: whether a batch declares the names
  std::int64_t n_rows_ = 0;
};

/// Replaces the names of text columns in a batch's table by the names of all batches.
void TakeTexts(CategoryNameTable const& texts, CategoryNameTable* batch);

/// Refuses columns of text that are no categories: too many texts, or texts that are all numbers. Declared categories
/// are never refused, nor are columns whose names the model has in `known`. \throws Error(kData) with the column and
/// the cure.
void CheckTextColumns(CategoryNameTable const& names, CategoryNameTable const& known,
                      std::vector<std::string> const& columns);

/// Parses names in the form that XGBoost's clients give them: integers as an array interface, or texts as {"offsets":
/// [n + 1], "values": bytes}, both array interfaces. Copies them. Texts with "are_collected": true are those of a
/// column of `n_rows` rows that nobody called categorical. \throws Error(kData) for anything else, and for offsets that
/// do not ascend within the bytes.
CategoryNames ParseCategoryNames(nlohmann::json const& names, std::int64_t n_rows);

/// Returns integers as names. \throws Error(kData) for another type.
CategoryNames NumbersAsNames(ArrayView const& numbers);

/// Returns the category number of each of n names among all categories of their column, to translate codes into the n
/// names. \throws Error(kData) unless `numbers` holds n integers in an array interface, each a valid category.
std::shared_ptr<std::vector<float> const> ParseCategoryNumbers(nlohmann::json const& numbers, std::size_t n);

/// Returns the codes 0 .. n - 1 unchanged: the values of a column whose codes need no translation, see Column::codes.
std::shared_ptr<std::vector<float> const> SameCodes(std::size_t n);

}  // namespace kauri

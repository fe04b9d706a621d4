#include "data/bins/wrapped_sources.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/random/random.h"
#include "common/sums.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "kauri/error.h"
#include "kauri/meta_info.h"

namespace kauri {
namespace {

/// A batch together with the target numbering of its categories.
struct RecodedBatch {
  ModelCategories target;
  std::unique_ptr<DataView> rows;
  std::shared_ptr<void const> keep;
};

/// Replaces the names of a batch's categories by `names`, which has all of them, and renumbers the categories.
void RenameCategories(CategoryNameTable names, RowBatch* batch) {
  auto recoded = std::make_shared<RecodedBatch>();
  recoded->target.names = std::move(names);
  recoded->rows = std::move(batch->rows);
  recoded->keep = std::move(batch->keep);
  batch->rows = std::make_unique<CategoryView>(recoded->target, *recoded->rows);
  batch->info.category_names = recoded->target.names;
  batch->keep = std::move(recoded);
}

class RecodedSource : public RowSource {
 public:
  RecodedSource(CategoryNameTable const& known, RowSource* source) : known_(known), source_(source) {}
  void Restart() override { source_->Restart(); }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (!source_->Next(ctx, batch)) return false;
    auto const& names = batch->info.category_names;
    if (!AgreeOnTables(names, known_)) RenameCategories(JoinTables(known_, names), batch);
    return true;
  }

 private:
  CategoryNameTable const& known_;
  RowSource* source_;
};

/// The first batch with a text column starts a pass over all batches that collects the texts.
class JoinedTextSource : public RowSource {
 public:
  explicit JoinedTextSource(RowSource* source) : source_(source) {}
  void Restart() override {
    source_->Restart();
    n_batches_ = 0;
  }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (!source_->Next(ctx, batch)) return false;
    ++n_batches_;
    if (!is_collected_ && HasTexts(batch->info)) {
      *batch = {};
      Collect(ctx);
      source_->Restart();
      for (std::int64_t i = 0; i < n_batches_; ++i) {
        if (!source_->Next(ctx, batch)) return false;
      }
    }
    if (names_.empty()) return true;
    auto names = batch->info.category_names;
    TakeTexts(names_, &names);
    if (names != batch->info.category_names) RenameCategories(std::move(names), batch);
    return true;
  }

 private:
  static bool HasTexts(MetaInfo const& info) {
    return std::any_of(info.category_names.begin(), info.category_names.end(),
                       [](CategoryNames const& names) { return OriginOf(names) != NameOrigin::kDeclared; });
  }
  void Collect(Context const& ctx) {
    CollectedTexts texts;
    source_->Restart();
    for (RowBatch batch; source_->Next(ctx, &batch); batch = {}) {
      texts.Add(batch.info.category_names, batch.rows->NumRows());
    }
    names_ = texts.Names();
    is_collected_ = true;
  }

  RowSource* source_;
  CategoryNameTable names_;
  std::int64_t n_batches_ = 0;  ///< number of batches of this pass so far
  bool is_collected_ = false;
};

}  // namespace

std::unique_ptr<RowSource> WithJoinedTexts(RowSource* source) { return std::make_unique<JoinedTextSource>(source); }

std::unique_ptr<RowSource> InCategoriesOf(CategoryNameTable const& known, RowSource* source) {
  return known.empty() ? nullptr : std::make_unique<RecodedSource>(known, source);
}

// Numeric fields are digested as in a RowDigest: each value is mixed with its position, and the results are added up.
// The sum depends neither on the batches nor on the threads. It finds mistakes, not attacks. Names and types are
// stored.

namespace {

/// Digest of the values of one field, in the order of the rows.
struct Field {
  std::int64_t n_values = 0;
  std::uint64_t sum = 0;

  bool operator!=(Field const& other) const { return n_values != other.n_values || sum != other.sum; }
};

/// Adds the next n values. bits_of(i): the bits of the i-th of them.
template <typename Fn>
void AddValues(Context const& ctx, std::int64_t n, Fn&& bits_of, Field* field) {
  auto const first = field->n_values;
  field->sum += SumBlocks<std::uint64_t>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t sum = 0;
    for (auto i = begin; i < end; ++i) sum += RandomBits(bits_of(i), static_cast<std::uint64_t>(first + i));
    return sum;
  });
  field->n_values += n;
}

void AddFloats(Context const& ctx, std::vector<float> const& values, Field* field) {
  auto const bits_of = [&](std::int64_t i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof(bits));
    return std::uint64_t{bits};
  };
  AddValues(ctx, static_cast<std::int64_t>(values.size()), bits_of, field);
}

/// Fields with a value for each row.
struct RowField {
  char const* name;
  std::vector<float> MetaInfo::*member;
};
constexpr std::array<RowField, 5> kRowFields{{{"label", &MetaInfo::labels},
                                              {"weight", &MetaInfo::weights},
                                              {"base_margin", &MetaInfo::base_margin},
                                              {"label_lower_bound", &MetaInfo::label_lower_bound},
                                              {"label_upper_bound", &MetaInfo::label_upper_bound}}};

/// A field of the columns. All batches that have it agree on it, except for columns without a value.
template <typename T>
class SharedField {
 public:
  void Add(T const& value) {
    if (value.empty() || std::find(values_.begin(), values_.end(), value) != values_.end()) return;
    values_.push_back(value);
  }
  bool operator!=(SharedField const& other) const { return values_ != other.values_; }

 private:
  std::vector<T> values_;  ///< distinct, in the order of the batches; JoinInfo defines which may differ in a pass
};

/// The labels, weights, names and types of the batches of a pass.
class SaidOfRows {
 public:
  void Add(Context const& ctx, MetaInfo const& info) {
    if (info.n_rows == 0) return;
    if (n_rows_ == 0) n_targets_ = info.n_targets;
    for (std::size_t i = 0; i < kRowFields.size(); ++i) AddFloats(ctx, info.*kRowFields[i].member, &of_rows_[i]);
    AddGroups(info);
    AddGlobalRows(info);
    feature_weights_.Add(info.feature_weights);
    names_.Add(info.feature_names);
    types_.Add(info.feature_types);
    category_names_.Add(info.category_names);
    n_rows_ += info.n_rows;
  }

  /// Returns the first field in which this pass differs from an earlier one; null if there is none.
  char const* OtherThan(SaidOfRows const& first) const {
    if (n_targets_ != first.n_targets_) return kRowFields[0].name;
    for (std::size_t i = 0; i < kRowFields.size(); ++i) {
      if (of_rows_[i] != first.of_rows_[i]) return kRowFields[i].name;
    }
    if (groups_ != first.groups_) return "group (or qid)";
    if (global_rows_ != first.global_rows_) return "global_rows";
    if (feature_weights_ != first.feature_weights_) return "feature_weights";
    if (names_ != first.names_) return "feature_name";
    if (types_ != first.types_) return "feature_type";
    return category_names_ != first.category_names_ ? "list of names of categories" : nullptr;
  }

 private:
  void AddGroups(MetaInfo const& info) {
    for (std::size_t group = 1; group < info.group_ptr.size(); ++group) {
      auto const end = static_cast<std::uint64_t>(n_rows_ + info.group_ptr[group]);
      groups_.sum += RandomBits(end, static_cast<std::uint64_t>(groups_.n_values));
      ++groups_.n_values;
    }
  }

  void AddGlobalRows(MetaInfo const& info) {
    for (auto const& range : info.global_rows) {
      for (auto row = range.first; row < range.first + range.count; ++row) {
        global_rows_.sum +=
            RandomBits(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(global_rows_.n_values));
        ++global_rows_.n_values;
      }
    }
  }

  std::int64_t n_rows_ = 0;
  std::int64_t n_targets_ = 1;
  std::array<Field, kRowFields.size()> of_rows_;
  Field groups_;
  Field global_rows_;
  SharedField<std::vector<float>> feature_weights_;
  SharedField<std::vector<std::string>> names_;
  SharedField<std::vector<std::string>> types_;
  SharedField<CategoryNameTable> category_names_;
};

class SteadySource : public RowSource {
 public:
  explicit SteadySource(RowSource* source) : source_(source) {}

  void Restart() override {
    if (is_cut_short_ && n_batches_ > 0 && n_looked_at_ == 0) {
      first_look_ = this_pass_;
      n_looked_at_ = n_batches_;
    }
    this_pass_ = {};
    n_batches_ = 0;
    is_cut_short_ = true;
    source_->Restart();
  }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (source_->Next(ctx, batch)) {
      this_pass_.Add(ctx, batch->info);
      if (++n_batches_ == n_looked_at_) RequireSame(first_look_);
      return true;
    }
    is_cut_short_ = false;
    if (!first_pass_) {
      first_pass_ = this_pass_;
    } else {
      RequireSame(*first_pass_);
    }
    return false;
  }

 private:
  void RequireSame(SaidOfRows const& first) const {
    auto const* const field = this_pass_.OtherThan(first);
    if (field == nullptr) return;
    Fail(ErrorKind::kData, "a further pass over the batches gave another ", field,
         " than the first; an iterator must give the same rows each time, with the same labels, weights, names and ",
         "types. Draw random numbers once, or from a seed that reset sets again.");
  }

  RowSource* source_;
  SaidOfRows this_pass_;
  std::optional<SaidOfRows> first_pass_;  ///< the first pass that reached the end
  SaidOfRows first_look_;                 ///< the batches of an earlier pass that was cut short
  std::int64_t n_looked_at_ = 0;          ///< number of batches in first_look_
  std::int64_t n_batches_ = 0;            ///< number of batches of this pass so far
  bool is_cut_short_ = false;             ///< this pass has not reached the end
};

}  // namespace

std::unique_ptr<RowSource> SayingTheSame(RowSource* source) { return std::make_unique<SteadySource>(source); }

}  // namespace kauri

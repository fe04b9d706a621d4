#include "data/bins/bin_store_maker.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "data/bins/bin_file_writer.h"
#include "data/bins/row_digest.h"
#include "data/categories/categories.h"
#include "data/categories/category_names.h"
#include "data/chain.h"
#include "data/matrix_view.h"
#include "data/meta_info.h"
#include "data/row_parts.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kColumnBytes = 1 << 22;  // that are copied at once out of a part

/// Where the cuts come from.
struct CutPlan {
  int max_bin = kDefaultBins;
  QuantileCuts const* given = nullptr;
  MetaInfo const* like = nullptr;  ///< of the data that they come from
};

/// What the first pass finds out.
struct Summary {
  MetaInfo info;
  std::vector<FeatureCuts> features;  ///< with cuts unless they were given
  CategoryLists categories;
  bool has_sparse = false;  ///< some batch came as compressed rows
  std::optional<RowDigest> digest;

  std::int64_t NumEntries() const {
    std::int64_t n_entries = 0;
    for (auto const& feature : features) n_entries += feature.n_values;
    return n_entries;
  }
  BinShape Shape() const {
    BinShape shape;
    shape.n_rows = info.n_rows;
    shape.is_dense = !has_sparse || IsMostlyPresent(NumEntries(), info.n_rows, info.n_cols);
    for (auto const& feature : features) {
      if (shape.is_dense) shape.has_missing.push_back(feature.n_values < info.n_rows ? 1 : 0);
    }
    return shape;
  }
};

bool IsSparse(DataView const& rows) { return dynamic_cast<SparseView const*>(&rows) != nullptr; }

/// The weight of each row, that of its query where there are queries; empty where none are given.
std::vector<float> RowWeights(MetaInfo const& info) {
  CheckWeights(info);
  return info.group_ptr.empty() ? info.weights : CutWeights(info);
}

[[noreturn]] void FailWithoutBatch() { Fail(ErrorKind::kData, "there is no batch of rows; give at least one."); }

/// fn(batch) for all batches.
template <typename Fn>
void ForEachBatch(Context const& ctx, RowSource* source, Fn&& fn) {
  source->Restart();
  for (RowBatch batch; source->Next(ctx, &batch); batch = {}) fn(&batch);
}

bool HasOneBatch(Context const& ctx, RowSource* source) {
  source->Restart();
  RowBatch batch;
  if (!source->Next(ctx, &batch)) FailWithoutBatch();
  return !source->Next(ctx, &batch);
}

/// After the only batch.
void RequireEnd(Context const& ctx, RowSource* source) {
  RowBatch batch;
  if (!source->Next(ctx, &batch)) return;
  Fail(ErrorKind::kData,
       "another batch came where there was only one before; an iterator must give the same rows each ", "time.");
}

MetaInfo JoinBatches(std::vector<MetaInfo> const& infos) {
  std::vector<MetaInfo const*> parts;
  for (auto const& info : infos) {
    if (info.n_rows > 0) parts.push_back(&info);
  }
  if (parts.empty()) return infos.front();
  return parts.size() == 1 ? *parts.front() : JoinInfo(parts);
}

void MergeCategories(CategoryLists const& part, CategoryLists* all) {
  if (all->empty()) *all = CategoryLists(part.size());
  for (std::size_t feature = 0; feature < part.size(); ++feature) {
    std::vector<std::int32_t> merged;
    std::set_union(part[feature].begin(), part[feature].end(), (*all)[feature].begin(), (*all)[feature].end(),
                   std::back_inserter(merged));
    (*all)[feature] = std::move(merged);
  }
}

/// Takes the types of the columns from the first batch that has some. \throws Error(kData) where that is not the first
/// of all and has categories, which the sketches of those before took for numbers.
void KeepTypes(MetaInfo const& info, std::size_t n_batches_before, std::vector<std::string>* types) {
  if (!types->empty()) return;
  if (n_batches_before > 0 && HasCategorical(info)) {
    Fail(ErrorKind::kData, "feature_type: batch ", n_batches_before,
         " has categorical columns, but those before it have ", "no types; give every batch the same types.");
  }
  *types = info.feature_types;
}

/// The first pass over several batches.
Summary Summarise(Context const& ctx, RowSource* source, CutPlan const& plan, MemoryBudget const& budget) {
  Summary summary;
  std::vector<MetaInfo> infos;
  std::unique_ptr<FeatureSketches> sketches;
  std::unique_ptr<RowParts> parts;
  std::int64_t info_bytes = 0;
  auto const sketch = plan.given == nullptr ? std::optional<SketchKind>(SketchKind::kGk) : std::nullopt;
  std::vector<std::string> types;
  auto const take = [&](DataMatrix* part, Span<float const> weights) {
    part->MutableInfo()->feature_types = types;
    MergeCategories(FindCategories(ctx, *part), &summary.categories);
    sketches->Add(ctx, *part, weights);
    summary.digest->Add(ctx, *part);
    auto const part_bytes = part->NumRows() * part->NumCols() * 4;
    auto const copies = 2 * part_bytes + std::min(part_bytes, kColumnBytes);
    budget.Require(2 * info_bytes + static_cast<std::int64_t>(sketches->Bytes()) + copies,
                   "a sketch of the features, beside the labels,");
  };
  ForEachBatch(ctx, source, [&](RowBatch* batch) {
    auto const n_cols = batch->rows->NumCols();
    if (parts == nullptr) {
      sketches = std::make_unique<FeatureSketches>(n_cols, plan.max_bin, sketch);
      parts = std::make_unique<RowParts>(n_cols, take);
      summary.digest.emplace(n_cols);
    }
    KeepTypes(batch->info, infos.size(), &types);
    summary.has_sparse |= IsSparse(*batch->rows);
    info_bytes += BytesOf(batch->info);
    parts->Add(ctx, *batch->rows, RowWeights(batch->info));
    infos.push_back(std::move(batch->info));
  });
  if (infos.empty()) FailWithoutBatch();
  parts->Finish(ctx);
  summary.info = JoinBatches(infos);
  summary.features = sketches->Cut(ctx, summary.info.n_rows);
  return summary;
}

/// Fills a matrix in memory.
std::shared_ptr<BinMatrix> EncodeInMemory(Context const& ctx, RowSource* source, QuantileCuts cuts,
                                          Summary const& summary) {
  auto bins = std::make_shared<BinMatrix>(ctx, std::move(cuts), summary.Shape());
  RowDigest digest(summary.info.n_cols);
  ForEachBatch(ctx, source, [&](RowBatch* batch) {
    if (IsSparse(*batch->rows)) {
      auto const copy = DataMatrix::FromView(ctx, *batch->rows);  // sorts and checks
      bins->Append(ctx, *copy->View());
      return digest.Add(ctx, *copy);
    }
    DigestedRows const rows(*batch->rows, &digest);
    bins->Append(ctx, rows);
    rows.Finish();
  });
  bins->Finish(ctx);
  digest.RequireSame(*summary.digest);
  return bins;
}

/// How many values each feature has, and their bounds.
template <typename Rows>
std::vector<FeatureCuts> CountValues(Context const& ctx, Rows const& rows) {
  FeatureSketches counts(rows.NumCols(), kDefaultBins, std::nullopt);
  counts.Add(ctx, rows, {});
  return counts.Cut(ctx, rows.NumRows());
}

std::shared_ptr<BinMatrix> EncodeSparse(Context const& ctx, DataMatrix const& rows, CutPlan const& plan,
                                        Summary* summary) {
  auto const is_empty = [](auto const& categories) { return categories.empty(); };
  auto const has_categories = !std::all_of(summary->categories.begin(), summary->categories.end(), is_empty);
  auto const weights = CutWeights(summary->info);
  if (plan.given == nullptr && !has_categories) {
    summary->features = MakeExactCuts(ctx, rows, plan.max_bin, weights);
    return std::make_shared<BinMatrix>(ctx, rows, JoinCuts(summary->features, summary->categories));
  }
  CutOptions options;
  options.weights = weights;
  summary->features = CountValues(ctx, rows);
  auto cuts = plan.given == nullptr ? MakeQuantileCuts(ctx, rows, plan.max_bin, options) : *plan.given;
  return std::make_shared<BinMatrix>(ctx, rows, std::move(cuts));
}

std::shared_ptr<BinMatrix> EncodeDense(Context const& ctx, DenseRows const& rows, CutPlan const& plan,
                                       Summary* summary) {
  summary->features = plan.given == nullptr ? MakeExactCuts(ctx, rows, plan.max_bin, CutWeights(summary->info))
                                            : CountValues(ctx, rows);
  auto cuts = plan.given == nullptr ? JoinCuts(summary->features, summary->categories) : *plan.given;
  auto bins = std::make_shared<BinMatrix>(ctx, std::move(cuts), summary->Shape());
  bins->Append(ctx, *MakeRowsView(rows.values, rows.n_rows, rows.n_cols));
  bins->Finish(ctx);
  return bins;
}

/// Whether the columns of a batch are those that the cuts were made for.
void CheckColumns(CutPlan const& plan, MetaInfo const& info, std::int64_t n_cols) {
  if (plan.given == nullptr) return;
  if (plan.given->NumCols() != n_cols) {
    Fail(ErrorKind::kData, "the data have ", n_cols, " columns, but those of `ref` have ", plan.given->NumCols(),
         "; cuts can only be taken from data with the same features.");
  }
  for (std::size_t f = 0; f < info.feature_types.size(); ++f) {
    auto const is_theirs = IsCategorical(*plan.like, f);
    if (IsCategorical(info, f) == is_theirs) continue;
    auto const name = f < info.feature_names.size() ? " ('" + info.feature_names[f] + "')" : std::string();
    Fail(ErrorKind::kData, "column ", f, name, " has the type '", info.feature_types[f], "', but holds ",
         is_theirs ? "categories" : "numbers", " in the data of `ref`; give both the same types.");
  }
  auto const& theirs = plan.like->category_names;
  for (std::size_t f = 0; f < std::min(theirs.size(), info.category_names.size()); ++f) {
    if (AgreeOnNames(info.category_names[f], theirs[f])) continue;
    Fail(ErrorKind::kData, "column ", f, " has its categories in another order, or with other names, than in the data ",
         "of `ref`. Give both the same list of categories.");
  }
}

/// The only batch, whose values are at hand all at once. *summary receives what the first pass would.
std::shared_ptr<BinMatrix> EncodeOnlyBatch(Context const& ctx, RowSource* source, CutPlan const& plan,
                                           Summary* summary) {
  RowBatch batch;
  source->Restart();
  if (!source->Next(ctx, &batch)) FailWithoutBatch();
  summary->info = std::move(batch.info);
  auto const n_cols = batch.rows->NumCols();
  CheckColumns(plan, summary->info, n_cols);
  auto const* values = batch.rows->DenseRows();
  if (values != nullptr && !HasCategorical(summary->info)) {
    return EncodeDense(ctx, {values, batch.rows->NumRows(), n_cols}, plan, summary);
  }
  auto const copy = DataMatrix::FromView(ctx, *batch.rows);
  copy->MutableInfo()->feature_types = summary->info.feature_types;
  summary->categories = FindCategories(ctx, *copy);
  if (copy->IsDense()) return EncodeDense(ctx, {copy->Dense().values.data(), copy->NumRows(), n_cols}, plan, summary);
  summary->has_sparse = true;
  return EncodeSparse(ctx, *copy, plan, summary);
}

std::shared_ptr<BinStore const> EncodeInFile(Context const& ctx, RowSource* source, QuantileCuts cuts,
                                             Summary const& summary, BinStoreOptions const& options, int max_bin) {
  auto shape = summary.Shape();
  shape.n_rows = 0;
  shape.by_column = false;
  BinFileWriter writer({ctx, std::move(cuts), shape}, summary.info.n_rows, summary.NumEntries(), options.file_prefix);
  RowDigest digest(summary.info.n_cols);
  RowParts parts(summary.info.n_cols, [&](DataMatrix* part, Span<float const>) {
    writer.Write(ctx, *part);
    digest.Add(ctx, *part);
  });
  ForEachBatch(ctx, source, [&](RowBatch* batch) { parts.Add(ctx, *batch->rows, {}); });
  parts.Finish(ctx);
  auto store = writer.Finish(max_bin, options.budget);
  digest.RequireSame(*summary.digest);
  return store;
}

CutPlan PlanCuts(Context const& ctx, BinStoreOptions const& options, QuantileCuts* made) {
  CutPlan plan;
  plan.max_bin = options.max_bin.value_or(kDefaultBins);
  RequireMaxBin(plan.max_bin);
  if (options.like == nullptr) return plan;
  plan.like = &options.like->Info();
  if (auto const bins = BinsOf(*options.like)) {
    if (options.max_bin && plan.max_bin != bins->MaxBin()) {
      Fail(ErrorKind::kParameter, "max_bin=", plan.max_bin,
           ", but the data of `ref` have bins of max_bin=", bins->MaxBin(),
           "; both must be the same. Leave max_bin out to take that of ref.");
    }
    plan.max_bin = bins->MaxBin();
    plan.given = &bins->Layout().Cuts();
    return plan;
  }
  CutOptions cut;
  auto const weights = CutWeights(options.like->Info());
  cut.weights = weights;
  *made = MakeQuantileCuts(ctx, *options.like, plan.max_bin, cut);
  plan.given = made;
  return plan;
}

}  // namespace

void RequireMaxBin(int max_bin) {
  constexpr int kMostBins = 65535;
  if (max_bin >= 2 && max_bin <= kMostBins) return;
  Fail(ErrorKind::kParameter, "max_bin=", max_bin, " is out of range; expected 2 to ", kMostBins, ".");
}

std::unique_ptr<DataMatrix> MakeBinnedMatrix(Context const& ctx, RowSource* source, BinStoreOptions const& options) {
  QuantileCuts made;
  auto const plan = PlanCuts(ctx, options, &made);
  Summary summary;
  std::shared_ptr<BinStore const> store;
  if (!options.in_file && HasOneBatch(ctx, source)) {
    store = std::make_shared<BinStore const>(EncodeOnlyBatch(ctx, source, plan, &summary), plan.max_bin);
    RequireEnd(ctx, source);
  } else {
    summary = Summarise(ctx, source, plan, options.budget);
    CheckColumns(plan, summary.info, summary.info.n_cols);
    auto cuts = plan.given == nullptr ? JoinCuts(summary.features, summary.categories) : *plan.given;
    if (options.in_file) {
      ReturnFreeMemory();  // what the sketches held is not to be counted with what training takes
      store = EncodeInFile(ctx, source, std::move(cuts), summary, options, plan.max_bin);
    } else {
      store = std::make_shared<BinStore const>(EncodeInMemory(ctx, source, std::move(cuts), summary), plan.max_bin);
    }
  }
  source->Restart();
  ValidateInfo(summary.info);
  auto matrix = DataMatrix::FromStore(std::move(store), summary.info.n_rows, summary.info.n_cols, summary.NumEntries());
  *matrix->MutableInfo() = std::move(summary.info);
  return matrix;
}

}  // namespace kauri

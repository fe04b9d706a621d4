#include "data/bins/bin_store_maker.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "collective/checked_collective.h"
#include "common/platform/memory.h"
#include "data/arrays/value_rules.h"
#include "data/batches/chain.h"
#include "data/batches/concatenate.h"
#include "data/batches/row_source.h"
#include "data/bins/bin_file_writer.h"
#include "data/bins/bin_store.h"
#include "data/bins/first_pass.h"
#include "data/bins/wrapped_sources.h"
#include "data/categories/categories.h"
#include "data/column_names.h"
#include "data/matrix_view.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Facts known after reading the first two batches.
struct FirstLook {
  bool is_one_batch;
  bool is_on_device;
};

FirstLook LookAt(Context const& ctx, RowSource* source) {
  source->Restart();
  RowBatch batch;
  if (!source->Next(ctx, &batch)) FailWithoutBatch();
  auto const is_on_device = batch.rows->OnDevice() != nullptr;
  return {!source->Next(ctx, &batch), is_on_device};
}

/// Requires that the source ends after its only batch.
void RequireEnd(Context const& ctx, RowSource* source) {
  RowBatch batch;
  if (!source->Next(ctx, &batch)) return;
  Fail(ErrorKind::kData,
       "the iterator gave more than the one batch that was expected; an iterator must give the same rows each "
       "time.");
}

/// Fills a matrix in memory in a second pass over the batches.
std::shared_ptr<BinMatrix> EncodeInMemory(Context const& ctx, RowSource* source, QuantileCuts cuts,
                                          BatchSummary const& summary) {
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

/// Returns the number of values of each feature, and their bounds.
template <typename Rows>
std::vector<FeatureCuts> CountValues(Context const& ctx, Rows const& rows) {
  FeatureSketches counts(rows.NumCols(), kDefaultBins);
  counts.Add(ctx, rows, {});
  return counts.Cut(ctx, rows.NumRows());
}

std::shared_ptr<BinMatrix> EncodeSparse(Context const& ctx, DataMatrix const& rows, CutPlan const& plan,
                                        BatchSummary* summary) {
  auto const is_empty = [](auto const& categories) { return categories.empty(); };
  auto const has_categories = !std::all_of(summary->categories.begin(), summary->categories.end(), is_empty);
  auto const weights = CutWeights(ctx, summary->info);
  if (plan.given == nullptr && !has_categories) {
    summary->features = MakeExactCuts(ctx, rows, plan.max_bin, weights);
    summary->JoinRanks(ctx);
    return std::make_shared<BinMatrix>(ctx, rows, JoinCuts(summary->features, summary->categories));
  }
  CutOptions options;
  options.weights = weights;
  summary->features = CountValues(ctx, rows);
  summary->JoinRanks(ctx);
  auto cuts = plan.given == nullptr ? MakeQuantileCuts(ctx, rows, plan.max_bin, options)
                                    : WithFirstValuesOf(summary->features, *plan.given);
  return std::make_shared<BinMatrix>(ctx, rows, std::move(cuts));
}

std::shared_ptr<BinMatrix> EncodeDenseRows(Context const& ctx, DenseRows const& rows, CutPlan const& plan,
                                           BatchSummary* summary) {
  summary->features = plan.given == nullptr ? MakeExactCuts(ctx, rows, plan.max_bin, CutWeights(ctx, summary->info))
                                            : CountValues(ctx, rows);
  summary->JoinRanks(ctx);
  auto cuts = plan.given == nullptr ? JoinCuts(summary->features, summary->categories)
                                    : WithFirstValuesOf(summary->features, *plan.given);
  auto bins = std::make_shared<BinMatrix>(ctx, std::move(cuts), summary->Shape());
  bins->Append(ctx, *MakeRowsView(rows.values, rows.n_rows, rows.n_cols));
  bins->Finish(ctx);
  return bins;
}

/// Checks that the columns of a batch are the columns that the cuts were made for.
void CheckColumns(CutPlan const& plan, MetaInfo const& info, std::int64_t n_cols) {
  if (n_cols == 0 && info.n_rows > 0) Fail(ErrorKind::kData, "the data have ", info.n_rows, " rows but no columns.");
  if (plan.given == nullptr) return;
  if (plan.given->NumCols() != n_cols) {
    Fail(ErrorKind::kData, "the data have ", n_cols, " columns, but `ref` has ", plan.given->NumCols(),
         "; cuts can only be taken from data with the same features.");
  }
  if (!info.feature_names.empty() && !plan.like->feature_names.empty()) {
    RequireColumnNames(info.feature_names, {plan.like->feature_names, "`ref`"}, {});
  }
  for (std::size_t f = 0; f < info.feature_types.size(); ++f) {
    auto const is_theirs = IsCategorical(*plan.like, f);
    if (IsCategorical(info, f) == is_theirs) continue;
    auto const name = f < info.feature_names.size() ? " ('" + info.feature_names[f] + "')" : std::string();
    Fail(ErrorKind::kData, "column ", f, name, " has the type '", info.feature_types[f], "', but holds ",
         is_theirs ? "categories" : "numbers", " in the data of `ref`; give both the same types.");
  }
}

/// Gives columns without a value the type that they have in the data of `ref`. values_of(): see ColumnsWithValues; it
/// is called only if types differ.
template <typename Fn>
void TakeTypesOfRef(CutPlan const& plan, Fn&& values_of, MetaInfo* info) {
  if (plan.like == nullptr || info->feature_types.size() != plan.like->feature_types.size()) return;
  if (info->feature_types == plan.like->feature_types) return;
  ColumnFlags const has_value = values_of();
  for (std::size_t f = 0; f < info->feature_types.size(); ++f) {
    if (has_value[f] == 0) info->feature_types[f] = plan.like->feature_types[f];
  }
}

/// Refuses infinite values of host rows, which are among the bounds of the columns that a device has found. So the rows
/// need no pass of their own: 1.1 GB take 18 ms to read.
void RequireFinite(std::vector<FeatureCuts> const& features, DeviceBatches const& rows) {
  for (auto const& feature : features) {
    if (feature.n_values == 0 || (std::isfinite(feature.min) && std::isfinite(feature.max))) continue;
    FailAtInfinite(rows.host_rows, 0, rows.n_rows, rows.n_cols);
  }
}

/// Lets the device make the codes of rows in its memory. Returns null if the device leaves the work to the host.
std::shared_ptr<BinStore const> EncodeOnDevice(Context const& ctx, DeviceBinMaker const& make,
                                               DeviceBatches const& rows, CutPlan const& plan, BatchSummary* summary) {
  auto const weights = plan.given == nullptr ? CutWeights(ctx, summary->info) : std::vector<float>();
  auto coded = make(ctx, rows, {plan.max_bin, plan.given, weights});
  if (rows.host_rows != nullptr) RequireFinite(coded.features, rows);
  if (coded.codes == nullptr) return nullptr;
  summary->features = std::move(coded.features);
  summary->JoinRanks(ctx);
  BinsOnDevice on_device{summary->Shape(), std::move(coded.codes), ctx.threads};
  auto cuts =
      plan.given == nullptr ? JoinCuts(summary->features, {}) : WithFirstValuesOf(summary->features, *plan.given);
  return std::make_shared<BinStore const>(std::move(cuts), std::move(on_device), plan.max_bin);
}

std::shared_ptr<BinMatrix> EncodeOnHost(Context const& ctx, DataView const& rows, CutPlan const& plan,
                                        BatchSummary* summary) {
  auto const n_cols = rows.NumCols();
  auto const* values = rows.DenseRows();
  if (values != nullptr && !HasCategorical(summary->info)) {
    return EncodeDenseRows(ctx, {values, rows.NumRows(), n_cols}, plan, summary);
  }
  auto const copy = DataMatrix::FromView(ctx, rows);
  copy->MutableInfo()->feature_types = summary->info.feature_types;
  summary->categories = FindCategories(ctx, *copy);
  if (copy->IsDense())
    return EncodeDenseRows(ctx, {copy->Dense().values.data(), copy->NumRows(), n_cols}, plan, summary);
  summary->has_sparse = true;
  return EncodeSparse(ctx, *copy, plan, summary);
}

/// Minimum number of values that a device encodes. The host encodes fewer before the device would have begun.
constexpr std::int64_t kFewValues = 1 << 17;

/// Lets a device encode rows of the host. Returns null if the host has to.
std::shared_ptr<BinStore const> SendToDevice(Context const& ctx, DataView const& view, BinStoreOptions const& options,
                                             CutPlan const& plan, BatchSummary* summary) {
  if (!options.device.has_value() || IsSparse(view) || view.NumRows() * view.NumCols() < kFewValues) return nullptr;
  auto const copy = view.DenseRows() == nullptr ? DataMatrix::FromView(ctx, view) : nullptr;
  DeviceBatches rows;
  rows.n_rows = view.NumRows();
  rows.n_cols = view.NumCols();
  rows.device = *options.device;
  rows.host_rows = copy != nullptr ? copy->Dense().values.data() : view.DenseRows();
  return EncodeOnDevice(ctx, options.make_on_device, rows, plan, summary);
}

std::shared_ptr<BinStore const> EncodeWhereItIs(Context const& ctx, RowBatch const& batch,
                                                BinStoreOptions const& options, CutPlan const& plan,
                                                BatchSummary* summary) {
  auto const& view = *batch.rows;
  auto const* const rows = view.OnDevice();
  auto const& on_device = options.make_on_device;
  if (on_device != nullptr && !HasCategorical(summary->info)) {
    auto store = rows != nullptr ? EncodeOnDevice(ctx, on_device, DeviceBatches::Of(*rows), plan, summary)
                                 : SendToDevice(ctx, view, options, plan, summary);
    if (store != nullptr) return store;
  }
  auto const* const values = batch.may_be_infinite ? view.DenseRows() : nullptr;  // rows that are copied are searched
  if (values != nullptr) CountFinite(ctx, values, view.NumRows(), view.NumCols());
  return std::make_shared<BinStore const>(EncodeOnHost(ctx, view, plan, summary), plan.max_bin);
}

/// Encodes the only batch, whose values are available all at once; its labels may still be pending. Sets *summary to
/// the result that the first pass would give.
std::shared_ptr<BinStore const> EncodeOnlyBatch(Context const& ctx, RowSource* source, BinStoreOptions const& options,
                                                CutPlan const& plan, BatchSummary* summary) {
  RowBatch batch;
  source->Restart();
  if (!source->Next(ctx, &batch)) FailWithoutBatch();
  summary->info = std::move(batch.info);
  TakeTypesOfRef(
      plan, [&] { return ColumnsWithValues(*batch.rows); }, &summary->info);
  CheckColumns(plan, summary->info, batch.rows->NumCols());
  auto store = EncodeWhereItIs(ctx, batch, options, plan, summary);
  if (batch.finish_info) batch.finish_info(&summary->info);
  return store;
}

/// Reads the metadata of all batches and counts their rows. Returns false unless all batches are numbers in the memory
/// of one device.
bool TakeInfos(Context const& ctx, RowSource* source, DeviceBatches* all, std::vector<MetaInfo>* infos) {
  source->Restart();
  for (RowBatch batch; source->Next(ctx, &batch); batch = {}) {
    auto const* const rows = batch.rows->OnDevice();
    if (rows == nullptr || HasCategorical(batch.info)) return false;
    auto const of_batch = DeviceBatches::Of(*rows);
    if (infos->empty()) {
      all->device = of_batch.device;
      all->n_cols = of_batch.n_cols;
    }
    if (of_batch.device != all->device || of_batch.n_cols != all->n_cols) return false;
    all->n_rows += of_batch.n_rows;
    infos->push_back(std::move(batch.info));
  }
  return !infos->empty();
}

/// Encodes several batches on a device and sets *summary as the first pass would. Returns null if the host has to make
/// the codes; the host's first pass reports invalid batches, too.
std::shared_ptr<BinStore const> EncodeBatchesOnDevice(Context const& ctx, RowSource* source, DeviceBinMaker const& make,
                                                      CutPlan const& plan, BatchSummary* summary) {
  DeviceBatches all;
  std::vector<MetaInfo> infos;
  if (!TakeInfos(ctx, source, &all, &infos)) return nullptr;
  summary->info = JoinBatches(infos);
  infos.clear();
  CheckColumns(plan, summary->info, all.n_cols);
  all.for_each = [&](DeviceBatches::Read const& read) {
    ForEachBatch(ctx, source, [&](RowBatch* batch) {
      if (batch->rows->OnDevice() == nullptr) FailOtherRows();
      read(*batch->rows->OnDevice());
    });
  };
  auto store = EncodeOnDevice(ctx, make, all, plan, summary);
  if (store == nullptr) *summary = {};
  return store;
}

std::shared_ptr<BinStore const> EncodeInFile(Context const& ctx, RowSource* source, QuantileCuts cuts,
                                             BatchSummary const& summary, BinStoreOptions const& options, int max_bin) {
  auto shape = summary.Shape();
  shape.n_rows = 0;
  shape.by_column = false;
  BinFileWriter writer({ctx, std::move(cuts), shape}, summary.info.n_rows, summary.n_entries, options.file_prefix);
  RowDigest digest(summary.info.n_cols);
  RowParts parts(summary.info.n_cols, [&](DataMatrix* part, Span<float const>) {
    writer.Write(ctx, *part);
    digest.Add(ctx, *part);
  });
  ForEachBatch(ctx, source, [&](RowBatch* batch) { parts.Add(ctx, *batch->rows, {}); });
  parts.Finish(ctx);
  auto store = writer.Finish(options, max_bin);
  digest.RequireSame(*summary.digest);
  return store;
}

/// Encodes batches of any kind on the host: one or more passes for the cuts, and one for the codes.
std::shared_ptr<BinStore const> EncodeInPasses(Context const& ctx, RowSource* source, CutPlan const& plan,
                                               BinStoreOptions const& options, BatchSummary* summary) {
  *summary = SummariseBatches(ctx, source, plan);
  auto const values_of = [&] {
    ColumnFlags has_value;
    for (auto const& feature : summary->features) has_value.push_back(feature.n_values > 0 ? 1 : 0);
    return has_value;
  };
  TakeTypesOfRef(plan, values_of, &summary->info);
  CheckColumns(plan, summary->info, summary->info.n_cols);
  auto cuts = plan.given == nullptr ? JoinCuts(summary->features, summary->categories)
                                    : WithFirstValuesOf(summary->features, *plan.given);
  if (!options.in_file) {
    return std::make_shared<BinStore const>(EncodeInMemory(ctx, source, std::move(cuts), *summary), plan.max_bin);
  }
  platform::ReturnFreeMemory();  // memory of the sketches must not count towards training
  return EncodeInFile(ctx, source, std::move(cuts), *summary, options, plan.max_bin);
}

/// Requires that all ranks that make one matrix use the same options.
void RequireSameOptions(Context const& ctx, BinStoreOptions const& options) {
  auto const* const ref = options.like == nullptr ? "none" : BinsOf(*options.like) == nullptr ? "values" : "bins";
  auto const max_bin = options.max_bin ? std::to_string(*options.max_bin) : "default";
  auto const* const place = options.in_file ? "a file" : "memory";
  RequireSameOnRanks(ctx, "what the matrix of bins is made with",
                     "max_bin=" + max_bin + ", ref=" + ref + ", bins in " + place);
}

CutPlan PlanCuts(Context const& ctx, BinStoreOptions const& options, QuantileCuts* made) {
  CutPlan plan;
  plan.in_file = options.in_file;
  plan.budget = options.budget;
  plan.kept_bytes = options.kept_bytes;
  plan.max_bin = options.max_bin.value_or(kDefaultBins);
  RequireMaxBin(plan.max_bin);
  if (options.like == nullptr) return plan;
  plan.like = &options.like->Info();
  if (auto const bins = BinsOf(*options.like)) {
    if (options.max_bin && plan.max_bin != bins->MaxBin()) {
      Fail(ErrorKind::kParameter, "max_bin=", plan.max_bin,
           ", but the data of `ref` have bins of max_bin=", bins->MaxBin(),
           "; both must be the same. Leave max_bin out to use the max_bin of ref. (`max_bin` must be consistent.)");
    }
    plan.max_bin = bins->MaxBin();
    plan.given = &bins->Cuts();
    return plan;
  }
  CutOptions cut;
  auto const weights = CutWeights(ctx, options.like->Info());
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

std::unique_ptr<DataMatrix> MakeBinnedMatrix(Context const& ctx, RowSource* given, BinStoreOptions const& options) {
  auto const in_memory = !options.in_file && !IsDistributed(ctx);
  auto const is_one_pass = in_memory && options.is_one_batch;
  auto const steady = is_one_pass ? nullptr : SayingTheSame(given);
  auto* source = is_one_pass ? given : steady.get();
  auto const joined = is_one_pass ? nullptr : WithJoinedTexts(source);
  if (joined != nullptr) source = joined.get();
  auto const recoded = options.like == nullptr ? nullptr : InCategoriesOf(options.like->Info().category_names, source);
  if (recoded != nullptr) source = recoded.get();
  QuantileCuts made;
  RequireSameOptions(ctx, options);
  auto const plan = PlanCuts(ctx, options, &made);
  BatchSummary summary;
  std::shared_ptr<BinStore const> store;
  FirstLook look{is_one_pass, false};
  if (in_memory && !look.is_one_batch) look = LookAt(ctx, source);
  if (look.is_on_device && !look.is_one_batch && options.make_on_device != nullptr && !plan.budget.IsLimited()) {
    store = EncodeBatchesOnDevice(ctx, source, options.make_on_device, plan, &summary);
  }
  if (look.is_one_batch) {
    store = EncodeOnlyBatch(ctx, source, options, plan, &summary);
    RequireEnd(ctx, source);
  } else if (store == nullptr) {
    store = EncodeInPasses(ctx, source, plan, options, &summary);
  }
  source->Restart();
  ValidateNewInfo(summary.info);
  auto matrix = DataMatrix::FromStore(std::move(store), summary.info.n_rows, summary.info.n_cols, summary.n_entries);
  *matrix->MutableInfo() = std::move(summary.info);
  return matrix;
}

}  // namespace kauri

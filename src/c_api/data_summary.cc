/// Summarises the columns of a matrix, or of batches.
#include <limits>
#include <string>
#include <utility>

#include "c_api/data_create.h"
#include "c_api/guard.h"
#include "common/text/quoted.h"
#include "data/sketch/cut_weights.h"
#include "data/summary/column_summary.h"
#include "kauri/parameter.h"
#include "kauri/registry.h"
#include "kauri/tree_param.h"

namespace kauri::c_api {
namespace {

int DensityOf(JsonConfig const& config) {
  auto const name = config.IsGiven("sketch_density") ? config.Text("sketch_density") : "max_entropy";
  if (name == "max_entropy") return TreeParam::kMaxEntropy;
  if (name == "legendre") return TreeParam::kLegendre;
  if (name == "cosine") return TreeParam::kCosine;
  Fail(ErrorKind::kParameter, "sketch_density is ", Quoted(name), "; expected max_entropy or legendre.");
}

/// Returns a non-negative integer that fits into int. A value beyond int is also beyond the parameter's bounds.
int SmallIntegerOr(JsonConfig const& config, char const* key, int otherwise) {
  auto const value = config.IntegerOr(key, otherwise);
  if (value >= 0 && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  Fail(ErrorKind::kParameter, key, " is ", value, "; expected a count.");
}

/// Returns the sketch and its parameters. \throws Error(kParameter) for sizes and orders that no sketch has.
SketchChoice SketchOf(JsonConfig const& config) {
  auto const& sketches = GetRegistries().sketches;
  auto const name = config.IsGiven("sketch") ? config.Text("sketch") : "exact";
  auto const* const entry = sketches.TryFind(name);
  if (entry == nullptr && name != "exact") {
    Fail(ErrorKind::kParameter, "sketch is ", Quoted(name), "; expected exact, gk, kll or moments.");
  }
  auto param = ParseParameters<TreeParam>({});
  param.sketch_size = SmallIntegerOr(config, "sketch_size", param.sketch_size);
  param.sketch_order = SmallIntegerOr(config, "sketch_order", param.sketch_order);
  param.sketch_density = DensityOf(config);
  if (param.sketch_size == 1) {
    Fail(ErrorKind::kParameter, "sketch_size=", param.sketch_size, "; expected 2 or more, or 0 for the default.");
  }
  if (param.sketch_order < 2 || param.sketch_order > kMaxMoment) {
    Fail(ErrorKind::kParameter, "sketch_order=", param.sketch_order, "; expected 2 to ", kMaxMoment, ".");
  }
  return entry == nullptr ? nullptr : entry->make(param);
}

SummaryOptions SummaryOptionsOf(JsonConfig const& config) {
  SummaryOptions options;
  options.quantiles = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  if (config.IsGiven("quantiles")) options.quantiles = config.Numbers("quantiles");
  options.sketch = SketchOf(config);
  return options;
}

/// The caller's pointers for a summary.
struct SummaryOut {
  bst_ulong const** shape;
  bst_ulong* dim;
  double const** result;
};

SummaryOut CheckedSummary(bst_ulong const** shape, bst_ulong* dim, double const** result) {
  return {NotNull(shape, "out_shape"), NotNull(dim, "out_dim"), NotNull(result, "out_result")};
}

void ReturnSummaries(Context const& ctx, ColumnSummaries* summaries, ReturnBuffers* buffers, SummaryOut const& out) {
  auto const n_cols = static_cast<bst_ulong>(summaries->NumCols());
  auto const n_fields = static_cast<bst_ulong>(summaries->NumFields());
  buffers->doubles = summaries->Finish(ctx);
  buffers->shape = {n_cols, n_fields};
  *out.shape = buffers->shape.data();
  *out.dim = buffers->shape.size();
  *out.result = buffers->doubles.data();
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriSummarizeColumns(DMatrixHandle handle, char const* config, bst_ulong const** out_shape, bst_ulong* out_dim,
                          double const** out_result) {
  return Guard([&] {
    auto const out = CheckedSummary(out_shape, out_dim, out_result);
    JsonConfig const settings(config, "KauriSummarizeColumns");
    DataRead const matrix(handle);
    matrix->data->RequireValues("a summary of columns");
    auto const ctx = MakeContext(settings.IntegerOr("nthread", 0));
    kauri::ColumnSummaries summaries(SummaryOptionsOf(settings));
    summaries.Add(ctx, *matrix->data->View(), kauri::WeightPerRow(matrix->Info()));
    ReturnSummaries(ctx, &summaries, &matrix->Buffers(), out);
  });
}

int KauriSummarizeBatches(DataIterHandle iter, DMatrixHandle proxy, DataIterResetCallback* reset,
                          XGDMatrixCallbackNext* next, char const* config, bst_ulong const** out_shape,
                          bst_ulong* out_dim, double const** out_result) {
  return Guard([&] {
    auto const out = CheckedSummary(out_shape, out_dim, out_result);
    JsonConfig const document(config, "KauriSummarizeBatches");
    CreateConfig const settings(document);
    kauri::ColumnSummaries summaries(SummaryOptionsOf(document));
    auto const iterator = IteratorOf(iter, proxy, reset, next);
    HandleUse const use(iterator.proxy);
    auto const source = SourceOf(iterator, settings.missing, false);
    source->Restart();
    for (kauri::RowBatch batch; source->Next(settings.ctx, &batch); batch = kauri::RowBatch()) {
      summaries.Add(settings.ctx, *batch.rows, kauri::WeightPerRow(batch.info));
    }
    source->Restart();
    ReturnSummaries(settings.ctx, &summaries, &iterator.proxy->Buffers(), out);
  });
}

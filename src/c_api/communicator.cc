#include "c_api/communicator.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "booster/config/group.h"
#include "c_api/handles.h"
#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "common/threads/per_thread.h"
#include "data/sketch/group_columns.h"
#include "kauri/error.h"

namespace kauri::c_api {
namespace {

PerThread<std::shared_ptr<SocketGroup>> g_groups;

/// The rows and columns that a rank has of one matrix.
struct RankSize {
  std::int64_t n_rows;
  std::int64_t n_cols;
};

/// A matrix whose rows have no numbers in the group yet.
struct Unnumbered {
  DataHandle* handle;
  std::shared_ptr<DataMatrix> data;
};

/// Who has numbered the rows of a matrix on one rank, if anybody has.
enum class RowNumbers : std::uint8_t { kByCaller, kOfGroup, kMissing };

RowNumbers NumbersOf(std::shared_ptr<Collective> const& group, DataHandle const& matrix) {
  auto const& rows = matrix.data->Info().global_rows;
  if (matrix.group.lock() == group) return RowNumbers::kOfGroup;
  return rows.empty() || rows == matrix.rows_in_group ? RowNumbers::kMissing : RowNumbers::kByCaller;
}

/// Returns, for each matrix of the call, whether any rank has no numbers for its rows.
std::vector<bool> FindMissing(Context const& ctx, std::vector<RowNumbers> const& mine) {
  std::vector<bool> is_missing(mine.size());
  auto const all = GatherOverRanks(ctx, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].size() != mine.size()) {
      Fail(ErrorKind::kCollective, "rank ", rank, " of the group uses ", all[rank].size(),
           " matrices in this call, rank ", ctx.collective->Rank(), " ", mine.size(),
           "; all ranks must make the same calls with the same number of matrices.");
    }
    for (std::size_t i = 0; i < mine.size(); ++i) is_missing[i] = is_missing[i] || all[rank][i] == RowNumbers::kMissing;
  }
  return is_missing;
}

/// Returns the matrices that all ranks number: those that are new on any of them.
std::vector<Unnumbered> FindUnnumbered(Context const& ctx, std::shared_ptr<Collective> const& group,
                                       Span<DMatrixHandle const> matrices) {
  std::vector<RowNumbers> mine;
  std::vector<Unnumbered> given;
  for (auto* const handle : matrices) {
    DataRead const matrix(handle);
    mine.push_back(NumbersOf(group, *matrix));
    given.push_back({&*matrix, matrix->data});
  }
  auto const is_missing = FindMissing(ctx, mine);
  std::vector<Unnumbered> found;
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto const is_seen =
        std::any_of(found.begin(), found.end(), [&](auto const& one) { return one.handle == given[i].handle; });
    if (is_missing[i] && mine[i] != RowNumbers::kByCaller && !is_seen) found.push_back(given[i]);
  }
  return found;
}

/// Returns the sizes of the matrices on all ranks: [rank][matrix].
std::vector<std::vector<RankSize>> GatherSizes(Context const& ctx, std::vector<Unnumbered> const& matrices) {
  std::vector<RankSize> mine;
  for (auto const& matrix : matrices) mine.push_back({matrix.data->NumRows(), matrix.data->NumCols()});
  auto all = GatherOverRanks(ctx, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    auto const is_good = [](RankSize const& size) {
      return size.n_rows >= 0 && size.n_cols >= 0 && size.n_rows <= kMostGlobalRows;
    };
    if (all[rank].size() == mine.size() && std::all_of(all[rank].begin(), all[rank].end(), is_good)) continue;
    Fail(ErrorKind::kCollective, "rank ", rank, " of the group uses ", all[rank].size(),
         " new matrices in this call, rank ", ctx.collective->Rank(), " ", mine.size(),
         "; all ranks must make the same calls with the same number of matrices.");
  }
  return all;
}

/// Returns a copy of the matrix with more columns, whose values are missing.
std::shared_ptr<DataMatrix> Widened(DataMatrix const& data, std::int64_t n_cols) {
  std::shared_ptr<DataMatrix> wide;
  if (data.IsDense() || data.Store() != nullptr) {
    DenseStorage rows;
    rows.values.resize(ToSize(data.NumRows() * n_cols));
    if (data.NumRows() > 0) data.View()->CopyRows(0, data.NumRows(), n_cols, rows.values.data());
    wide = DataMatrix::FromDense(std::move(rows), data.NumRows(), n_cols);
  } else {
    wide = DataMatrix::FromCsr(data.Csr(), n_cols);
  }
  *wide->MutableInfo() = data.Info();
  wide->MutableInfo()->n_cols = n_cols;
  return wide;
}

void CopyColumns(MetaInfo const& from, std::int64_t n_cols, MetaInfo* info) {
  info->n_cols = n_cols;
  info->feature_names = from.feature_names;
  info->feature_types = from.feature_types;
  info->category_names = from.category_names;
}

/// Gives one matrix the columns and the row numbers of the group. sizes: [rank].
void Number(Context const& ctx, std::shared_ptr<Collective> const& group, std::vector<RankSize> const& sizes,
            Unnumbered* matrix) {
  std::int64_t first = 0;
  std::int64_t n_cols = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    if (static_cast<int>(rank) < ctx.collective->Rank()) first += sizes[rank].n_rows;
    n_cols = std::max(n_cols, sizes[rank].n_cols);
  }
  auto const n_rows = matrix->data->NumRows();
  auto columns = matrix->data->Info();
  TakeColumnTextsOfGroup(ctx, n_rows, &columns);
  auto data = matrix->data->NumCols() == n_cols ? matrix->data : Widened(*matrix->data, n_cols);
  DataOrProxyChange const change(matrix->handle);
  auto* const info = data->MutableInfo();
  if (n_rows == 0) CopyColumns(columns, n_cols, info);
  info->global_rows.clear();
  if (n_rows > 0) info->global_rows.push_back({first, n_rows});
  change->data = std::move(data);
  change->group = group;
  change->rows_in_group = info->global_rows;
}

void NumberRows(std::shared_ptr<SocketGroup> const& group, Span<DMatrixHandle const> matrices) {
  Context ctx;
  ctx.collective = group.get();
  InGroup(ctx, [&] {
    auto unnumbered = FindUnnumbered(ctx, group, matrices);
    if (unnumbered.empty()) return;
    auto const all = GatherSizes(ctx, unnumbered);
    for (std::size_t i = 0; i < unnumbered.size(); ++i) {
      std::vector<RankSize> sizes;
      for (auto const& of_rank : all) sizes.push_back(of_rank[i]);
      Number(ctx, group, sizes, &unnumbered[i]);
    }
  });
}

/// Gives batches without rows the columns of other ranks.
class CompletedSource : public RowSource {
 public:
  /// columns: description of the columns of the ranks with rows.
  CompletedSource(RowSource* source, std::int64_t n_cols, MetaInfo columns)
      : source_(source), empty_(DataMatrix::FromDense({}, 0, n_cols)), columns_(std::move(columns)) {}

  void Restart() override { source_->Restart(); }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (!source_->Next(ctx, batch)) return false;
    if (batch->rows->NumRows() > 0) return true;
    batch->rows = empty_->View();
    CopyColumns(columns_, empty_->NumCols(), &batch->info);
    return true;
  }

 private:
  RowSource* source_;
  std::unique_ptr<DataMatrix> empty_;
  MetaInfo columns_;
};

}  // namespace

std::shared_ptr<SocketGroup>& GroupOfThread() { return g_groups.OfThisThread(); }

std::shared_ptr<SocketGroup> GroupOfRanks() {
  auto* const group = g_groups.Find();
  return group == nullptr || *group == nullptr || (*group)->Size() == 1 ? nullptr : *group;
}

void EnterGroup(BoosterHandle booster, Span<DMatrixHandle const> matrices) {
  auto const group = GroupOfRanks();
  if (group != nullptr && matrices.data() == nullptr && !matrices.empty()) return;  // the caller reports it
  if (group != nullptr && !BoosterRead(booster)->has_own_group) NumberRows(group, matrices);
  BoosterUse const learner(booster);
  auto& handle = learner.Handle();
  if (handle.has_own_group || handle.communicator == group) return;
  learner->SetCollective(group);
  handle.communicator = group;
}

std::unique_ptr<RowSource> WithColumnsOfGroup(Context const& ctx, RowSource* source) {
  if (!IsDistributed(ctx)) return nullptr;
  RowBatch batch;
  source->Restart();
  if (!source->Next(ctx, &batch)) return nullptr;  // whoever reads it says so
  auto const n_rows = batch.rows->NumRows();
  auto const n_cols = batch.rows->NumCols();
  auto const most = static_cast<std::int64_t>(MaxOverRanks(ctx, static_cast<std::uint64_t>(n_rows == 0 ? 0 : n_cols)));
  TakeColumnTextsOfGroup(ctx, n_rows, &batch.info);
  if (n_rows > 0 || most == 0) return nullptr;
  return std::make_unique<CompletedSource>(source, most, std::move(batch.info));
}

}  // namespace kauri::c_api

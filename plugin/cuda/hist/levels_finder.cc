#include "cuda/hist/levels_finder.h"

#include <algorithm>
#include <set>

#include "cuda/common/memory_plan.h"
#include "cuda/hist/shards/node_histograms.h"
#include "cuda/hist/split/find_task.h"
#include "kauri/error.h"

namespace kauri::cuda {

namespace {

constexpr std::size_t kMostHistogramBytes = std::size_t{256} << 20U;

std::size_t HistogramBytes(DeviceBins const& bins, int n_levels) {
  return LevelPlace{n_levels}.FirstPair() * bins.n_sums * sizeof(FixedSum);
}

}  // namespace

bool LevelsFinder::HasRoom(DeviceBins const& bins, int n_levels) {
  return HistogramBytes(bins, n_levels) <= kMostHistogramBytes;
}

std::size_t LevelsFinder::MostTogether(CudaContext const& cuda, int n_levels, HistOnDevice* data) {
  constexpr std::size_t kNodeBytes = 512;  // everything else that a node needs, here and on the host
  constexpr std::size_t kMostInGrid = 65535;
  constexpr std::size_t kShare = 8;  // divisor of the free memory: taking this little makes nothing else fail
  auto& room = data->levels.room_for_round;
  if (!room) room = std::min(kMostHistogramBytes, FreeBytes(cuda) / kShare);
  auto const of_tree = HistogramBytes(*data->bins, n_levels) + LevelPlace{n_levels}.NodesOfTree() * kNodeBytes;
  return std::min(*room / of_tree, kMostInGrid);
}

void LevelsFinder::Reset(int n_levels) {
  histograms_.BeginTree(cuda_, bins_, false);
  if (NumTrees() == 1) return rows_.Reset({histograms_.counts_rows, n_levels});
  rows_.Own().Reset(cuda_, leaf_of_row_, {});
}

void LevelsFinder::Begin(LevelRules const& rules) {
  auto const below = Level(rules.n_levels);
  auto const n_nodes = std::size_t{below.FirstNode()};
  auto const n_pairs = std::size_t{below.FirstPair()};
  std::vector<std::uintptr_t> histograms;  ///< pointers, as kernels read them
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    histograms.push_back(reinterpret_cast<std::uintptr_t>(histograms_.pool.Borrow(cuda_)));
  }
  auto& upload = levels_.of_tree;
  upload.Clear();
  TreeFeatures features;
  features.AddTo(&upload, bins_, rules.features);
  auto const histograms_place = upload.Add(histograms);
  upload.SendChanges(cuda_);
  levels_.rows.Begin(cuda_, below, bins_, rows_.Own(), tasks_[0].small.data());
  levels_.totals.Reserve(cuda_, NumTrees());
  levels_.searched.Reserve(cuda_, n_nodes);
  levels_.pairs.Reserve(cuda_, n_pairs);
  levels_.decisions.Reserve(cuda_, n_nodes);
  levels_.walk.Reserve(cuda_, std::size_t{NumTrees()} * NodesOfWalk(below));
  ReserveMore(n_nodes, &levels_.precomputed);
  find_ = FindTaskOf(bins_, rules.gain);
  features.PutInto(upload, &find_);
  find_.totals = levels_.totals.data();
  decide_.gain = rules.gain;
  decide_.totals = levels_.totals.data();
  decide_.gamma = rules.gamma;
  decide_.below = below;
  decide_.cut_values = bins_.cut_values.data();
  decide_.histograms = upload.At<FixedSum*>(histograms_place);
  decide_.rows = levels_.rows.Arrays();
  decide_.searched = levels_.searched.data();
  decide_.pairs = levels_.pairs.data();
  decide_.decisions = levels_.decisions.data();
  decide_.precomputed = levels_.precomputed.data();
  BeginRoots(cuda_, decide_, rows_.Own().Root());
}

bool LevelsFinder::MaySignal() const {
  std::set<int> devices{cuda_.device};
  for (auto const& shard : rows_.Shards()) devices.insert(shard->Cuda().device);
  return !rows_.Shards().empty() && devices.size() == rows_.Shards().size() + 1;
}

void LevelsFinder::BeginSignals() {
  auto const n_words = (rows_.Shards().size() + 2) * kSignalStride;
  if (levels_.signals.size() < n_words) {
    levels_.signals.Reserve(n_words);
    std::fill_n(levels_.signals.data(), n_words, levels_.turn);
  }
  *GaveUp() = 0;
}

void LevelsFinder::AskShards(int depth, int n_levels) {
  ++levels_.turn;
  for (std::size_t shard = 0; shard < rows_.Shards().size(); ++shard) {
    auto const* const before = depth == 0 ? nullptr : &levels_.decided[ToSize(depth - 1)];
    LevelSignals signals;
    if (signals_) signals = {Decided(), AddedBy(shard), GaveUp(), levels_.turn};
    rows_.Shards()[shard]->AddUpLevel({depth, n_levels, levels_.decisions.data(), before, cuda_.device, signals});
  }
}

std::vector<FixedSum const*> LevelsFinder::CollectSums() {
  if (!signals_) return rows_.CollectSums();
  std::vector<std::uint32_t const*> words;
  for (std::size_t shard = 0; shard < rows_.Shards().size(); ++shard) {
    rows_.Shards()[shard]->WaitUntilAsked();
    words.push_back(AddedBy(shard));
  }
  AwaitSignals(cuda_, words, levels_.turn, GaveUp());
  std::vector<FixedSum const*> sums;
  for (auto const& shard : rows_.Shards()) sums.push_back(shard->SumsFor(cuda_));
  return sums;
}

void LevelsFinder::AddUp(int depth) {
  if (depth > 0) levels_.rows.Move(cuda_, depth - 1);
  auto add = levels_.rows.Added(depth);
  add.pairs = tasks_[0].pairs.data();
  add.small = tasks_[0].small.data();
  if (NumTrees() == 1) rows_.AddPairsTo(&add);
  levels_.rows.AddUp(cuda_, add, depth, &histograms_.plan);
  if (!rows_.Shards().empty()) AddToHistograms(cuda_, CollectSums(), {add.nodes, bins_.n_sums});
}

void LevelsFinder::FindLevel(int depth) {
  auto const level = Level(depth);
  decide_.n_blocks = NumFeatureBlocks(find_, level.NumPairs()).All();
  levels_.best.Reserve(cuda_, std::size_t{level.NumNodes()} * decide_.n_blocks);
  decide_.best = levels_.best.data();
  find_.pairs = {decide_.pairs + level.FirstPair(), level.NumPairs()};
  find_.pairs_of_tree = level.PairsOfTree();
  find_.nodes = decide_.searched + level.FirstNode();
  find_.best = levels_.best.data();
  kauri::cuda::FindSplits(cuda_, find_);
  DecideLevel(cuda_, decide_, depth);
}

void LevelsFinder::Find(LevelRules const& rules) {
  Reset(rules.n_levels);
  signals_ = MaySignal();
  if (signals_) BeginSignals();
  AskShards(0, rules.n_levels);  // shards begin while the rest is prepared
  Begin(rules);
  for (int depth = 0; depth < rules.n_levels; ++depth) {
    if (depth > 0) AskShards(depth, rules.n_levels);
    AddUp(depth);
    // After AddUp, because the host may have to wait for the totals.
    if (depth == 0) BeginDecisions(cuda_, decide_, tasks_[0].totals);
    FindLevel(depth);
    if (signals_) SendSignal(cuda_, Decided(), levels_.turn);
    levels_.decided[ToSize(depth)].Record(cuda_);
  }
  WriteLeaves();
}

void LevelsFinder::WriteLeaves() {
  NumberNodes(cuda_, decide_, levels_.walk.data());
  Span<WalkNode const> const trees{levels_.walk.data(), std::size_t{NumTrees()} * NodesOfWalk(decide_.below)};
  rows_.Own().TakeTree(trees, NumTrees());
  if (!rows_.Shards().empty()) levels_.numbered.Record(cuda_);
  for (auto const& shard : rows_.Shards()) shard->TakeTree(trees, levels_.numbered, cuda_.device);
  rows_.WriteLeaves();
}

SplitCandidate LevelsFinder::BestAt(std::size_t tree, int depth, std::uint32_t place) {
  for (; n_answered_ <= depth; ++n_answered_) levels_.decided[ToSize(n_answered_)].Wait();
  if (signals_ && *GaveUp() != 0) {
    Fail(ErrorKind::kDevice, "one of ", rows_.Shards().size() + 1,
         " devices that train together did not answer within a minute; is one of them busy, or stopped? Train on the "
         "others.");
  }
  auto const level = Level(depth);
  auto const of_tree = place - LevelPlace{depth}.FirstNode();
  return levels_.precomputed.data()[level.FirstNode() + tree * level.NodesOfTree() + of_tree];
}

}  // namespace kauri::cuda

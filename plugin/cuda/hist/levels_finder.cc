#include "cuda/hist/levels_finder.h"

#include <algorithm>
#include <set>

#include "cuda/common/memory_plan.h"
#include "cuda/hist/shares/node_histograms.h"
#include "cuda/hist/split/tree_features.h"
#include "kauri/error.h"

namespace kauri::cuda {

namespace {

constexpr std::size_t kMostHistogramBytes = std::size_t{256} << 20U;

std::size_t HistogramBytes(HistOnDevice const& data, int n_levels) {
  return LevelPlace{n_levels}.FirstPair() * data.bins->n_sums * sizeof(FixedSum);
}

}  // namespace

bool LevelsFinder::HasRoom(HistOnDevice const& data, int n_levels) {
  return HistogramBytes(data, n_levels) <= kMostHistogramBytes;
}

std::size_t LevelsFinder::MostTogether(CudaContext const& cuda, int n_levels, HistOnDevice* data) {
  constexpr std::size_t kNodeBytes = 512;  // everything else that a node needs, here and on the host
  constexpr std::size_t kMostInGrid = 65535;
  constexpr std::size_t kShare = 8;  // divisor of the free memory: taking this little makes nothing else fail
  auto& room = data->room_for_round;
  if (!room) room = std::min(kMostHistogramBytes, FreeBytes(cuda) / kShare);
  auto const of_tree = HistogramBytes(*data, n_levels) + LevelPlace{n_levels}.NodesOfTree() * kNodeBytes;
  return std::min(*room / of_tree, kMostInGrid);
}

void LevelsFinder::Reset(int n_levels) {
  data_->BeginTree(cuda_, false);
  if (NumTrees() == 1) return rows_.Reset(n_levels);
  data_->rows.Reset(cuda_, leaf_of_row_, {}, &data_->of_level);
}

void LevelsFinder::Begin(LevelRules const& rules) {
  auto& levels = data_->levels;
  auto const below = Level(rules.n_levels);
  auto const n_nodes = std::size_t{below.FirstNode()};
  auto const n_pairs = std::size_t{below.FirstPair()};
  std::vector<std::uintptr_t> histograms;  ///< pointers, as kernels read them
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    histograms.push_back(reinterpret_cast<std::uintptr_t>(data_->histograms.Borrow(cuda_)));
  }
  auto& upload = levels.of_tree;
  upload.Clear();
  TreeFeatures features;
  features.AddTo(&upload, *data_->bins, rules.features);
  auto const histograms_place = upload.Add(histograms);
  upload.SendChanges(cuda_);
  levels.rows.Begin(cuda_, below, *data_->bins, data_->rows);
  levels.totals.Reserve(cuda_, NumTrees());
  levels.searched.Reserve(cuda_, n_nodes);
  levels.pairs.Reserve(cuda_, n_pairs);
  levels.decisions.Reserve(cuda_, n_nodes);
  levels.walk.Reserve(cuda_, std::size_t{NumTrees()} * NodesOfWalk(below));
  ReserveMore(n_nodes, &levels.found);
  find_ = data_->FindTaskOf(rules.gain);
  features.PutInto(upload, &find_);
  find_.totals = levels.totals.data();
  decide_.gain = rules.gain;
  decide_.totals = levels.totals.data();
  decide_.gamma = rules.gamma;
  decide_.below = below;
  decide_.cut_values = data_->bins->cut_values.data();
  decide_.histograms = upload.At<FixedSum*>(histograms_place);
  decide_.rows = levels.rows.Arrays();
  decide_.searched = levels.searched.data();
  decide_.pairs = levels.pairs.data();
  decide_.decisions = levels.decisions.data();
  decide_.found = levels.found.data();
  BeginRoots(cuda_, decide_, data_->rows.Root());
}

bool LevelsFinder::MaySignal() const {
  std::set<int> devices{cuda_.device};
  for (auto const& share : data_->shares) devices.insert(share->Cuda().device);
  return !data_->shares.empty() && devices.size() == data_->shares.size() + 1;
}

void LevelsFinder::BeginSignals() {
  auto& levels = data_->levels;
  auto const n_words = (data_->shares.size() + 2) * kSignalStride;
  if (levels.signals.size() < n_words) {
    levels.signals.Reserve(n_words);
    std::fill_n(levels.signals.data(), n_words, levels.turn);
  }
  *GaveUp() = 0;
}

void LevelsFinder::AskShares(int depth, int n_levels) {
  auto& levels = data_->levels;
  ++levels.turn;
  for (std::size_t share = 0; share < data_->shares.size(); ++share) {
    auto const* const before = depth == 0 ? nullptr : &levels.decided[ToSize(depth - 1)];
    LevelSignals signals;
    if (signals_) signals = {Decided(), AddedBy(share), GaveUp(), levels.turn};
    data_->shares[share]->AddUpLevel({depth, n_levels, levels.decisions.data(), before, cuda_.device, signals});
  }
}

std::vector<FixedSum const*> LevelsFinder::CollectSums() {
  std::vector<FixedSum const*> sums;
  if (!signals_) {
    for (auto const& share : data_->shares) sums.push_back(share->Collect(cuda_));
    return sums;
  }
  std::vector<std::uint32_t const*> words;
  for (std::size_t share = 0; share < data_->shares.size(); ++share) {
    data_->shares[share]->WaitUntilAsked();
    words.push_back(AddedBy(share));
  }
  AwaitSignals(cuda_, words, data_->levels.turn, GaveUp());
  for (auto const& share : data_->shares) sums.push_back(share->SumsFor(cuda_));
  return sums;
}

void LevelsFinder::AddUp(int depth) {
  auto const& levels = data_->levels;
  if (depth > 0) levels.rows.Move(cuda_, depth - 1);
  auto add = levels.rows.Added(depth);
  add.pairs = tasks_[0].pairs.data();
  if (NumTrees() == 1) add.Take(add.pairs, &data_->records);
  AddRows(cuda_, *data_->bins, add, &data_->plan);
  if (!data_->shares.empty()) AddToHistograms(cuda_, CollectSums(), {add.nodes, data_->bins->n_sums});
}

void LevelsFinder::FindLevel(int depth) {
  auto& levels = data_->levels;
  auto const level = Level(depth);
  decide_.n_blocks = NumFeatureBlocks(find_, level.NumPairs()).All();
  levels.best.Reserve(cuda_, std::size_t{level.NumNodes()} * decide_.n_blocks);
  decide_.best = levels.best.data();
  find_.pairs = {decide_.pairs + level.FirstPair(), level.NumPairs()};
  find_.pairs_of_tree = level.PairsOfTree();
  find_.nodes = decide_.searched + level.FirstNode();
  find_.best = levels.best.data();
  kauri::cuda::FindSplits(cuda_, find_);
  DecideLevel(cuda_, decide_, depth);
}

void LevelsFinder::Find(LevelRules const& rules) {
  auto& levels = data_->levels;
  signals_ = MaySignal();
  if (signals_) BeginSignals();
  AskShares(0, rules.n_levels);  // shares begin while the rest is prepared
  Begin(rules);
  for (int depth = 0; depth < rules.n_levels; ++depth) {
    if (depth > 0) AskShares(depth, rules.n_levels);
    AddUp(depth);
    // After AddUp, because the host may have to wait for the totals.
    if (depth == 0) BeginDecisions(cuda_, decide_, tasks_[0].totals);
    FindLevel(depth);
    if (signals_) SendSignal(cuda_, Decided(), levels.turn);
    levels.decided[ToSize(depth)].Record(cuda_);
  }
  WriteLeaves();
}

void LevelsFinder::WriteLeaves() {
  auto& levels = data_->levels;
  NumberNodes(cuda_, decide_, levels.walk.data());
  Span<WalkNode const> const trees{levels.walk.data(), std::size_t{NumTrees()} * NodesOfWalk(decide_.below)};
  data_->rows.TakeTree(trees, NumTrees());
  if (!data_->shares.empty()) levels.numbered.Record(cuda_);
  for (auto const& share : data_->shares) share->TakeTree(trees, levels.numbered, cuda_.device);
  rows_.WriteLeaves();
}

SplitCandidate LevelsFinder::FoundAt(std::size_t tree, int depth, std::uint32_t place) {
  auto const& levels = data_->levels;
  for (; n_answered_ <= depth; ++n_answered_) levels.decided[ToSize(n_answered_)].Wait();
  if (signals_ && *GaveUp() != 0) {
    Fail(ErrorKind::kDevice, "one of ", data_->shares.size() + 1,
         " devices that train together did not answer within a minute; is one of them busy, or stopped? Train on the "
         "others.");
  }
  auto const level = Level(depth);
  auto const of_tree = place - LevelPlace{depth}.FirstNode();
  return levels.found.data()[level.FirstNode() + tree * level.NodesOfTree() + of_tree];
}

}  // namespace kauri::cuda

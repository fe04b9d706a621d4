#include "cuda/hist_vector/gpu_symmetric_vector_grower.h"

#include <vector>

#include "cuda/hist_vector/level_answers.h"

namespace kauri::cuda {

GpuSymmetricVectorGrower::GpuSymmetricVectorGrower(Context const& ctx, GrowthRules const& rules, VectorTask const& task,
                                                   VectorOnDevice* data)
    : SymmetricGrowth(ctx, rules, task, data),
      search_({cuts_, gain_, static_cast<double>(rules.param.gamma), constraints_.Signs(), costs_},
              PlainColumnsOnDevice(data->bins)) {}

void GpuSymmetricVectorGrower::FindSplits(Pairs const& /*pairs*/) {
  auto& rows = data_->rows;
  if (!rows.HasWaiting()) return;
  auto& request = data_->of_level;
  request.Clear();
  rows.AddTo(&request);
  request.Send(cuda_);
  rows.Move(cuda_, request);
  rows.FetchAnswer(cuda_, request);
  cuda_.Synchronize();  // for how many rows the nodes have
  rows.TakeStretches();
}

LevelSplit GpuSymmetricVectorGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  auto const sum = [&](LevelConditions const& conditions, Span<Node const> nodes) {
    return SumNodes(conditions, nodes);
  };
  return search_.Find(ctx_, open, DrawOf(open.front().depth), columns_.TreeSet(), sum);
}

std::int64_t const* GpuSymmetricVectorGrower::SumNodes(LevelConditions const& conditions, Span<Node const> nodes) {
  auto const size = ToSize(search_.NumSums() * conditions.Width());
  auto& sums = data_->answers;
  auto& request = data_->of_level;
  sums.Reserve(cuda_, nodes.size() * size);
  std::vector<SummedNode> summed;
  AnswerTask task{};
  for (auto const& node : nodes) {
    summed.push_back({data_->rows.SourceOf(node.id), sums.data() + summed.size() * size});
    task.rows.most_rows += summed.back().source.rows.count;
  }
  auto const asked = AskedOf(data_->bins, conditions);
  request.Clear();
  auto const summed_place = request.Add(summed);
  auto const asked_place = request.Add(asked);
  request.Send(cuda_);
  data_->plan.Reserve(cuda_, summed.size());
  task.rows.nodes = {request.At<SummedNode>(summed_place), summed.size()};
  task.rows.plan = {data_->plan.data(), summed.size()};
  task.rows.lists = data_->rows.Pointers();
  task.rows.table = table_;
  task.asked = {request.At<AskedOnDevice>(asked_place), asked.size()};
  task.width = static_cast<std::uint32_t>(conditions.Width());
  task.misses = !conditions.Others().empty();
  FillZero(cuda_, sums.data(), nodes.size() * size);
  AddAnswers(cuda_, data_->bins, task);
  ReserveMore(nodes.size() * size, &data_->answers_on_host);
  CopyToHost(cuda_, sums.data(), nodes.size() * size, data_->answers_on_host.data());
  cuda_.Synchronize();  // for the sums
  return data_->answers_on_host.data();
}

}  // namespace kauri::cuda

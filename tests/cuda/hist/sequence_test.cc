/// One booster through several acts, each followed by a comparison: the data kept from the last round must not affect
/// the next.
#include <functional>

#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

/// A booster and its training data.
struct Side {
  Side(std::string const& name, Params const& params, Table const& table)
      : device(name), kind(KindOf({"", table, params})), learner(MakeLearner(ParamsFor(name, params))) {
    Take(table);
  }
  void Take(Table const& table) { data = MakeTable(table, kind); }
  void Set(std::string const& name, std::string const& value) const { learner->SetParam(name, value); }
  void Train(int rounds = 1) const {
    for (int round = 0; round < rounds; ++round) learner->BoostRound(data, learner->NumIterations());
  }
  void Train(std::vector<GradientPair> const& pairs) const {
    learner->BoostRound(data, learner->NumIterations(), Span<GradientPair const>(pairs));
  }
  /// Replaces the booster by a new one that continues from the bytes.
  void Reload() {
    auto const bytes = Bytes(learner.get());
    learner = MakeLearner(ParamsFor(device, {}));
    learner->LoadModel(Span<char const>(bytes.data(), bytes.size()));
  }

  std::string device;
  LabelKind kind;
  std::unique_ptr<Learner> learner;
  std::shared_ptr<DataMatrix> data;
};

Table Rows(std::int64_t n_rows, std::int64_t n_cols = 8, Missing missing = Missing::kSome) {
  Table table;
  table.n_rows = n_rows;
  table.n_cols = n_cols;
  table.missing = missing;
  table.seed = static_cast<std::uint64_t>(n_rows);
  return table;
}

using Act = std::function<void(Side*)>;

class HistSequences : public HistDeviceTest {
 protected:
  /// Boosts a round before the first act and after each.
  static void Play(std::vector<Act> const& acts, Params const& params = {}, Table const& table = Rows(800)) {
    Side cpu("cpu", params, table);
    Side device(kDevice, params, table);
    for (std::size_t step = 0; step <= acts.size(); ++step) {
      for (auto* side : {&cpu, &device}) {
        if (step > 0) acts[step - 1](side);
        side->Train();
      }
      EXPECT_TRUE(SameOutcome(OutcomeOf(cpu.learner.get(), cpu.data), OutcomeOf(device.learner.get(), device.data)))
          << "after act " << step << " of" << Text(params);
    }
  }
  static Act Setting(std::string const& name, std::string const& value) {
    return [=](Side* side) { side->Set(name, value); };
  }
};

TEST_F(HistSequences, OtherParameters) {
  Play({Setting("max_depth", "3"), Setting("max_depth", "11"), Setting("max_bin", "16"), Setting("max_bin", "1024"),
        Setting("max_bin", "256"), Setting("max_depth", "1")});
  Play({Setting("grow_policy", "lossguide"), Setting("max_leaves", "5"), Setting("max_depth", "0"),
        Setting("grow_policy", "depthwise"), Setting("max_leaves", "60"), Setting("max_depth", "4")});
  Play({Setting("subsample", "0.5"), Setting("sampling_method", "gradient_based"), Setting("subsample", "1"),
        Setting("colsample_bynode", "0.5"), Setting("num_parallel_tree", "3"), Setting("num_parallel_tree", "1")});
  Play({Setting("monotone_constraints", "(1,-1)"), Setting("interaction_constraints", "[[0,1],[2,3]]"),
        Setting("monotone_constraints", "()"), Setting("lambda", "0"), Setting("gamma", "2"), Setting("eta", "0.05")});
  Play({Setting("sketch", "gk"), Setting("sketch", "exact")});
}

/// Changes from this method to others of the device and back.
TEST_F(HistSequences, OtherMethods) {
  Play({Setting("tree_method", "exact"), Setting("tree_method", "hist"), Setting("max_bin", "32"),
        Setting("tree_method", "exact"), Setting("tree_method", "auto"), Setting("tree_method", "approx"),
        Setting("max_bin", "64"), Setting("tree_method", "hist"), Setting("tree_method", "approx")});
  Play({Setting("subsample", "0.5"), Setting("max_bin", "16"), Setting("sampling_method", "gradient_based"),
        Setting("max_bin", "600"), Setting("subsample", "1"), Setting("max_depth", "9"), Setting("sketch", "gk")},
       {{"tree_method", "approx"}, {"objective", "binary:logistic"}});
}

/// Gradient pairs of a caller for a method whose bins follow the hessians.
TEST_F(HistSequences, PairsOfACallerForApprox) {
  auto const pairs = [](Gradients kind, std::uint64_t seed) {
    return [=](Side* side) { side->Train(MakePairs(kind, 800, seed)); };
  };
  Play({pairs(Gradients::kNormal, 3), pairs(Gradients::kNormal, 3), pairs(Gradients::kFewRows, 4),
        pairs(Gradients::kConstant, 5), pairs(Gradients::kZero, 6), pairs(Gradients::kNormal, 7)},
       {{"tree_method", "approx"}, {"max_bin", "16"}});
}

TEST_F(HistSequences, OtherRows) {
  auto const rows = [](Table const& table) { return [=](Side* side) { side->Take(table); }; };
  auto sparse = Rows(900);
  sparse.sparse = true;
  Play({rows(Rows(100)), rows(Rows(5000)), rows(sparse), rows(Rows(800, 8, Missing::kNone)),
        rows(Rows(70000, 8, Missing::kNone)), rows(Rows(1)), rows(Rows(800))});
}

/// Two matrices in turns, each with margins of its own.
TEST_F(HistSequences, RowsThatComeBack) {
  auto first = std::make_shared<std::vector<std::shared_ptr<DataMatrix>>>();
  Play({[=](Side* side) { first->push_back(side->data), side->Take(Rows(333)); },
        [=](Side* side) { side->data = (*first)[side->device == "cpu" ? 0 : 1]; },
        [](Side* side) { side->Take(Rows(333)); }});
}

/// Changed weights change bin edges.
TEST_F(HistSequences, OtherInfo) {
  auto const change = [](std::function<void(MetaInfo*)> const& what) {
    return [=](Side* side) { what(side->data->MutableInfo()); };
  };
  for (auto const* method : {"hist", "approx"}) {
    Play({change([](MetaInfo* info) {
            for (int row = 0; row < 800; ++row) info->weights.push_back(0.25F * static_cast<float>(row % 7));
          }),
          change([](MetaInfo* info) { std::reverse(info->weights.begin(), info->weights.end()); }),
          change([](MetaInfo* info) { info->weights.clear(); }),
          change([](MetaInfo* info) { std::reverse(info->labels.begin(), info->labels.end()); }),
          change([](MetaInfo* info) { info->base_margin.assign(800, 0.75F); }),
          change([](MetaInfo* info) { info->feature_weights = {1, 0, 0, 2, 3, 0, 1, 1}; })},
         {{"colsample_bytree", "0.5"}, {"max_bin", "16"}, {"tree_method", method}});
  }
}

TEST_F(HistSequences, SavedAndLoaded) {
  Play({[](Side* side) { side->Reload(); }, [](Side* side) { side->Set("max_depth", "9"); },
        [](Side* side) { side->Reload(); }, [](Side* side) { side->learner->Reset(); }},
       {{"objective", "multi:softprob"}, {"num_class", "3"}});
}

/// A model of one device continues training on the other.
TEST_F(HistSequences, FromOneDeviceToTheOther) {
  auto const other = [](Side* side) { side->Set("device", side->device == "cpu" ? kDevice : "cpu"); };
  auto const back = [](Side* side) { side->Set("device", side->device); };
  Play({other, Setting("max_depth", "8"), back, other});
}

TEST_F(HistSequences, PairsOfACallerBetweenRounds) {
  Play({[](Side* side) { side->Train(MakePairs(Gradients::kNormal, 800, 3)); },
        [](Side* side) { side->Train(MakePairs(Gradients::kHalfNegative, 800, 4)); },
        [](Side* side) { side->Train(MakePairs(Gradients::kZero, 800, 4)); }},
       {{"lambda", "800"}});
}

/// Every act throws, and the round after it equals the round of a booster that never failed.
TEST_F(HistSequences, FailuresLeaveNoTrace) {
  auto const fails = [](Act const& act) {
    return [=](Side* side) {
      auto const before = Bytes(side->learner.get());
      EXPECT_THROW(act(side), Error) << side->device;
      EXPECT_EQ(Bytes(side->learner.get()), before) << side->device;
    };
  };
  auto const pair = [](float gradient, float hessian) {
    return [=](Side* side) {
      auto pairs = MakePairs(Gradients::kNormal, side->data->NumRows(), 9);
      pairs[pairs.size() / 2] = {gradient, hessian};
      side->Train(pairs);
    };
  };
  auto const label = [](Side* side) {
    auto* const labels = &side->data->MutableInfo()->labels;
    auto const right = std::exchange((*labels)[7], std::numeric_limits<float>::quiet_NaN());
    auto const restore = [&] { side->data->MutableInfo()->labels[7] = right; };
    try {
      side->Train();
    } catch (...) {
      restore();
      throw;
    }
    restore();
  };
  constexpr auto kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr auto kInfinity = std::numeric_limits<float>::infinity();
  Play({fails(pair(kNan, 1.0F)), fails(pair(1.0F, kNan)), fails(pair(kInfinity, 1.0F)), fails(pair(1.0F, -kInfinity)),
        fails([](Side* side) { side->Train(MakePairs(Gradients::kNormal, 7, 1)); }), fails(label)},
       {{"subsample", "0.8"}});
}

}  // namespace
}  // namespace kauri::testing

/// Several threads on one device: boosters train in parallel, and one booster predicts for all threads. The results are
/// the same with a single thread, bit for bit.
#include <thread>

#include "booster/learner.h"
#include "support/device_fixture.h"
#include "support/learner_predict.h"

namespace kauri::testing {
namespace {

std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows, std::uint64_t seed) {
  std::shared_ptr<DataMatrix> data = MakeMatrix({n_rows, 8, 0.1, 0, false, seed});
  Random random(seed + 1);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    data->MutableInfo()->labels.push_back(static_cast<float>(random.Below(2)));
  }
  return data;
}

std::unique_ptr<Learner> Train(std::string const& objective, std::shared_ptr<DataMatrix> const& train,
                               std::shared_ptr<DataMatrix> const& valid) {
  auto learner = std::make_unique<Learner>();
  learner->SetParam("device", "cuda");
  learner->SetParam("tree_method", "exact");
  learner->SetParam("objective", objective);
  learner->SetParam("nthread", "1");
  for (int round = 0; round < 8; ++round) {
    learner->BoostRound(train, round);
    learner->Evaluate({{"train", train}, {"valid", valid}});
  }
  return learner;
}

/// Runs work(0) to work(n - 1), each on its own thread. Returns their first error, or "".
template <typename Work>
std::string OnThreads(int n, Work const& work) {
  std::vector<std::string> errors(n);
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      try {
        work(i);
      } catch (std::exception const& error) {
        errors[i] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& error : errors) {
    if (!error.empty()) return error;
  }
  return {};
}

std::vector<float> Predict(Learner const& learner, DataMatrix const& data, PredictKind kind) {
  PredictOptions options;
  options.kind = kind;
  return PredictData(learner, data, options).values;
}

class ThreadsTest : public DeviceTest {};

TEST_F(ThreadsTest, BoostersTrainSideBySide) {
  std::vector<std::string> const objectives{"binary:logistic", "reg:squarederror", "binary:logistic"};
  auto const valid = MakeData(3000, 5);
  std::vector<std::shared_ptr<DataMatrix>> train;
  std::vector<std::string> alone;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    train.push_back(MakeData(5000 + 4000 * static_cast<std::int64_t>(i), i));
    alone.push_back(Train(objectives[i], train[i], valid)->SaveSnapshot());
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::string> together(objectives.size());
    EXPECT_EQ(OnThreads(static_cast<int>(objectives.size()),
                        [&](int i) {
                          auto const at = static_cast<std::size_t>(i);
                          together[at] = Train(objectives[at], train[at], valid)->SaveSnapshot();
                        }),
              "");
    EXPECT_TRUE(together == alone) << "repeat " << repeat;
  }
}

/// Two sessions share a data set, with which both keep sorted columns.
TEST_F(ThreadsTest, BoostersShareADataSet) {
  auto const train = MakeData(8000, 11);
  auto const alone = Train("binary:logistic", train, train)->SaveSnapshot();
  std::vector<std::string> together(2);
  EXPECT_EQ(OnThreads(2, [&](int i) { together[i] = Train("binary:logistic", train, train)->SaveSnapshot(); }), "");
  EXPECT_EQ(together[0], alone);
  EXPECT_EQ(together[1], alone);
}

TEST_F(ThreadsTest, OneBoosterPredictsForManyThreads) {
  auto const train = MakeData(5000, 21);
  auto const learner = Train("binary:logistic", train, train);
  std::vector<std::shared_ptr<DataMatrix>> data;
  for (std::uint64_t i = 0; i < 4; ++i) data.push_back(MakeData(1 + 20000 * static_cast<std::int64_t>(i), 22 + i));
  std::vector<PredictKind> const kinds{PredictKind::kValue, PredictKind::kMargin, PredictKind::kLeaf};
  std::vector<std::vector<float>> expected;
  for (auto const& rows : data) {
    for (auto const kind : kinds) expected.push_back(Predict(*learner, *rows, kind));
  }
  EXPECT_EQ(OnThreads(6,
                      [&](int i) {
                        for (std::size_t call = 0; call < 3 * expected.size(); ++call) {
                          auto const which = (call + static_cast<std::size_t>(i)) % expected.size();
                          auto const values = Predict(*learner, *data[which / 3], kinds[which % 3]);
                          if (!SameFloats(values, expected[which])) throw std::runtime_error("other predictions");
                        }
                      }),
            "");
}

TEST_F(ThreadsTest, TrainingAndPredictionSideBySide) {
  auto const train = MakeData(8000, 31);
  auto const rows = MakeData(30000, 32);
  auto const learner = Train("binary:logistic", train, rows);
  auto const alone = learner->SaveSnapshot();
  auto const expected = Predict(*learner, *rows, PredictKind::kMargin);
  EXPECT_EQ(OnThreads(4,
                      [&](int i) {
                        if (i < 2) {
                          auto const snapshot = Train("binary:logistic", train, rows)->SaveSnapshot();
                          if (snapshot != alone) throw std::runtime_error("another model");
                          return;
                        }
                        for (int call = 0; call < 20; ++call) {
                          auto const values = Predict(*learner, *rows, PredictKind::kMargin);
                          if (!SameFloats(values, expected)) throw std::runtime_error("other predictions");
                        }
                      }),
            "");
}

}  // namespace
}  // namespace kauri::testing

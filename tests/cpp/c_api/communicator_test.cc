/// XGBoost's tracker and communicator: ranks are threads of this process, each with a part of the rows.
#include <atomic>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

using nlohmann::json;

std::string LastError() { return XGBGetLastError(); }

bool Says(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

TrackerHandle StartTracker(int n_workers) {
  TrackerHandle tracker = nullptr;
  EXPECT_OK(
      XGTrackerCreate(json({{"n_workers", n_workers}, {"host", "127.0.0.1"}, {"sortby", 1}}).dump().c_str(), &tracker));
  EXPECT_OK(XGTrackerRun(tracker, "{}"));
  return tracker;
}

json ArgumentsOf(TrackerHandle tracker) {
  char const* text = nullptr;
  EXPECT_OK(XGTrackerWorkerArgs(tracker, &text));
  return json::parse(text);
}

/// Runs fn(rank) in a group of threads, which joins, leaves, and joins again in the next call.
void InCommunicator(int n_ranks, std::function<void(int)> const& fn) {
  auto* const tracker = StartTracker(n_ranks);
  auto const shared = ArgumentsOf(tracker);
  std::vector<std::thread> threads;
  for (int task = 0; task < n_ranks; ++task) {
    threads.emplace_back([&, task] {
      auto arguments = shared;
      arguments["DMLC_TASK_ID"] = std::to_string(task);
      arguments["dmlc_timeout"] = 30;
      ASSERT_OK(XGCommunicatorInit(arguments.dump().c_str()));
      EXPECT_EQ(XGCommunicatorGetRank(), task);
      EXPECT_EQ(XGCommunicatorGetWorldSize(), n_ranks);
      EXPECT_EQ(XGCommunicatorIsDistributed(), 1);
      fn(task);
      EXPECT_OK(XGCommunicatorFinalize());
      EXPECT_EQ(XGCommunicatorIsDistributed(), 0);
      EXPECT_EQ(XGCommunicatorGetWorldSize(), 1);
    });
  }
  for (auto& thread : threads) thread.join();
  XGTrackerWaitFor(tracker, R"({"timeout": 30})");
  EXPECT_OK(XGTrackerFree(tracker));
}

constexpr std::int64_t kRows = 200;
constexpr std::int64_t kCols = 4;

/// A part of 200 rows: features of few values, and labels.
struct Rows {
  Rows(std::int64_t begin, std::int64_t end) {
    auto const all = Features(kRows, kCols);
    for (auto i = begin * kCols; i < end * kCols; ++i)
      values.push_back(static_cast<float>(static_cast<int>(all[i] * 9)));
    for (std::int64_t row = 0; row < end - begin; ++row)
      labels.push_back(values[row * kCols] + values[row * kCols + 1]);
  }
  std::vector<float> values;
  std::vector<float> labels;
};

std::string BytesOf(Booster const& booster) {
  bst_ulong size = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "ubj"})", &size, &bytes));
  return {bytes, size};
}

std::string Evaluate(Booster const& booster, Data const& data) {
  DMatrixHandle matrix = data.get();
  char const* name = "train";
  char const* text = nullptr;
  EXPECT_OK(XGBoosterEvalOneIter(booster.get(), 0, &matrix, &name, 1, &text));
  return text == nullptr ? "" : text;
}

Params ParamsOf(char const* method) {
  return {{"tree_method", method}, {"max_depth", "4"}, {"nthread", "1"}, {"eval_metric", "mae"}, {"subsample", "0.8"}};
}

class CommunicatorTraining : public ::testing::TestWithParam<char const*> {};

TEST_P(CommunicatorTraining, BytesAreThoseOfOneProcess) {
  Rows const all(0, kRows);
  auto const whole = MakeData(all.values, kCols, all.labels);
  auto const alone = Train(whole, ParamsOf(GetParam()), 5);
  auto const bytes = BytesOf(alone);
  auto const evaluation = Evaluate(alone, whole);
  for (auto const& begins : {std::vector<std::int64_t>{0, 50, 200}, {0, 90, 90, 200}}) {  // one rank has no rows
    InCommunicator(static_cast<int>(begins.size()) - 1, [&](int rank) {
      Rows const part(begins[rank], begins[rank + 1]);
      auto const n_cols = part.labels.empty() ? 1 : kCols;  // whoever has no rows need not know the columns
      auto const data = MakeData(part.values, n_cols, part.labels);
      auto const booster = Train(data, ParamsOf(GetParam()), 5);
      EXPECT_EQ(BytesOf(booster), bytes);
      EXPECT_EQ(Evaluate(booster, data), evaluation);
      EXPECT_EQ(Predict(booster, data).values.size(), part.labels.size());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, CommunicatorTraining, ::testing::Values("hist", "approx"));

TEST(Communicator, ABoosterTrainsOnAfterItsGroup) {
  Rows const all(0, kRows);
  InCommunicator(2, [&](int rank) {
    Rows const part(rank * 100, rank * 100 + 100);
    auto const data = MakeData(part.values, kCols, part.labels);
    auto const booster = Train(data, ParamsOf("hist"), 2);
    EXPECT_OK(XGCommunicatorFinalize());
    auto const before = BytesOf(booster);
    EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 2, data.get()));
    auto const again = MakeBooster(data, ParamsOf("hist"));
    EXPECT_OK(XGBoosterLoadModelFromBuffer(again.get(), before.data(), before.size()));
    EXPECT_OK(XGBoosterUpdateOneIter(again.get(), 2, data.get()));
    EXPECT_NE(BytesOf(booster), before);
    EXPECT_EQ(BytesOf(booster), BytesOf(again));
  });
}

TEST(Communicator, SomeRanksMayMakeTheirMatricesAnew) {
  InCommunicator(3, [&](int rank) {
    Rows const part(rank * 60, rank * 60 + 60);
    auto const kept = MakeData(part.values, kCols, part.labels);
    auto const first = Train(kept, ParamsOf("hist"), 2);
    auto const evaluation = Evaluate(first, kept);
    auto const made = MakeData(part.values, kCols, part.labels);
    auto const& data = rank == 1 ? made : kept;
    auto const again = Train(data, ParamsOf("hist"), 2);
    EXPECT_EQ(BytesOf(again), BytesOf(first));
    EXPECT_EQ(Evaluate(again, data), evaluation);
  });
}

TEST(Communicator, RanksThatReduceDifferentlyAreTold) {
  for (auto const& [type, op] : {std::pair(1, 2), std::pair(6, 0)}) {  // rank 0: the maximum of floats
    std::atomic<int> n_told{0};
    InCommunicator(2, [&, type = type, op = op](int rank) {
      std::int32_t value = rank + 1;
      auto const status = XGCommunicatorAllreduce(&value, 1, rank == 0 ? 1 : type, rank == 0 ? 0 : op);
      EXPECT_EQ(status, -1);
      EXPECT_EQ(value, rank + 1);
      n_told += static_cast<int>(Says(LastError(), "lost step") && Says(LastError(), "max f32 of 1 values"));
    });
    EXPECT_EQ(n_told, 2);
  }
}

TEST(Communicator, PartsOfOtherSizesChangeNothing) {
  InCommunicator(3, [&](int rank) {
    std::string parts(rank == 2 ? 6 : 3, static_cast<char>('a' + rank));
    auto const before = parts;
    EXPECT_EQ(XGCommunicatorAllgather(parts.data(), parts.size()), -1);
    EXPECT_TRUE(Says(LastError(), "buffers of the same size")) << LastError();
    EXPECT_EQ(parts, before);
    parts.resize(3);
    EXPECT_OK(XGCommunicatorAllgather(parts.data(), parts.size()));
    EXPECT_EQ(parts, "abc");
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these end a process that asks for so much
TEST(Communicator, ARankWithoutMemoryEndsTheCallsOfAll) {
  InCommunicator(2, [&](int rank) {
    std::int32_t value = 1;
    auto const count = rank == 0 ? std::size_t{1} : std::numeric_limits<std::size_t>::max() / 16;
    EXPECT_EQ(XGCommunicatorAllreduce(&value, count, 6, 2), -1);
    EXPECT_TRUE(rank == 1 || Says(LastError(), "rank 1 of the group failed")) << LastError();
    EXPECT_EQ(value, 1);
  });
}
#endif

TEST(Communicator, OneProcessHasTheCallsToo) {
  InCommunicator(1, [](int) {
    int value = 5;
    EXPECT_OK(XGCommunicatorBroadcast(&value, sizeof(value), 0));
    EXPECT_OK(XGCommunicatorAllreduce(&value, 1, 6, 2));
    EXPECT_EQ(value, 5);
    EXPECT_OK(XGCommunicatorSignalError());
  });
}

TEST(Communicator, ReducesAndGathers) {
  InCommunicator(3, [](int rank) {
    std::vector<std::int32_t> values{rank, 1 << rank};
    ASSERT_OK(XGCommunicatorAllreduce(values.data(), 2, 6, 4));
    EXPECT_EQ(values, (std::vector<std::int32_t>{3, 7}));
    std::vector<char> parts(6, 'x');
    parts[2 * rank] = parts[2 * rank + 1] = static_cast<char>('a' + rank);
    ASSERT_OK(XGCommunicatorAllgather(parts.data(), parts.size()));
    EXPECT_EQ(std::string(parts.begin(), parts.end()), "aabbcc");
    EXPECT_OK(XGCommunicatorPrint("a line"));
    EXPECT_EQ(XGCommunicatorAllgather(parts.data(), 5), -1);
    EXPECT_TRUE(Says(LastError(), "whole buffer")) << LastError();
    float real = 0;
    EXPECT_EQ(XGCommunicatorAllreduce(&real, 1, 1, 3), -1);
    EXPECT_TRUE(Says(LastError(), "integers")) << LastError();
    EXPECT_EQ(XGCommunicatorBroadcast(&real, 4, 3), -1);
    EXPECT_EQ(XGCommunicatorAllreduce(&real, 1, 12, 0), -1);
  });
}

TEST(Communicator, AnErrorInOneRanksDataReachesAll) {
  auto n_told = std::make_shared<std::atomic<int>>(0);
  InCommunicator(3, [&](int rank) {
    Rows const part(rank * 60, rank * 60 + 60);
    auto const data = MakeData(part.values, kCols, part.labels);
    auto const booster = MakeBooster(data, {{"objective", "binary:logistic"}});  // the labels are not from 0 to 1
    EXPECT_EQ(XGBoosterUpdateOneIter(booster.get(), 0, data.get()), -1);
    if (Says(LastError(), "label")) ++*n_told;
  });
  EXPECT_EQ(*n_told, 3);
}

TEST(Communicator, CertificatesAreNotIgnored) {
  TrackerHandle tracker = nullptr;
  EXPECT_EQ(XGTrackerCreate(R"({"n_workers": 1, "host": "127.0.0.1", "server_key_path": "key.pem"})", &tracker), -1);
  EXPECT_TRUE(Says(LastError(), "server_key_path is given, and this communicator does not encrypt")) << LastError();
  EXPECT_EQ(XGCommunicatorInit(R"({"FEDERATED_CLIENT_CERT": "cert.pem"})"), -1);
  EXPECT_TRUE(Says(LastError(), "federated_client_cert is given")) << LastError();
  EXPECT_OK(XGCommunicatorInit(R"({"federated_client_cert": null})"));
  EXPECT_OK(XGCommunicatorFinalize());
}

TEST(Communicator, BadConfigurationsAreRefused) {
  TrackerHandle tracker = nullptr;
  for (auto const* bad : {"{}", R"({"n_workers": 0})", R"({"n_workers": 1, "port": -1})", R"({"n_workers": "1"})",
                          R"({"n_workers": 1, "sortby": 2})", R"({"n_workers": 1, "timeout": -1})",
                          R"({"n_workers": 1, "host": "no such host"})"}) {
    EXPECT_EQ(XGTrackerCreate(bad, &tracker), -1) << bad;
  }
  tracker = StartTracker(2);
  auto const port = ArgumentsOf(tracker).at("dmlc_tracker_port").get<int>();
  TrackerHandle other = nullptr;
  EXPECT_EQ(XGTrackerCreate(json({{"n_workers", 1}, {"host", "127.0.0.1"}, {"port", port}}).dump().c_str(), &other),
            -1);
  EXPECT_TRUE(Says(LastError(), "Failed to bind socket")) << LastError();
  EXPECT_EQ(XGTrackerWaitFor(tracker, R"({"timeout": 1})"), -1);
  EXPECT_TRUE(Says(LastError(), "Timeout waiting for the tracker")) << LastError();
  EXPECT_EQ(XGTrackerFree(tracker), -1);
  EXPECT_TRUE(Says(LastError(), "Failed to accept connection")) << LastError();
  ASSERT_OK(XGTrackerCreate(R"({"n_workers": 2, "host": "127.0.0.1"})", &tracker));
  EXPECT_EQ(XGTrackerWaitFor(tracker, nullptr), -1);
  EXPECT_TRUE(Says(LastError(), "does not run")) << LastError();
  EXPECT_EQ(XGDMatrixFree(tracker), -1);
  EXPECT_OK(XGTrackerFree(tracker));
  EXPECT_EQ(XGTrackerFree(nullptr), -1);
}

}  // namespace
}  // namespace kauri::testing

#include "engine/margin_cache.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

std::shared_ptr<DataMatrix const> MakeData() {
  DenseStorage storage;
  storage.values = {1.0F, 2.0F};
  return DataMatrix::FromDense(std::move(storage), 2, 1);
}

/// A model of `n_trees` empty trees, and its cached margins for one data set.
struct Session {
  explicit Session(std::size_t n_trees) {
    model.trees.resize(n_trees);
    Begin();
    held.Hold(Wanted());
  }
  WantedMargins Wanted() const { return {data, model, start, dropped}; }
  MarginPlan Begin() { return held.Begin(Wanted()); }

  std::shared_ptr<DataMatrix const> data = MakeData();
  Model model;
  std::vector<float> start{0.5F};
  std::vector<std::int64_t> dropped;
  MarginCache held;
};

TEST(MarginCache, NothingIsToBeDoneForTheSameModel) {
  Session session(3);
  EXPECT_TRUE(session.Begin().IsNothing());
  EXPECT_FALSE(session.held.IsInvalid());
}

TEST(MarginCache, NewTreesAreAdded) {
  Session session(3);
  session.model.trees.resize(5);
  auto const plan = session.Begin();
  EXPECT_FALSE(plan.restart);
  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_EQ(plan.runs[0].begin, 3);
  EXPECT_EQ(plan.runs[0].end, 5);
  EXPECT_TRUE(session.held.IsInvalid());  // until they are computed
  EXPECT_TRUE(session.Begin().restart);
  session.held.Hold(session.Wanted());
  session.model.trees.resize(6);
  session.held.NoteNewTrees(session.model);
  EXPECT_TRUE(session.Begin().IsNothing());
}

TEST(MarginCache, DroppedTreesAreLeftOut) {
  Session session(5);
  session.dropped = {0, 2, 3};
  auto const plan = session.Begin();
  EXPECT_TRUE(plan.restart);
  EXPECT_FALSE(plan.first_time);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[0].begin, 1);
  EXPECT_EQ(plan.runs[0].end, 2);
  EXPECT_EQ(plan.runs[1].begin, 4);
  EXPECT_EQ(plan.runs[1].end, 5);
}

TEST(MarginCache, WhatTheyAreMadeOfMayChange) {
  Session start(2);
  start.start[0] = 1.0F;
  EXPECT_TRUE(start.Begin().restart);
  Session weight(2);
  weight.model.tree_weights = {1.0F, 0.5F};
  EXPECT_TRUE(weight.Begin().restart);
  Session fewer(2);
  fewer.model.trees.pop_back();
  EXPECT_TRUE(fewer.Begin().restart);
  Session same(2);
  same.model.tree_weights = {1.0F, 1.0F};
  EXPECT_TRUE(same.Begin().IsNothing());
}

struct Entry {
  MarginCache held;
};

TEST(DataCache, EntriesGoWithTheirData) {
  DataCache<Entry> cache;
  Model const model;
  std::vector<float> const start{0.5F};
  auto const gone = MakeData();
  auto const kept = MakeData();
  for (auto const& data : {gone, kept}) cache.Open(*data)->held.Hold({data, model, start, {}});
  auto const* const entry = &cache.Of(*kept);
  EXPECT_EQ(cache.Open(*kept), entry);
  EXPECT_NO_THROW(cache.Of(*gone));
  cache.Of(*gone).held.Invalidate();  // happens when the data are freed
  cache.Open(*kept);
  EXPECT_THROW(cache.Of(*gone), Error);
}

}  // namespace
}  // namespace kauri

/// Rounds that fail on a device leave the booster unchanged: snapshot and margins are the same as before, and later
/// rounds give the bytes of a booster that never failed.
#include <functional>
#include <limits>

#include "booster/learner.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 600;
constexpr std::int64_t kCols = 5;

std::shared_ptr<DataMatrix> MakeData(float n_classes) {
  std::shared_ptr<DataMatrix> data = MakeMatrix({kRows, kCols, 0.2, 0, false, 17});
  Random random(18);
  for (std::int64_t row = 0; row < kRows; ++row) {
    data->MutableInfo()->labels.push_back(std::floor(static_cast<float>(random.Uniform()) * n_classes));
  }
  return data;
}

/// A booster on a device, and its training data.
struct Session {
  explicit Session(std::string const& booster) : data(MakeData(3.0F)) {
    ParamMap params{{"device", "cuda"},  {"objective", "multi:softprob"}, {"num_class", "3"},
                    {"max_depth", "3"},  {"tree_method", "exact"},        {"booster", booster},
                    {"subsample", "0.8"}};
    if (booster == "dart") params["rate_drop"] = "0.5";
    for (auto const& [name, value] : params) learner.SetParam(name, value);
  }
  void Train(int n_rounds) {
    for (int round = 0; round < n_rounds; ++round) learner.BoostRound(data, learner.NumIterations());
  }
  std::vector<float> Margins() { return learner.PredictTraining(data, {PredictKind::kMargin, {}, false, {}}).values; }

  Learner learner;
  std::shared_ptr<DataMatrix> data;
};

using Act = std::function<void(Session*)>;

/// Boosts with a bad last pair of the last output; the trees of the other outputs are made by then.
void LastGradient(Session* session, float value) {
  std::vector<GradientPair> pairs(kRows * 3, GradientPair{0.25F, 1.0F});
  for (std::size_t i = 0; i < pairs.size(); i += 3) pairs[i].gradient = -1.0F;
  pairs.back().gradient = value;
  session->learner.BoostRound(session->data, session->learner.NumIterations(), pairs);
}

/// Boosts a round while the label of row 7 is `label`.
void Label(Session* session, float label) {
  auto const before = session->data->Info().labels[7];
  session->data->MutableInfo()->labels[7] = label;
  auto const restore = [&] { session->data->MutableInfo()->labels[7] = before; };
  try {
    session->Train(1);
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

/// Boosts a round while a field of the data has `size` values.
void Field(Session* session, std::vector<float> MetaInfo::*field, std::size_t size) {
  (session->data->MutableInfo()->*field).assign(size, 0.5F);
  auto const restore = [&] { (session->data->MutableInfo()->*field).clear(); };
  try {
    session->Train(1);
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

std::vector<std::pair<char const*, Act>> Failures() {
  return {
      {"a NaN gradient", [](Session* at) { LastGradient(at, std::numeric_limits<float>::quiet_NaN()); }},
      {"an infinite gradient", [](Session* at) { LastGradient(at, std::numeric_limits<float>::infinity()); }},
      {"too few gradients", [](Session* at) { at->learner.BoostRound(at->data, 0, std::vector<GradientPair>(7)); }},
      {"a class too many", [](Session* at) { Label(at, 3.0F); }},
      {"too few weights", [](Session* at) { Field(at, &MetaInfo::weights, 7); }},
      {"a base margin of other outputs", [](Session* at) { Field(at, &MetaInfo::base_margin, kRows * 2); }},
  };
}

class DeviceFailures : public DeviceTest {
 protected:
  static void ExpectNoTrace(std::string const& booster, int n_rounds) {
    Session never_failed(booster);
    never_failed.Train(n_rounds + 2);
    for (auto const& [name, act] : Failures()) {
      SCOPED_TRACE(booster + " " + std::to_string(n_rounds) + " " + name);
      Session session(booster);
      session.Train(n_rounds);
      auto const before = session.learner.SaveSnapshot();
      EXPECT_THROW(act(&session), Error);
      EXPECT_EQ(session.learner.SaveSnapshot(), before);
      session.Train(2);
      EXPECT_EQ(session.learner.SaveSnapshot(), never_failed.learner.SaveSnapshot());
      EXPECT_TRUE(SameFloats(session.Margins(), never_failed.Margins()));
    }
  }
};

TEST_F(DeviceFailures, LeaveNoTrace) {
  for (auto const n_rounds : {0, 3}) ExpectNoTrace("gbtree", n_rounds);
  ExpectNoTrace("dart", 3);
}

/// Margins that were kept for three classes must not be used for five, nor margins of one base score for another.
TEST_F(DeviceFailures, MarginsFollowTheParameters) {
  Session session("gbtree");
  EXPECT_EQ(session.Margins().size(), static_cast<std::size_t>(kRows * 3));
  session.learner.SetParam("num_class", "5");
  EXPECT_EQ(session.Margins().size(), static_cast<std::size_t>(kRows * 5));
  session.Train(2);
  Session fresh("gbtree");
  fresh.learner.SetParam("num_class", "5");
  fresh.Train(2);
  EXPECT_EQ(session.learner.SaveSnapshot(), fresh.learner.SaveSnapshot());
}

}  // namespace
}  // namespace kauri::testing

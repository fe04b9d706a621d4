/// predictor=cpu_predictor with device=cuda, and gpu_predictor with device=cpu: the same margins and leaves, bit for
/// bit.
#include "booster/learner.h"
#include "support/device_fixture.h"
#include "support/learner_predict.h"

namespace kauri::testing {
namespace {

class PredictorChoiceTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    data_ = MakeMatrix({5000, 8, 0.1, 0, false, 21});
    Random random(22);
    for (int row = 0; row < 5000; ++row) data_->MutableInfo()->labels.push_back(static_cast<float>(random.Below(2)));
  }

  /// Predicts after three rounds with an evaluation set, to whose margins the predictor adds every round.
  std::vector<float> Predict(std::string const& device, std::string const& predictor, PredictKind kind) const {
    Learner learner;
    for (auto const& [name, value] : ParamMap{{"device", device},
                                              {"predictor", predictor},
                                              {"tree_method", "exact"},
                                              {"objective", "binary:logistic"}}) {
      learner.SetParam(name, value);
    }
    std::shared_ptr<DataMatrix> const other = MakeMatrix({700, 8, 0.1, 0, false, 23});
    other->MutableInfo()->labels.assign(700, 1.0F);
    for (int round = 0; round < 3; ++round) {
      learner.BoostRound(data_, round);
      learner.Evaluate({{"other", other}});
    }
    PredictOptions options;
    options.kind = kind;
    return PredictData(learner, *data_, options).values;
  }

  std::shared_ptr<DataMatrix> data_;
};

TEST_F(PredictorChoiceTest, AnyPredictorOnAnyDevice) {
  for (auto const kind : {PredictKind::kMargin, PredictKind::kLeaf, PredictKind::kApproxContribution}) {
    auto const expected = Predict("cpu", "auto", kind);
    EXPECT_TRUE(SameFloats(Predict("cuda", "auto", kind), expected));
    EXPECT_TRUE(SameFloats(Predict("cuda", "cpu_predictor", kind), expected));
    EXPECT_TRUE(SameFloats(Predict("cpu", "gpu_predictor", kind), expected));
  }
}

}  // namespace
}  // namespace kauri::testing

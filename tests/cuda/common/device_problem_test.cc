/// The messages for machines that the plug-in cannot use. No test needs a device.
#include "cuda/common/device_problem.h"

#include "cuda/common/cuda_context.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using cuda::DeviceProblem;

TEST(DeviceProblem, NoneWhereThereIsADevice) { EXPECT_EQ(DeviceProblem({cudaSuccess, 2, 13000, 13000}), ""); }

TEST(DeviceProblem, NoDriver) {
  EXPECT_EQ(DeviceProblem({cudaErrorInsufficientDriver, 0, 0, 13010}),
            "no NVIDIA driver is installed. Install one that supports CUDA 13.1.");
}

TEST(DeviceProblem, OldDriver) {
  EXPECT_EQ(DeviceProblem({cudaErrorInsufficientDriver, 0, 12040, 13000}),
            "the NVIDIA driver supports CUDA 12.4, but the plug-in was built for CUDA 13.0. Update the driver.");
}

TEST(DeviceProblem, NoDevice) {
  for (auto const code : {cudaSuccess, cudaErrorNoDevice}) {
    EXPECT_EQ(DeviceProblem({code, 0, 13000, 13000}),
              "the NVIDIA driver sees no CUDA device. Check with nvidia-smi that one is there, and that this container "
              "or account may use it.");
    EXPECT_EQ(DeviceProblem({code, 0, 13000, 13000, "-1"}),
              "the NVIDIA driver sees no CUDA device; CUDA_VISIBLE_DEVICES is '-1'. Unset it to use all devices.");
  }
}

TEST(DeviceProblem, AnythingElseHasCudasWords) {
  auto const text = DeviceProblem({cudaErrorSystemNotReady, 0, 13000, 13000});
  for (auto const* part : {"the CUDA runtime does not start: cudaErrorSystemNotReady (", "nvidia-smi."}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(DeviceProblem, TheSurveyAgreesWithTheRuntime) {
  auto const survey = cuda::SurveyDevices();
  EXPECT_EQ(DeviceProblem(survey).empty(), HasDevice());
  EXPECT_GT(survey.runtime_version, 0);
}

TEST(CheckCuda, CodeForAnotherDevice) {
  auto const message = MessageOf(ErrorKind::kDevice, [] { KAURI_CUDA_CHECK(cudaErrorNoKernelImageForDevice); });
  EXPECT_NE(message.find("CMAKE_CUDA_ARCHITECTURES"), std::string::npos) << message;
  EXPECT_NE(message.find("device=cpu"), std::string::npos) << message;
}

TEST(CheckCuda, NamesCallCodeAndPlace) {
  auto const message = MessageOf(ErrorKind::kDevice, [] { KAURI_CUDA_CHECK(cudaErrorInvalidValue); });
  for (auto const* part : {"cudaErrorInvalidValue returned cudaErrorInvalidValue (", " device_problem_test.cc:"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace kauri::testing

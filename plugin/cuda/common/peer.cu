#include "cuda/common/peer.h"

namespace kauri::cuda {
namespace {

void LetReach(int owner, int peer) {
  int can = 0;
  KAURI_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, peer, owner));
  if (can == 0) return;
  cudaMemPool_t pool = nullptr;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, owner));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  KAURI_CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
}

}  // namespace

void ReachEachOther(int one, int other) {
  if (one == other) return;
  LetReach(one, other);
  LetReach(other, one);
}

}  // namespace kauri::cuda

#include "cuda/common/peer.h"

namespace kauri::cuda {
namespace {

void LetReach(int owner, int peer) {
  if (!CanRead(peer, owner)) return;
  cudaMemPool_t pool = nullptr;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, owner));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  KAURI_CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
}

}  // namespace

bool CanRead(int device, int owner) {
  if (device == owner) return true;
  int can = 0;
  KAURI_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, owner));
  return can != 0;
}

void ReachEachOther(int one, int other) {
  if (one == other) return;
  LetReach(one, other);
  LetReach(other, one);
}

}  // namespace kauri::cuda

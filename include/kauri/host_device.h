/// \file KAURI_HD marks a function that both sides compile: the host compiler, and nvcc when the plug-in includes it.
/// This is the only place in the core that knows that a device compiler exists.
#pragma once

#if defined(__CUDACC__)
#define KAURI_HD __host__ __device__ __forceinline__
#else
#define KAURI_HD inline
#endif

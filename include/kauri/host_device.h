/// \file KAURI_HD marks a function that both compilers compile: the host compiler, and nvcc when the plug-in includes
/// it. No other place in the core refers to the device compiler.
#pragma once

#if defined(__CUDACC__)
#define KAURI_HD __host__ __device__ __forceinline__
#else
#define KAURI_HD inline
#endif

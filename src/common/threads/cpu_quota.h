/// \file The CPU time that a control group (a container, a service, a batch job) grants its processes.
#pragma once

#include <string>

namespace kauri {

/// Returns the CPU time, in processors, that this process's control group and all its ancestors grant: the minimum over
/// them; 0 if none sets a bound or the bounds cannot be read. Supports version 2 (cpu.max) and 1 (cpu.cfs_quota_us and
/// cpu.cfs_period_us). `root` is a prefix of every path, for tests; "" is the machine.
double CpuQuota(std::string const& root);

}  // namespace kauri

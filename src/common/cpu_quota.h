/// \file The share of the machine's time that a control group (a container, a service, a batch job) grants its
/// processes.
#pragma once

#include <string>

namespace kauri {

/// Processors' worth of time that this process's control group and all those around it grant, the least of them; 0 if
/// none sets a bound, or if that cannot be read. Version 2 (cpu.max) and 1 (cpu.cfs_quota_us and cpu.cfs_period_us).
/// `root` stands before every path, for tests; "" is the machine.
double CpuQuota(std::string const& root);

}  // namespace kauri

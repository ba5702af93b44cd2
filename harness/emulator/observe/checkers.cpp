#include "emulator/observe/checkers.hpp"

namespace cugrade::emulator {

void Checkers::launch_ended(const Launch& launch) {
    races_.launch_ended(launch);
    if (!launch.fault) return;
    Finding fault = finding_of(*launch.fault);
    fault.kernel = demangled(launch.kernel->source->name);
    findings_.add(std::move(fault));
}

}  // namespace cugrade::emulator

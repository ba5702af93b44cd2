#include "emulator/observe/checkers.hpp"

namespace cugrade::emulator {

void Checkers::launch_ended(const Launch& launch) {
    races_.launch_ended(launch);
    initialised_.launch_ended(launch);
    findings_.drop_explained();
    if (!launch.fault) return;
    Finding fault = finding_of(*launch.fault);
    fault.kernel = demangled(launch.kernel->source->name);
    findings_.add(std::move(fault));
}

}  // namespace cugrade::emulator

#include "emulator/observe/checkers.hpp"

#include <fmt/format.h>

namespace cugrade::emulator {

void Checkers::copied_to_host(std::uint64_t address, std::uint64_t bytes) {
    if (unread_stores_) unread_stores_->read(address, bytes);
    const DefinedMemory::Unwritten unwritten = undefined_.memory().unwritten(address, bytes);
    if (unwritten.bytes == 0) return;
    Finding f;
    f.kind = FindingKind::unwritten_copy;
    f.buffer = memory_.describe(unwritten.first);
    f.message = fmt::format(
        "{} of {} bytes that are copied to the host were written by no kernel and no copy, the "
        "first of them {}: do the launches cover all of it, and does the copy take only that?",
        unwritten.bytes, bytes, f.buffer);
    findings_.add(std::move(f));
}

void Checkers::launch_ended(const Launch& launch) {
    races_.launch_ended(launch);
    initialised_.launch_ended(launch);
    locks_.launch_ended(launch);
    findings_.drop_explained();
    if (!launch.fault) return;
    Finding fault = finding_of(*launch.fault);
    fault.kernel = demangled(launch.kernel->source->name);
    findings_.add(std::move(fault));
}

}  // namespace cugrade::emulator

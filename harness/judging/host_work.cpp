#include "judging/host_work.hpp"

namespace cugrade {

std::optional<HostWork> host_work_of(const TaskSpec& task, const CaseSpec& spec,
                                     const std::vector<emulator::KernelCounts>& kernels,
                                     const emulator::HostCounts& host) {
    HostWork out{.read_bytes = host.read_bytes};
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) continue;
        const auto bytes =
            static_cast<std::uint64_t>(elements_of(argument, spec)) * size_of(argument.dtype);
        if (argument.role != Role::output) out.input_bytes += bytes;
        if (argument.role != Role::input) out.output_bytes += bytes;
    }
    // cudaMemset and copies on the device are the device's work, although the host asks for them.
    out.stored_bytes = host.filled_bytes + host.copied_bytes;
    for (const emulator::KernelCounts& kernel : kernels)
        out.stored_bytes += kernel.total.global_store.bytes + kernel.total.global_atomic.bytes;
    const bool brought_to_host = out.input_bytes > 0 && 2 * out.read_bytes >= out.input_bytes;
    const bool left_unwritten = out.stored_bytes < out.output_bytes;
    if (!brought_to_host && !left_unwritten) return std::nullopt;
    return out;
}

}  // namespace cugrade

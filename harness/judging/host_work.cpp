#include "judging/host_work.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/rounding.hpp"

namespace cugrade {
namespace {

/// Of the bytes of the inputs, the part that may reach the host. Chosen: bins of 7 bits packed into
/// words of 32 are 22 %, and the partial sums of blocks of 128 threads less than 1 %.
constexpr double most_on_host = 0.125;
/// Of the bytes that have to be read and written, the part that the device has to do. Chosen: a
/// right submission does all of it, but for what it can skip because the data let it.
constexpr double least_on_device = 0.9;

double part(std::uint64_t of, std::uint64_t all) {
    return static_cast<double>(of) / static_cast<double>(std::max<std::uint64_t>(all, 1));
}

HostWork bytes_of(const TaskSpec& task, const CaseSpec& spec,
                  const emulator::DeviceCounts& counts) {
    HostWork out{.read_bytes = counts.host.read_bytes + counts.host.shown_bytes, .why = {}};
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) continue;
        const auto bytes =
            static_cast<std::uint64_t>(elements_of(argument, spec)) * size_of(argument.dtype);
        if (argument.role != Role::output) out.input_bytes += bytes;
        if (argument.role != Role::input) out.output_bytes += bytes;
        const auto buffer =
            std::ranges::find(counts.buffers, argument.name, &emulator::BufferCounts::name);
        const bool seen = buffer != counts.buffers.end();
        if (argument.role != Role::output && std::ranges::count(task.moves, argument.name) > 0) {
            out.moved_inputs += bytes;
            out.covered_inputs += seen ? buffer->read_bytes : 0;
        }
        if (argument.role != Role::input) out.covered_outputs += seen ? buffer->stored_bytes : 0;
    }
    // cudaMemset and copies on the device are the device's work, although the host asks for them.
    out.stored_bytes = counts.host.filled_bytes + counts.host.copied_bytes;
    for (const emulator::KernelCounts& kernel : counts.kernels)
        out.stored_bytes += kernel.total.global_store.bytes + kernel.total.global_atomic.bytes;
    return out;
}

/// The host writes the outputs, and they are the end of what kernels have begun.
bool is_finished_by_host(const HostWork& work) {
    return work.read_bytes >= work.output_bytes &&
           part(work.output_bytes, work.input_bytes) <= most_on_host;
}

}  // namespace

std::optional<HostWork> host_work_of(const TaskSpec& task, const CaseSpec& spec,
                                     const emulator::DeviceCounts& counts) {
    HostWork out = bytes_of(task, spec, counts);
    const auto some = [](std::uint64_t bytes) { return rounded(bytes, 2); };
    if (out.input_bytes > 0 && part(out.read_bytes, out.input_bytes) >= most_on_host)
        out.why = fmt::format("{} bytes go to the host, and the inputs have {}", some(out.read_bytes),
                              out.input_bytes);
    else if (out.moved_inputs > 0 && part(out.covered_inputs, out.moved_inputs) < least_on_device)
        out.why = fmt::format("kernels read {} of the {} bytes of the inputs", some(out.covered_inputs),
                              out.moved_inputs);
    else if (out.stored_bytes < out.output_bytes)
        out.why = fmt::format("kernels write {} bytes and the outputs have {}", some(out.stored_bytes),
                              out.output_bytes);
    else if (out.output_bytes > 0 &&
             part(out.covered_outputs, out.output_bytes) < least_on_device &&
             !is_finished_by_host(out))
        out.why = fmt::format("the device itself stores {} of the {} bytes of the outputs",
                              some(out.covered_outputs), out.output_bytes);
    else
        return std::nullopt;
    return out;
}

}  // namespace cugrade

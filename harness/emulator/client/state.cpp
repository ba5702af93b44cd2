#include "emulator/client/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace cugrade::emulator {
namespace {

template <std::size_t n>
std::string text_of(const char (&field)[n]) {
    return {field, strnlen(field, n)};
}

}  // namespace

Result<EmulatorProcess::State> read_state(const protocol::StateRecord& r) {
    if (r.fault_kind > static_cast<std::uint32_t>(FaultKind::unsupported) ||
        !std::isfinite(r.seconds))
        return Error{.message = "the emulator states what cannot be",
                     .remedy = "run it again; if it stays, please report it with the submission"};
    EmulatorProcess::State out;
    if (r.fault_kind != 0) {
        Fault f;
        f.kind = static_cast<FaultKind>(r.fault_kind);
        f.message = text_of(r.message);
        f.kernel = text_of(r.kernel);
        f.file = text_of(r.file);
        std::copy(std::begin(r.block), std::end(r.block), f.block.begin());
        std::copy(std::begin(r.thread), std::end(r.thread), f.thread.begin());
        f.line = r.line;
        f.column = r.column;
        f.address = r.address;
        f.spinning = r.spinning != 0;
        out.fault = std::move(f);
        out.launch_site = r.launch_site;
        out.memory_site = r.memory_site;
        out.memory_is_freed = r.memory_is_freed != 0;
    }
    out.first_api_error = text_of(r.api_error);
    out.error_site = r.error_site;
    out.stats = {r.warp_instructions, r.thread_instructions, r.seconds};
    out.launches = r.launches;
    return out;
}

}  // namespace cugrade::emulator

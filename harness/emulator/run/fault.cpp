// Address translation lane by lane, and the words of faults.
#include <sys/mman.h>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "emulator/ops/access.hpp"
#include "emulator/ptx/places.hpp"
#include "emulator/run/speculation.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

std::array<u32, 3> thread_index(const Warp& w, u32 lane) {
    const Dim3& dim = w.launch->block;
    const u32 t = w.index * lanes + lane;
    return {t % dim.x, t / dim.x % dim.y, t / dim.x / dim.y};
}

std::string triple(const std::array<u32, 3>& v) {
    return fmt::format("({},{},{})", v[0], v[1], v[2]);
}

}  // namespace

namespace {
Place place_of(const Program& program, const ptx::SourceLine& line) {
    return {std::string(ptx::file_of(*program.module, line)), line.line, line.column};
}
}  // namespace

Place place_of(const Program& program, const Ins* i) {
    return place_of(program, ptx::students_line(*program.module, program.source_of(i)));
}

std::vector<Place> callers_of(const Program& program, const Ins* i) {
    std::vector<Place> all;
    for (const ptx::SourceLine& line : ptx::calls_around(*program.module, program.source_of(i)))
        all.push_back(place_of(program, line));
    return all;
}

std::string Place::text() const {
    if (line == 0) return "a line that is not known (compile with -lineinfo)";
    const auto slash = file.rfind('/');
    const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    return name.empty() ? fmt::format("line {}", line) : fmt::format("line {} of {}", line, name);
}

Fault fault_of(const Warp& w, const Ins* i, FaultKind kind, u32 lane, std::string message,
               u64 address) {
    Fault fault;
    fault.kind = kind;
    fault.block = w.block->index;
    fault.thread = thread_index(w, lane);
    const bool of_block = kind == FaultKind::barrier_divergence || kind == FaultKind::unsupported;
    fault.message = of_block ? std::move(message)
                             : fmt::format("thread {} of block {} {}", triple(fault.thread),
                                           triple(fault.block), message);
    const Place place = place_of(*w.launch->program, i);
    fault.file = place.file;
    fault.line = place.line;
    fault.column = place.column;
    fault.address = address;
    return fault;
}

const Ins* fail(Warp& w, const Ins* i, FaultKind kind, u32 lane, std::string message, u64 address) {
    w.launch->fault = fault_of(w, i, kind, lane, std::move(message), address);
    w.current.pc = i;
    return stop;
}

namespace {

/// Larger stacks are mapped: of most a few pages are used, and calloc() clears the whole of memory
/// that was in use before.
constexpr std::uint64_t most_allocated = std::uint64_t{128} << 10;

}  // namespace

std::byte* reserve_stack(Launch& launch, std::uint64_t bytes) {
    void* p = bytes <= most_allocated ? std::calloc(1, bytes)
                                      : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == nullptr || p == MAP_FAILED)
        throw HarnessFault("out of host memory for the stack of an emulated warp");
    launch.stacks.emplace_back(static_cast<std::byte*>(p), bytes);
    return static_cast<std::byte*>(p);
}

void release_stacks(Launch& launch) {
    for (const auto& [stack, bytes] : launch.stacks)
        if (bytes <= most_allocated)
            std::free(stack);
        else
            (void)munmap(stack, bytes);
    launch.stacks.clear();
}

namespace {

/// The function that an instruction belongs to: its .local variables bound the stack in use.
const DecodedFunction& function_of(const Warp& w, const Ins* i) {
    const Program& program = *w.launch->program;
    return program.functions[program.origins[program.index_of(i)].function];
}

std::byte* local_host(Warp& w, u32 lane, u64 offset) {
    if (w.local_memory == nullptr)
        w.local_memory = reserve_stack(*w.launch, lanes * w.launch->local_stack_bytes);
    return w.local_memory + (offset / local_piece * lanes + lane) * local_piece +
           offset % local_piece;
}

/// Where an access goes that is to have no effect.
std::byte* nowhere() {
    thread_local std::array<std::byte, max_access_bytes> zeros;
    zeros.fill(std::byte{0});
    return zeros.data();
}

std::string access(bool write, u64 bytes) {
    return fmt::format("{} {} byte{}", write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

Range find_range(Launch& launch, const Ins* i, u64 address) {
    const Range found = launch.arena->find(address);
    return launch.speculator == nullptr ? found : launch.speculator->use(found, address, i->use);
}

std::byte* translate(Warp& w, const Ins* i, Space space, u32 lane, u64 address, u64 bytes,
                     bool write) {
    Launch& launch = *w.launch;
    const u64 given = address;
    const auto outside = [&](const std::string& where) -> std::byte* {
        if (launch.program->source_of(i).ignores_outside) return nowhere();
        fail(w, i, FaultKind::out_of_bounds, lane,
             fmt::format("{} at {}", access(write, bytes), where), given);
        return nullptr;
    };
    if ((address & (std::bit_floor(bytes) - 1)) != 0) {
        fail(w, i, FaultKind::misaligned, lane,
             fmt::format("{} at {:#x}, which is not a multiple of {}: a pointer to a smaller type "
                         "was cast to a larger one",
                         access(write, bytes), given, std::bit_floor(bytes)),
             given);
        return nullptr;
    }
    if (space == Space::generic) {
        if (address - shared_window < u64{1} << 32) {
            space = Space::shared;
            address -= shared_window;
        } else if (address - local_window < u64{1} << 32) {
            space = Space::local;
            address -= local_window;
        } else if (address - param_window < u64{1} << 32) {
            space = Space::param;
            address -= param_window;
        }
    }
    switch (space) {
        case Space::shared: {
            if (address < launch.shared_bytes && launch.shared_bytes - address >= bytes)
                return w.block->shared + address;
            const auto offset = static_cast<s64>(static_cast<s32>(address));
            const std::string size =
                fmt::format("the block's shared memory ({} bytes)", launch.shared_bytes);
            if (launch.shared_bytes == 0)
                return outside("shared memory, of which the block has none");
            if (offset < 0)
                return outside(fmt::format("{} bytes before the start of {}", -offset, size));
            return outside(fmt::format("{} bytes past the end of {}",
                                       address - std::min<u64>(address, launch.shared_bytes),
                                       size));
        }
        case Space::local: {
            const u64 in_use = w.current.local + function_of(w, i).local_bytes;
            if (address < in_use && in_use - address >= bytes) return local_host(w, lane, address);
            if (static_cast<s64>(address) < 0)
                return outside(
                    fmt::format("{} bytes before the start of the thread's local "
                                "memory: an index below zero into a local array?",
                                0 - address));
            return outside(
                fmt::format("{} bytes past the end of the thread's local memory ({} "
                            "bytes): an index too large into a local array?",
                            address - std::min(address, in_use), in_use));
        }
        case Space::param:
            if (!write && address < launch.params.size() && launch.params.size() - address >= bytes)
                return const_cast<std::byte*>(launch.params.data()) + address;
            return outside("an address outside the kernel's parameters");
        default: break;
    }
    Range& range = launch.ranges[i->range];
    if (!range.holds(address, bytes)) {
        const Range found = find_range(launch, i, address);
        if (!found.holds(address, bytes)) {
            std::string where = launch.arena->located(address);
            if (found.bytes != 0) where += ", across its end";
            return outside(where);
        }
        range = found;
    }
    if (write && range.written != nullptr) note_written(range.written, address - range.lo, bytes);
    return range.host(address);
}

std::byte* probe(Warp& w, u32 lane, u64 address, u64 bytes) {
    const Launch& launch = *w.launch;
    if (address - shared_window < u64{1} << 32) {
        address -= shared_window;
        return address + bytes <= launch.shared_bytes ? w.block->shared + address : nullptr;
    }
    if (address - local_window < u64{1} << 32) {
        address -= local_window;
        // Bytes lie together on the host only within a piece.
        const bool is_there = address + bytes <= launch.local_stack_bytes &&
                              address % local_piece + bytes <= local_piece;
        return is_there ? local_host(w, lane, address) : nullptr;
    }
    return launch.arena->find(address).holds(address, bytes) ? launch.arena->host(address)
                                                             : nullptr;
}

}  // namespace cugrade::emulator

// What a handler sees: decoded instructions, warps of 32 lanes, blocks, and their launch.
//
// A register is a row of 32 lanes: 4 bytes a lane up to 32-bit types, 8 bytes for 64-bit ones. A
// predicate is one word, a bit per lane. Operands name a row by base and byte offset; immediates,
// special registers and kernel parameters are rows too, so a handler has one form only.
#pragma once

#include <bit>
#include <cstring>

#include "emulator/state/memory.hpp"
#include "emulator/state/place.hpp"

namespace cugrade::emulator {

constexpr std::uint32_t lanes = 32;
constexpr std::uint32_t all_lanes = 0xFFFFFFFF;
constexpr std::uint32_t no_row = 0xFFFFFFFF;

struct Ins;
struct Warp;
struct Block;
struct Launch;
struct Program;
struct Watched;
struct WatchedCode;
class Workers;
class Speculator;
struct GridWork;
class DeviceRuntime;

using ptx::demangled;
using ptx::is_any_of;

/// Executes one instruction for the active lanes and returns the next, or `stop` when the warp has
/// to be rescheduled (it then has set Warp::current.pc and, if it waits, Warp::current.state).
using Handler = const Ins* (*)(Warp&, const Ins*);
inline const Ins* const stop = reinterpret_cast<const Ins*>(~std::uintptr_t{0});

/// Which rows an operand's offset is counted from.
enum Base : std::uint8_t {
    in_frame,  ///< registers of the current call frame
    in_pool,   ///< constants of the module, and values fixed for the launch
    in_warp,   ///< %tid
    in_block,  ///< %ctaid
    base_count,
};

/// How an instruction names the memory that it touches.
enum class Touch : std::uint8_t {
    nothing,
    rows4,  ///< a row of 32-bit addresses, plus imm
    rows8,  ///< a row of 64-bit addresses, plus imm
    fixed,  ///< one host address, imm
    async,  ///< cp.async
};

/// How an instruction uses global memory, as far as the order of blocks matters. The uses from add4
/// on are atomics without a result, or with an unread one, that leave the same value in any order.
enum class Use : std::uint8_t {
    nothing,
    load,
    store,
    ordered,  ///< other atomics: their order decides what they leave or return
    add4,
    add8,
    min_u4,
    min_u8,
    min_s4,
    min_s8,
    max_u4,
    max_u8,
    max_s4,
    max_s8,
    and4,
    and8,
    or4,
    or8,
    xor4,
    xor8,
};

struct Ins {
    Handler fast = nullptr;   ///< used when every live lane of the warp is active
    Handler slow = nullptr;   ///< used otherwise
    Handler op = nullptr;     ///< the operation itself, for the wrappers `keep` and `guard`
    Handler inner = nullptr;  ///< the handler that `guard` runs under the narrowed mask
    std::uint32_t d = no_row, a = no_row, b = no_row, c = no_row;
    std::uint8_t ka = in_frame, kb = in_frame, kc = in_frame;
    std::uint8_t bytes = 0;  ///< memory: bytes of one element
    std::uint32_t guard = no_row;
    std::int64_t imm = 0;
    std::uint32_t aux = 0;     ///< the opcode's own: flags, combination, count
    std::uint32_t target = 0;  ///< branch target, or index in Program::lists
    std::uint32_t range = 0;   ///< memory: index in Launch::ranges
    std::uint8_t space = 0;    ///< memory: ptx::Space
    std::uint8_t sync = 0;     ///< 1: the thread may wait for others here (volatile, atomic)
    Touch touch = Touch::nothing;
    bool guard_negated : 1 = false;
    bool negated : 1 = false;  ///< the predicate operand is !%p
    Use use : 5 = Use::nothing;
};
static_assert(sizeof(Ins) == 88 || sizeof(Ins) == 80);

/// A 32-lane row at `p`. Lanes are read and written through memcpy: the bytes have no type.
template <class T>
struct Row {
    static constexpr std::size_t stride = sizeof(T) > 4 ? 8 : 4;
    std::byte* p;
    [[nodiscard]] T get(std::size_t lane) const {
        T value;
        std::memcpy(&value, p + lane * stride, sizeof(T));
        return value;
    }
    void set(std::size_t lane, T value) const {
        if constexpr (sizeof(T) < 4) {
            const auto wide = static_cast<std::uint32_t>(value);
            std::memcpy(p + lane * stride, &wide, 4);
        } else {
            std::memcpy(p + lane * stride, &value, sizeof(T));
        }
    }
};

/// Rows start at cache lines.
struct alignas(64) CacheLine {
    std::array<std::byte, 64> bytes{};
};
[[nodiscard]] inline std::byte* data_of(std::vector<CacheLine>& lines) {
    return reinterpret_cast<std::byte*>(lines.data());
}

/// Where a call returns to.
struct Frame {
    const Ins* call = nullptr;
    std::byte* base = nullptr;
    std::uint32_t local = 0;  ///< offset of the caller's .local variables in the thread's stack
    bool operator==(const Frame&) const = default;
};

enum class SplitState : std::uint8_t {
    running,     ///< may run
    at_barrier,  ///< waits at block barrier `barrier`
    at_sync,     ///< waits at a warp-level instruction for lanes that have not arrived
};

/// Lanes of a warp that are at one place. A converged warp is one split.
struct Split {
    const Ins* pc = nullptr;
    std::uint32_t mask = 0;
    SplitState state = SplitState::running;
    std::uint8_t barrier = 0;
    std::uint32_t members = 0;  ///< at_sync: the lanes waited for
    std::uint32_t local = 0;
    std::byte* base = nullptr;
    std::uint64_t last_run = 0;  ///< Warp::turns when it last ran
    std::vector<Frame> frames;
};

/// The search for a warp that goes round in a circle: stuck.hpp.
struct Circling {
    std::uint64_t version = 0;  ///< of memory, when the search began
    std::uint64_t quiet = 0;    ///< instructions since then
    /// Instructions since it began to ask other threads again and again, and since it last asked.
    std::uint64_t asked = 0, silent = 0;
    std::uint64_t next_look = 16'384;  ///< when `quiet` reaches this
    const Ins* place = nullptr;        ///< where `hash` was taken
    std::uint64_t hash = 0, looks = 0, renew_after = 1;
    bool proved = false;  ///< it came back to the place with the same registers
};

/// A word that a warp of a cooperative grid reads again and again: polling.hpp.
struct Poll {
    const Ins* at = nullptr;
    std::uint64_t address = 0;
    std::uint64_t changes = 0;  ///< Launch::changes when it was first read
    std::uint32_t readings = 0;
    std::uint32_t bytes = 0;
    const std::byte* word = nullptr;  ///< set if the warp waits: its slice has ended here
    std::uint64_t value = 0;
    std::uint64_t awaited = 0;     ///< the warp waits until one of these bits changes
    std::uint64_t generation = 0;  ///< of the arena
};

struct Warp {
    std::array<std::byte*, base_count> bases{};
    std::uintptr_t stop_at = 0;  ///< reschedule on reaching this instruction
    Split current;
    std::uint32_t alive = 0;
    std::uint32_t index = 0;
    Block* block = nullptr;
    Launch* launch = nullptr;
    std::vector<Split> others;  ///< splits besides `current`, when lanes have diverged
    std::uint64_t turns = 0;
    std::uint64_t patience = 0;  ///< used up since a split other than the lowest had its turn
    bool rotate = false;         ///< the split that has waited longest runs next
    /// An observer follows values in its registers, and is told of each instruction.
    bool followed = false;
    Circling circling;
    Poll poll;
    std::byte* frame0 = nullptr;        ///< registers of the kernel
    std::byte* stack = nullptr;         ///< registers of called functions, allocated on first call
    std::byte* local_memory = nullptr;  ///< 32 stacks, interleaved; allocated on first use

    template <class T>
    [[nodiscard]] Row<T> dst(const Ins* i) const {
        return {bases[in_frame] + i->d};
    }
    template <class T>
    [[nodiscard]] Row<T> a(const Ins* i) const {
        return {bases[i->ka] + i->a};
    }
    template <class T>
    [[nodiscard]] Row<T> b(const Ins* i) const {
        return {bases[i->kb] + i->b};
    }
    template <class T>
    [[nodiscard]] Row<T> c(const Ins* i) const {
        return {bases[i->kc] + i->c};
    }

    [[nodiscard]] std::uint32_t predicate(std::uint32_t offset) const {
        std::uint32_t value;
        std::memcpy(&value, bases[in_frame] + offset, 4);
        return value;
    }
    /// Sets the active lanes' bits of a predicate.
    void set_predicate(std::uint32_t offset, std::uint32_t value) const {
        value = (predicate(offset) & ~current.mask) | (value & current.mask);
        std::memcpy(bases[in_frame] + offset, &value, 4);
    }
    [[nodiscard]] std::uint32_t first_lane() const {
        return static_cast<std::uint32_t>(std::countr_zero(current.mask));
    }
};

/// Calls f(lane) for each set bit, in lane order; stops early when f returns false.
template <class F>
inline bool for_lanes(std::uint32_t mask, F&& f) {
    for (; mask != 0; mask &= mask - 1)
        if (!f(static_cast<std::uint32_t>(std::countr_zero(mask)))) return false;
    return true;
}

struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0: all threads of the block that have not exited
    const Ins* first = nullptr;
    const Ins* other = nullptr;    ///< an arrival at another source line than `first`
    std::uint32_t true_count = 0;  ///< bar.red: threads with a true predicate
};

/// A block has 16 barriers. Behind them comes one that no program has: a meeting is where an
/// experiment makes threads wait for each other. It waits for those that come, and no longer than
/// another one can still come.
inline constexpr std::uint32_t hardware_barriers = 16;
inline constexpr std::uint32_t meeting_barrier = hardware_barriers;

struct Block {
    std::array<std::uint32_t, 3> index{};
    std::uint64_t number = 0;
    bool active = false;
    std::uint32_t alive_threads = 0;
    std::uint32_t live_warps = 0;
    std::array<Barrier, hardware_barriers + 1> barriers{};
    std::uint32_t waited_at = 0;  ///< bit n: threads have arrived at barrier n
    /// It gets no turn before Launch::executed is this, unless nothing else can run or happens.
    std::uint64_t late_until = 0;
    std::uint64_t warp_late_until = 0;  ///< the same, of one of its warps
    std::uint32_t late_warp = 0;
    std::byte* shared = nullptr;
    std::byte* rows = nullptr;       ///< %ctaid.x, .y, .z, %smid
    std::vector<CacheLine> storage;  ///< those rows, the warps' frames, shared memory
    std::vector<Warp> warps;
};

/// A row operand of an instruction that has more than three.
struct Operand {
    std::uint32_t offset = no_row;
    std::uint8_t base = in_frame;
    std::uint8_t bytes = 4;  ///< of a lane; 0: a predicate
};

/// Which PTX instruction a decoded one came from.
struct Origin {
    std::uint32_t function = 0;
    std::uint32_t instruction = 0;
};

/// A parameter's storage in a frame.
struct Area {
    std::uint32_t offset = 0;  ///< 32 x `bytes`, lane after lane
    std::uint32_t bytes = 0;
};

/// Can a kernel find out in which order its blocks run, other than through global memory?
enum class BlockOrder : std::uint8_t { unknown, hidden, visible };

struct DecodedFunction {
    const ptx::Function* source = nullptr;
    std::uint32_t entry = 0;  ///< index in Program::code
    std::uint32_t end = 0;
    std::uint32_t frame_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint64_t shared_bytes = 0;  ///< static, of an entry
    std::uint32_t live_rows = 0;
    std::vector<Operand> clear;              ///< registers that may be read before they are written
    BlockOrder order = BlockOrder::unknown;  ///< of an entry; known from its first launch on
    bool is_shared_in_vain = false;          ///< host threads could not commit all of its blocks
    std::vector<Area> params, returns;
};

/// A row of the pool that gets its value at launch.
struct LaunchRow {
    enum class Kind : std::uint8_t { param, dynamic_shared, special };
    Kind kind = Kind::param;
    std::uint32_t offset = 0;
    std::uint8_t bytes = 4;
    ptx::Type type = ptx::Type::b32;  ///< param: how it is extended
    std::uint32_t function = 0;       ///< param: of which entry
    std::uint64_t value = 0;          ///< param: offset in the block; dynamic_shared: offset
    std::string name;                 ///< special
};

struct CallSite {
    std::int32_t function = -1;  ///< index in Program::functions, -1: indirect or built in
    std::uint32_t caller = 0;
    std::vector<Area> arguments, results;
};

struct UnsupportedForm {
    std::uint32_t code = 0;
    std::string form;  ///< "mov.u32 %reserved_smem_offset_1"
};

/// One module, decoded. `code` has all functions one after the other, so instructions compare by
/// address alike in every run.
struct Program {
    std::unique_ptr<ptx::Module> module;
    std::vector<Ins> code;
    std::vector<Origin> origins;
    std::vector<Operand> lists;
    std::vector<std::vector<std::uint32_t>> tables;
    std::vector<CallSite> calls;
    std::vector<DecodedFunction> functions;
    std::vector<CacheLine> pool;  ///< rows of constants; see Base::in_pool
    std::vector<LaunchRow> launch_rows;
    std::vector<UnsupportedForm> unsupported;
    std::uint32_t range_count = 0;
    std::uint64_t common_shared_bytes = 0;
    std::map<std::string, Machine::Symbol, std::less<>> symbols;
    std::shared_ptr<WatchedCode> watched;  ///< made for the first launch with an observer
    /// By index in `code`: see find_reconvergence. Made for the first launch that asks.
    std::vector<std::uint32_t> reconvergence;

    [[nodiscard]] const Ins* at(std::uint32_t index) const { return code.data() + index; }
    [[nodiscard]] std::uint32_t index_of(const Ins* i) const {
        return static_cast<std::uint32_t>(i - code.data());
    }
    [[nodiscard]] const ptx::Instruction& source_of(const Ins* i) const {
        const Origin& o = origins[index_of(i)];
        return functions[o.function].source->instructions[o.instruction];
    }
};

/// One running launch: the state that all its warps share.
struct Launch {
    Program* program = nullptr;
    Arena* arena = nullptr;
    const MachineConfig* config = nullptr;
    const LaunchOptions* options = nullptr;
    const std::function<void(std::string_view)>* print = nullptr;
    Dim3 grid, block;
    std::uint32_t threads_per_block = 0;
    std::uint64_t shared_bytes = 0;
    std::uint64_t dynamic_shared_bytes = 0;
    std::uint64_t local_stack_bytes = 0;  ///< of one thread
    std::span<const std::byte> params;
    bool by_host = true;                      ///< launched by the host, not by a kernel
    bool is_cooperative = false;              ///< LaunchOptions::is_cooperative
    const std::byte* grid_barrier = nullptr;  ///< cooperative: the word that grid.sync() polls
    std::uint32_t depth = 0;   ///< 0: launched by the host; 1: by one of its kernels; ...
    GridWork* work = nullptr;  ///< work that its threads have asked for
    DeviceRuntime* device_runtime = nullptr;
    std::vector<Range> ranges;
    std::uint64_t generation = 0;  ///< of the arena, when `ranges` were filled
    std::uint64_t executed = 0;    ///< warp instructions
    std::uint64_t thread_instructions = 0;
    std::uint64_t shared_blocks = 0;    ///< LaunchStats::shared_blocks
    std::uint64_t sync_operations = 0;  ///< volatile reads, atomics, sleeps
    std::uint64_t changes = 0;          ///< stores, and atomics that changed their word
    bool track_changes = false;         ///< also count stores that change their word
    std::uint64_t tracked_changes = 0;
    /// `tracked_changes` when the second half of the budget began; see out_of_budget.
    std::optional<std::uint64_t> changes_by_half;
    std::uint64_t arrivals = 0;  ///< blocks begun, exits of threads, barriers released
    bool may_be_stuck = false;
    std::uint64_t warps_resident = 0;
    const DecodedFunction* kernel = nullptr;
    std::vector<CacheLine> warp_rows;  ///< %tid.x, .y, .z, %warpid of each warp of a block
    const Ins* code = nullptr;         ///< Program::code
    Watched* watched = nullptr;        ///< by index in `code`, if there is an observer
    std::optional<Fault> fault;
    Workers* workers = nullptr;        ///< host threads that may share the blocks
    Speculator* speculator = nullptr;  ///< if this is a host thread's copy of the launch
    std::vector<std::pair<std::byte*, std::uint64_t>> stacks;  ///< see reserve_stack
};

/// The part around the address that the instruction may use of its allocation; an empty range if
/// there is none.
[[nodiscard]] Range find_range(Launch&, const Ins*, std::uint64_t address);

[[nodiscard]] Place place_of(const Program&, const Ins*);
/// The calls around that place which the compiler has replaced by functions' bodies, innermost
/// first.
[[nodiscard]] std::vector<Place> callers_of(const Program&, const Ins*);

/// The fault of one lane at an instruction.
[[nodiscard]] Fault fault_of(const Warp&, const Ins*, FaultKind, std::uint32_t lane,
                             std::string message, std::uint64_t address);
/// Ends the launch: records the fault of one lane and returns `stop`.
const Ins* fail(Warp&, const Ins*, FaultKind, std::uint32_t lane, std::string message,
                std::uint64_t address = 0);

/// Finds, for each instruction, where lanes that part there meet again on hardware before Volta: at
/// the nearest instruction that every path to the function's end passes. `no_meeting` if there is
/// none.
constexpr std::uint32_t no_meeting = 0xFFFFFFFF;
void find_reconvergence(Program&);

/// Releases the threads that wait at a barrier if all have arrived. False after a fault.
bool try_release(Warp&, Block&, std::uint32_t barrier);
/// Lets those go on that wait at a meeting. False if nobody does.
bool end_meeting(Block&);
/// Lanes of the current split leave the kernel. Returns `stop`.
const Ins* exit_lanes(Warp&, const Ins*);

/// Host address of `bytes` bytes at an address of `space` as lane `lane` sees it; nullptr after a
/// fault has been recorded.
std::byte* translate(Warp&, const Ins*, ptx::Space space, std::uint32_t lane, std::uint64_t address,
                     std::uint64_t bytes, bool write);
/// The same for a generic address, without a check of alignment and without a fault: nullptr unless
/// all bytes are there.
std::byte* probe(Warp&, std::uint32_t lane, std::uint64_t address, std::uint64_t bytes);

/// The lanes' stacks of local memory are interleaved by pieces of this size, so that lanes that
/// touch the same variable touch neighbouring cache lines. No access crosses a piece.
constexpr std::uint32_t local_piece = 32;
/// A stack for calls or local memory of one warp, zeroed; lives as long as the launch.
std::byte* reserve_stack(Launch&, std::uint64_t bytes);
void release_stacks(Launch&);

/// A kernel's local variables start with zeros up to this many bytes; see BlockOrder.
constexpr std::uint32_t cleared_local_bytes = 512;
/// Shared memory has addresses of 32 bits. How much a block may have is checked at its launch.
constexpr std::uint64_t max_shared_bytes = 0xFFFFFFFF;
/// Local memory of one function: as much as a thread has on hardware (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
constexpr std::uint64_t max_local_bytes = 512 * 1024;
/// Local memory of one thread for all functions that its kernel calls. Chosen.
constexpr std::uint64_t call_stack_bytes = 128 * 1024;
/// Registers and parameters of one function for a warp: as much as its local memory can have.
constexpr std::uint64_t max_frame_bytes = lanes * max_local_bytes;
/// The largest access of one lane: v8 of 64 bits.
constexpr std::uint32_t max_access_bytes = 64;
constexpr std::uint32_t register_stack_bytes = 4 * 1024 * 1024;  ///< of one warp, all calls

// Wrappers that the decoder puts around operations; see Ins.
const Ins* guard(Warp&, const Ins*);
const Ins* keep4(Warp&, const Ins*);
const Ins* keep8(Warp&, const Ins*);
const Ins* unsupported_form(Warp&, const Ins*);

}  // namespace cugrade::emulator

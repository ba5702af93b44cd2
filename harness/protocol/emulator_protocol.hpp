// The messages on the sockets of an emulator process: one from the grader, one from the runner.
//
// Stream sockets. A request is a Request and `payload` bytes; the answer is one Reply and its
// payload. The two connections have different sets of requests: a runner's connection has no words
// for the grader's requests. The emulator checks everything from a runner, and a runner's messages
// decide only the results of its own calls. Fixed-width fields, no padding, native byte order.
#pragma once

#include <cstdint>

namespace cugrade::emulator::protocol {

inline constexpr std::uint32_t emulator_magic = 0x43454D34;  // "CEM4"; changes with the layout
/// Device addresses lie in [first, last). Linux puts nothing of a 64-bit process there by itself;
/// memory that both sides use is mapped at its device address.
inline constexpr std::uint64_t device_first = 0x300000000000;
inline constexpr std::uint64_t device_last = 0x400000000000;
[[nodiscard]] constexpr bool is_device_address(std::uint64_t a) {
    return a >= device_first && a < device_last;
}
/// Memory is written and read in pieces of at most this size.
inline constexpr std::uint32_t max_piece = std::uint32_t{4} << 20;
inline constexpr std::uint32_t max_module = std::uint32_t{64} << 20;  ///< a fat binary
inline constexpr std::uint32_t max_name = 64 * 1024;                  ///< mangled names get long
inline constexpr std::uint32_t max_parameters = 32 * 1024;            ///< bytes of a launch
inline constexpr std::uint32_t max_printed = std::uint32_t{1} << 20;  ///< of one launch
inline constexpr std::uint32_t max_text = 2048;                       ///< of an error

/// The requests of a runner. In brackets: the fields that are used; then the contents of the Reply.
/// In launches, allocations, copies and fills, `module` is the place of the program's call: its
/// distance from the start of the executable; 0: not known. It is a claim, as all of these are.
enum class RunnerRequest : std::uint32_t {
    hello = 1,  ///< [] payload: DeviceInfo
    load,       ///< [payload: fat-binary containers, to be linked] value: module
    kernel,     ///< [module, payload: name] value: kernel, payload: KernelRecord, ParameterRecords
    symbol,     ///< [module, payload: name] value: address, value2: bytes
    launch,     ///< [payload: LaunchRecord, parameters] value: fault, value2: printed bytes lost,
                ///< payload: what the kernel printed
    allocate,   ///< [bytes, value: 1 for memory to be shared, payload: name] value: address
    release,    ///< [address]: only what this runner has allocated
    check,      ///< [address, bytes]: is the whole range inside one buffer?
    write,      ///< [address, payload] value: times as many bytes the whole copy should have; 0: 1
    read,       ///< [address, bytes] payload, value: as of write
    fill,       ///< [address, bytes, value]
    copy,       ///< [address, other, bytes]: from `other` to `address`
    memory_info,   ///< [] value: free bytes, value2: total
    describe,      ///< [address] payload: "4 bytes into `in` (4000 bytes)"
    note_error,    ///< [payload: text]: a CUDA call failed; the first one is kept for the report
    note_crash,    ///< [address; module: the place of the instruction]: the host's code crashed,
                   ///< because it used this device address
    errors_seen,   ///< []: the program has looked at its errors, so none is unchecked
    check_launch,  ///< [payload: as launch]: the error that a launch would give before it runs
    stream_seed,   ///< [] value: the seed that decides when work in streams is done
    share,         ///< [address] a descriptor travels back: the allocation's pages, to be mapped
    lacks,         ///< [value: line, or 0; payload: a function's name, '\n', the file of the call]:
                   ///< the program called a function that the emulated GPU lacks
};

/// The requests of the grader.
enum class GraderRequest : std::uint32_t {
    configure = 0x1000,  ///< [payload: ConfigureRecord]: first of all
    connect_runner,      ///< [a descriptor travels along]: replaces the runner's connection
    allocate,            ///< [bytes, payload: name] value: address
    release,             ///< [address]
    write,               ///< [address, payload]
    read,                ///< [address, bytes] payload
    check,               ///< [address, bytes]
    set_seed,            ///< [value]
    state,               ///< payload: StateRecord
    reset,         ///< [value: budget of launches]
    observe,       ///< [value: Observe flags]: launches to come are watched, from zero
    observations,  ///< [value: one Observe flag, address: offset, bytes] value: bytes of all,
                   ///< payload: a piece of the JSON
    serve_runner,  ///< [value: 0 or 1] 0: the runner's requests wait until it is 1 again
    admit,  ///< [payload: a piece of fat-binary containers, one after the other]: from now on
            ///< runners load no others than these
    intervene,      ///< [payload: the JSON of emulator/interventions]: what is different in the
                    ///< programs that are loaded from now on; an empty list: nothing
    interventions,  ///< [address: offset, bytes] value: bytes of all, payload: a piece of the JSON:
                    ///< what the programs that are loaded allow to change
    substitute,  ///< [value: number of an admitted container, payload: a piece of PTX]: from now on
                 ///< runners get this one's kernels where they load the container
    change,  ///< [value: budget of launches, payload: the JSON of emulator/interventions]: the same
             ///< in the programs that are loaded already, whose variables get their first values
};

/// The observers.
enum Observe : std::uint64_t {
    observe_nothing = 0,
    observe_counters = 1,
    observe_checkers = 2,  ///< memory that is there already counts as written
    observe_timing = 4,    ///< with observe_counters, whose JSON has it: what a time model needs
    /// Work in streams is done in the order of the calls, so that checkers find the kernels' errors
    /// and not those of a host that forgot to wait.
    observe_in_call_order = 8,
    observe_wrong_result = 16,  ///< with observe_checkers: also what is a mistake only in such a case
};

struct Request {
    std::uint32_t magic = emulator_magic;
    std::uint32_t kind = 0;
    std::uint32_t payload = 0;  ///< bytes that follow
    std::uint32_t module = 0;
    std::uint64_t address = 0;
    std::uint64_t other = 0;
    std::uint64_t bytes = 0;
    std::uint64_t value = 0;
};
static_assert(sizeof(Request) == 48);

struct Reply {
    std::uint32_t magic = emulator_magic;
    std::uint32_t error = 0;  ///< a cudaError_t; if not 0, the payload is a text that says why
    std::uint32_t payload = 0;
    std::uint32_t reserved = 0;
    std::uint64_t value = 0;
    std::uint64_t value2 = 0;
};
static_assert(sizeof(Reply) == 32);

struct DeviceInfo {
    std::uint32_t arch = 0;
    std::uint32_t multiprocessors = 0;
    std::uint32_t resident_blocks = 0;
    std::uint32_t max_shared_per_block = 0;
    std::uint32_t max_shared_per_block_optin = 0;
    std::uint32_t resident_threads = 0;
    std::uint64_t memory_bytes = 0;
};
static_assert(sizeof(DeviceInfo) == 32);

struct KernelRecord {
    std::uint64_t param_bytes = 0;
    std::uint64_t static_shared = 0;
    std::uint64_t local_bytes = 0;
    std::uint32_t registers = 0;
    std::uint32_t max_threads = 0;
    std::uint32_t ptx_arch = 0;
    std::uint32_t parameter_count = 0;
};
static_assert(sizeof(KernelRecord) == 40);

struct ParameterRecord {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

/// How many kernels that kernels have launched may wait. A program can ask for more, up to the
/// maximum.
inline constexpr std::uint64_t default_pending_launches = 2048;
inline constexpr std::uint64_t max_pending_launches = std::uint64_t{1} << 20;

struct LaunchRecord {
    std::uint32_t kernel = 0;
    std::uint32_t cooperative = 0;
    std::uint32_t grid[3] = {};
    std::uint32_t block[3] = {};
    std::uint64_t dynamic_shared = 0;
    /// The limit that cudaFuncSetAttribute has set; 0: the limit of every kernel.
    std::uint64_t dynamic_shared_limit = 0;
    /// cudaLimitDevRuntimePendingLaunchCount.
    std::uint64_t pending_launches = default_pending_launches;
};
static_assert(sizeof(LaunchRecord) == 56);

struct ConfigureRecord {
    DeviceInfo device;  ///< resident_threads is not used
    std::uint64_t warp_instruction_budget = 0;
    std::uint64_t process_bytes = 0;  ///< resident; 0: no limit
    double wall_s = 0;                ///< 0: no limit
    std::uint64_t host_threads = 1;   ///< that run blocks; 0: as many as there are processors
    std::uint64_t optimise = 1;       ///< 0: MachineConfig::optimise is false
};

struct StateRecord {
    std::uint32_t fault_kind = 0;  ///< FaultKind
    std::uint32_t spinning = 0;
    std::uint32_t block[3] = {};
    std::uint32_t thread[3] = {};
    std::int32_t line = 0;
    std::int32_t column = 0;
    std::uint64_t address = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::uint64_t launches = 0;
    // Places of the program's calls, as in Request::module.
    std::uint32_t error_site = 0;   ///< of the call that `api_error` is about
    std::uint32_t launch_site = 0;  ///< of the launch that ended with the fault
    std::uint32_t memory_site = 0;  ///< of the call that freed or allocated what `address` is in
    std::uint32_t memory_is_freed = 0;
    double seconds = 0;
    char message[max_text] = {};
    char kernel[max_text] = {};
    char file[max_text] = {};
    char api_error[max_text] = {};
};

/// The exit codes of an emulator process that ended itself at a limit.
inline constexpr int exit_wall_limit = 64;
inline constexpr int exit_memory_limit = 65;

}  // namespace cugrade::emulator::protocol

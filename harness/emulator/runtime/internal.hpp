// Shared by the files of the emulated CUDA runtime. Includes only libc, libstdc++, the protocol and
// CUDA's own headers, because it is linked with the student's program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/emulator_protocol.hpp"

/// Defines the per-thread-default-stream variant of a function, to which CUDA's headers map the
/// name under --default-stream per-thread. Work in stream 0 is done when the call returns, so both
/// variants are the same.
#define CUGRADE_PTSZ(name) extern "C" decltype(name) name##_ptsz __attribute__((alias(#name)));
#define CUGRADE_PTDS(name) extern "C" decltype(name) name##_ptds __attribute__((alias(#name)));

namespace cugrade::cudart {

namespace protocol = emulator::protocol;

/// The result of a step: an error code and, for a person, why.
struct Outcome {
    cudaError_t code = cudaSuccess;
    std::string why;
    explicit operator bool() const { return code == cudaSuccess; }
};

/// A name as in the source: "scale(float*, int)".
std::string readable(const std::string& mangled);

/// Where the program calls this library, for as long as the call lasts: requests state it.
class CallSite {
public:
    explicit CallSite(std::uint32_t site) : before_(current_) { current_ = site; }
    explicit CallSite(const void* return_address) : CallSite(offset_of(return_address)) {}
    ~CallSite() { current_ = before_; }
    CallSite(const CallSite&) = delete;
    CallSite& operator=(const CallSite&) = delete;

    [[nodiscard]] static std::uint32_t current() { return current_; }
    /// The distance of the call from the start of the executable; 0: it is elsewhere.
    [[nodiscard]] static std::uint32_t offset_of(const void* return_address);

private:
    std::uint32_t before_;
    static thread_local std::uint32_t current_;
};

/// Of the `<<<>>>` whose generated code is about to launch; 0: a program launches by itself.
extern thread_local std::uint32_t launch_site;

struct Kernel {
    std::uint32_t id = 0;
    protocol::KernelRecord info;
    std::vector<protocol::ParameterRecord> parameters;
    std::uint64_t dynamic_shared_limit = 0;  ///< as set by cudaFuncSetAttribute
};

/// One call of __cudaRegisterFatBinary. It is loaded into the device when the program first uses
/// something in it.
struct FatBinary {
    const void* container = nullptr;
    /// Compiled with -rdc=true: one container per translation unit instead, ended by a null.
    const void* const* linked = nullptr;
    bool tried = false;
    Outcome outcome;
    std::uint32_t module = 0;
};

struct HostFunction {
    FatBinary* binary = nullptr;
    std::string name;
    bool resolved = false;
    Outcome outcome;
    Kernel kernel;
};

struct HostVariable {
    FatBinary* binary = nullptr;
    std::string name;
    std::size_t bytes = 0;
    void** managed = nullptr;  ///< the pointer through which host code finds a __managed__ variable
    bool resolved = false;
    Outcome outcome;
    std::uint64_t address = 0;
};

/// Memory that the host uses and CUDA knows about.
struct HostRange {
    enum class Kind {
        managed,     ///< cudaMallocManaged and __managed__: host and device, same address
        pinned,      ///< cudaMallocHost, cudaHostAlloc: host and device, too
        page_locked  ///< pinned while the device is full: copies work, kernels cannot use it
    } kind = Kind::managed;
    std::size_t bytes = 0;
    unsigned flags = 0;
};
/// Memory of the program's own that it passed to cudaHostRegister.
struct RegisteredRange {
    std::size_t bytes = 0;
    unsigned flags = 0;
    std::uint64_t first_page = 0, page_bytes = 0;
    std::uint64_t device = 0;  ///< where kernels see the first page; 0: nowhere
};

/// The process's connection to the emulator and what its static constructors have registered.
class Runtime {
public:
    /// Never destroyed: atexit handlers and static destructors of the program may still call.
    static Runtime& get();

    /// Every entry point that touches the members below holds it.
    std::mutex mutex;

    /// Entry points that were called.
    std::uint64_t calls = 0;

    /// cudaLimitDevRuntimePendingLaunchCount.
    std::uint64_t pending_launches = protocol::default_pending_launches;

    // Registration.
    std::map<const void*, HostFunction> functions;
    std::map<const void*, HostVariable> variables;
    std::map<std::uint64_t, HostRange> host_ranges;
    std::map<std::uint64_t, RegisteredRange> registered;

    /// Connects on the first call. Later calls return the same outcome.
    Outcome connect();
    /// Connects, then returns the error of a kernel that has failed. Later calls return it again.
    Outcome synchronise();
    /// Something has failed that synchronise() reports or has reported.
    [[nodiscard]] bool failed_already() const { return !pending_fault_ || !sticky_; }
    /// Keeps the error of work that was put off, for synchronise() to return.
    void report_later(Outcome o) {
        if (!failed_already()) pending_fault_ = std::move(o);
    }
    [[nodiscard]] const protocol::DeviceInfo& device() const { return device_; }

    /// Brings the __managed__ variables of a binary into both address spaces.
    Outcome map_managed(FatBinary&);

    /// Device memory that is also at the same address in this process.
    Outcome allocate_shared(const std::string& name, std::size_t bytes, std::uint64_t& address);
    /// Maps pages that were allocated to be shared; `fd`, if given, stays open for the caller.
    Outcome map_shared(std::uint64_t address, std::size_t bytes, int* fd = nullptr);

    Outcome find(const void* host_function, HostFunction*& found);
    Outcome find(const void* host_variable, HostVariable*& found);

    /// Sends a request and receives its reply. Up to `into.size()` bytes of the reply's payload go
    /// to `into`.
    Outcome ask(protocol::RunnerRequest kind, protocol::Request request,
                std::span<const std::byte> payload = {}, std::span<std::byte> into = {},
                protocol::Reply* reply = nullptr);
    /// The same, for a reply whose payload has no fixed size.
    Outcome ask(protocol::RunnerRequest kind, protocol::Request request,
                std::span<const std::byte> payload, std::vector<std::byte>& into,
                protocol::Reply* reply);

    /// Builds the message that `launch` and `check_launch` send.
    Outcome prepare_launch(const Kernel&, dim3 grid, dim3 block, void** arguments,
                           std::size_t dynamic_shared, bool cooperative,
                           std::vector<std::byte>& message) const;
    /// Runs the kernel to its end; synchronise() reports its fault.
    Outcome launch(std::span<const std::byte> message);
    /// Returns the error that the launch would give, without running anything.
    Outcome check_launch(std::span<const std::byte> message);

    Outcome write(std::uint64_t device, const void* host, std::size_t bytes);
    Outcome read(void* host, std::uint64_t device, std::size_t bytes);

    /// Reads CUGRADE_EMULATOR_FD and catches host code that dereferences device addresses.
    void prepare();
    /// Called in the signal handler: tells the emulator that the instruction at `site` has used
    /// `address`. Writes "4 bytes into `in`", or an empty string, to `text`.
    void note_crash_unsafely(std::uint64_t address, std::uint32_t site, char* text,
                             std::size_t size) noexcept;

private:
    Outcome load(FatBinary&);
    Outcome lost();
    bool send(const void* data, std::size_t bytes) noexcept;
    bool receive(void* data, std::size_t bytes) noexcept;

    int fd_ = -1;
    int descriptor_ = -1;  ///< came with a reply
    bool prepared_ = false, connected_ = false;
    Outcome connection_;
    protocol::DeviceInfo device_;
    std::vector<std::byte> message_;
    Outcome pending_fault_;  ///< of a kernel, not yet reported
    Outcome sticky_;
};

/// Ends every entry point: keeps the error for cudaGetLastError, tells the emulator about it.
cudaError_t finish(const char* api, Outcome outcome);
/// For queries whose "error" is an answer, such as cudaErrorNotReady.
cudaError_t finish_quietly(cudaError_t code);
const char* error_name(cudaError_t code);

inline bool is_device(const void* p) {
    const auto a = reinterpret_cast<std::uintptr_t>(p);
    return protocol::is_device_address(a);
}
inline std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Who can use an address. The caller holds Runtime::mutex.
enum class Place { host, device, both };
inline Place place_of(const Runtime& r, const void* p) {
    if (!is_device(p)) return Place::host;
    const auto after = r.host_ranges.upper_bound(address_of(p));
    return after != r.host_ranges.begin() &&
                   address_of(p) - std::prev(after)->first < std::prev(after)->second.bytes
               ? Place::both
               : Place::device;
}
/// The range that holds the address, or the end.
template <class Range>
auto range_of(std::map<std::uint64_t, Range>& ranges, const void* p) {
    const auto after = ranges.upper_bound(address_of(p));
    if (after == ranges.begin()) return ranges.end();
    const auto it = std::prev(after);
    return address_of(p) - it->first < it->second.bytes ? it : ranges.end();
}

/// An entry point in three lines: take the lock, do the work, keep the error.
template <class Work>
cudaError_t entry(const char* api, Work&& work) {
    Runtime& r = Runtime::get();
    Outcome outcome;
    {
        const std::lock_guard lock(r.mutex);
        ++r.calls;
        outcome = work(r);
    }
    return finish(api, std::move(outcome));
}
/// The same for calls that fail once a kernel has failed.
template <class Work>
cudaError_t synchronising_entry(const char* api, Work&& work) {
    return entry(api, [&](Runtime& r) -> Outcome {
        if (Outcome o = r.synchronise(); !o) return o;
        return work(r);
    });
}

inline Outcome invalid(std::string why) { return {cudaErrorInvalidValue, std::move(why)}; }

}  // namespace cugrade::cudart

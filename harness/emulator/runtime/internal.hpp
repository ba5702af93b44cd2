// What the files of the emulated CUDA runtime share. Only libc, libstdc++, the protocol and CUDA's
// own headers: this is linked with the student's program.
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
/// name under --default-stream per-thread. Every stream is synchronous here, so it is the same.
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

struct Kernel {
    std::uint32_t id = 0;
    protocol::KernelRecord info;
    std::vector<protocol::ParameterRecord> parameters;
    std::uint64_t dynamic_shared_limit = 0;  ///< as set by cudaFuncSetAttribute
};

/// One __cudaRegisterFatBinary: loaded into the device when something of it is first used.
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
    void** managed = nullptr;  ///< what host code finds a __managed__ variable by
    bool resolved = false;
    Outcome outcome;
    std::uint64_t address = 0;
};

/// Memory that the host uses and CUDA knows about.
struct HostRange {
    enum class Kind {
        managed,     ///< cudaMallocManaged and __managed__: host and device, same address
        pinned,      ///< cudaMallocHost, cudaHostAlloc: likewise
        page_locked  ///< the same where the device is full: its copies work, kernels cannot use it
    } kind = Kind::managed;
    std::size_t bytes = 0;
    unsigned flags = 0;
};
/// The program's own memory that cudaHostRegister made known.
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

    /// Held by every entry point that touches what is below.
    std::mutex mutex;

    /// cudaLimitDevRuntimePendingLaunchCount.
    std::uint64_t pending_launches = protocol::default_pending_launches;

    // Registration.
    std::map<const void*, HostFunction> functions;
    std::map<const void*, HostVariable> variables;
    std::map<std::uint64_t, HostRange> host_ranges;
    std::map<std::uint64_t, RegisteredRange> registered;

    /// Connects if that has not been done. Its error is the same ever after.
    Outcome connect();
    /// connect(), then the error of a kernel that has failed since: from now on it stays.
    Outcome synchronise();
    [[nodiscard]] const protocol::DeviceInfo& device() const { return device_; }

    /// Brings the __managed__ variables of a binary into both address spaces.
    Outcome map_managed(FatBinary&);

    /// Device memory that is also at the same address in this process.
    Outcome allocate_shared(const std::string& name, std::size_t bytes, std::uint64_t& address);
    /// Maps pages that were allocated to be shared; `fd`, if given, stays open for the caller.
    Outcome map_shared(std::uint64_t address, std::size_t bytes, int* fd = nullptr);

    Outcome find(const void* host_function, HostFunction*& found);
    Outcome find(const void* host_variable, HostVariable*& found);

    /// One exchange with the emulator. Up to `into.size()` bytes of the reply's payload go there.
    Outcome ask(protocol::RunnerRequest kind, protocol::Request request,
                std::span<const std::byte> payload = {}, std::span<std::byte> into = {},
                protocol::Reply* reply = nullptr);
    /// The same, for a reply whose payload has no fixed size.
    Outcome ask(protocol::RunnerRequest kind, protocol::Request request,
                std::span<const std::byte> payload, std::vector<std::byte>& into,
                protocol::Reply* reply);

    /// Runs the kernel to its end; a fault of it is reported by synchronise().
    Outcome launch(Kernel&, dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared,
                   bool cooperative);

    Outcome write(std::uint64_t device, const void* host, std::size_t bytes);
    Outcome read(void* host, std::uint64_t device, std::size_t bytes);

    /// Reads CUGRADE_EMULATOR_FD and catches host code that dereferences device addresses.
    void prepare();
    /// Called in the signal handler: "4 bytes into `in`" in `text`, or an empty string.
    void describe_unsafely(std::uint64_t address, char* text, std::size_t size) noexcept;

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
    return a >= protocol::device_first && a < protocol::device_last;
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
        outcome = work(r);
    }
    return finish(api, std::move(outcome));
}
/// The same for what fails once a kernel has failed.
template <class Work>
cudaError_t synchronising_entry(const char* api, Work&& work) {
    return entry(api, [&](Runtime& r) -> Outcome {
        if (Outcome o = r.synchronise(); !o) return o;
        return work(r);
    });
}

inline Outcome invalid(std::string why) { return {cudaErrorInvalidValue, std::move(why)}; }

}  // namespace cugrade::cudart

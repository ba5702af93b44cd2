// The connection to the emulator. It is made lazily: static constructors register fat binaries
// before main, but nothing is sent until the program uses the device. Errors of kernels appear as
// on hardware: a launch succeeds, the next call that waits for the device reports the fault, and
// every later call reports it again.
#include <cxxabi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "emulator/runtime/internal.hpp"
#include "protocol/descriptors.hpp"
#include "protocol/runner_protocol.hpp"

// The linker's: where the executable begins, and where its code ends.
extern "C" const char __executable_start, etext;

namespace cugrade::cudart {
namespace {

using protocol::Reply;
using protocol::Request;
using protocol::RunnerRequest;

/// Text without allocation, for the signal handler.
struct Line {
    char text[1024];
    std::size_t size = 0;
    void add(const char* s) {
        while (*s != '\0' && size < sizeof text) text[size++] = *s++;
    }
    void add_hex(std::uint64_t v) {
        add("0x");
        for (int shift = 44; shift >= 0; shift -= 4) {
            const char digit[2] = {"0123456789abcdef"[v >> shift & 15], '\0'};
            add(digit);
        }
    }
};

/// Where the program itself was: at the instruction, or where it has called memset or memcpy, which
/// keep nothing on the stack but the place to return to.
std::uint32_t site_of_crash(const void* context) {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    // One byte on, as behind a call, whose last byte is its place.
    const auto behind = static_cast<std::uintptr_t>(registers[REG_RIP]) + 1;
    const std::uint32_t here = CallSite::offset_of(reinterpret_cast<const void*>(behind));
    if (here != 0) return here;
    const auto* stack = reinterpret_cast<const void* const*>(registers[REG_RSP]);
    return CallSite::offset_of(*stack);
}

extern "C" void on_segmentation_fault(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    if (info->si_code > 0 && is_device(info->si_addr)) {
        static char where[512];
        Runtime::get().note_crash_unsafely(address, site_of_crash(context), where, sizeof where);
        Line line;
        line.add("cugrade: host code dereferenced the device address ");
        line.add_hex(address);
        if (where[0] != '\0') {
            line.add(", ");
            line.add(where);
        }
        line.add(": only a kernel can use it; copy the data with cudaMemcpy\n");
        (void)!write(STDERR_FILENO, line.text, line.size);
    }
    // The instruction is executed again, and the default action ends the program.
    ::signal(signal, SIG_DFL);
}

void catch_device_addresses() {
    struct sigaction old {};
    if (sigaction(SIGSEGV, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
    struct sigaction action {};
    action.sa_sigaction = on_segmentation_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, nullptr);
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// As the emulator's ptx::demangled, which the program must not be linked with.
std::string readable(const std::string& mangled) {
    if (!mangled.starts_with("_Z")) return mangled;
    char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr);
    std::string out = text != nullptr ? text : mangled;
    std::free(text);
    return out;
}

Runtime& Runtime::get() {
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

void Runtime::prepare() {
    if (prepared_) return;
    prepared_ = true;
    if (const char* text = std::getenv(cugrade::protocol::emulator_fd_variable))
        fd_ = std::atoi(text);
    if (fd_ >= 0) catch_device_addresses();
}

bool Runtime::send(const void* data, std::size_t bytes) noexcept {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::send(fd_, at, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool Runtime::receive(void* data, std::size_t bytes) noexcept {
    char* at = static_cast<char*>(data);
    while (bytes > 0) {
        iovec part{at, bytes};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        cugrade::protocol::DescriptorSpace<1> space;
        space.offer(message);
        const ssize_t n = recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        cugrade::protocol::for_descriptors(message, [this](int fd) { descriptor_ = fd; });
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

thread_local std::uint32_t CallSite::current_ = 0;

std::uint32_t CallSite::offset_of(const void* return_address) {
    // A call's last byte belongs to the line of the call; what follows may be of another.
    const auto at = reinterpret_cast<std::uintptr_t>(return_address) - 1;
    const auto first = reinterpret_cast<std::uintptr_t>(&__executable_start);
    const auto behind = reinterpret_cast<std::uintptr_t>(&etext);
    return at >= first && at < behind && at - first <= UINT32_MAX
               ? static_cast<std::uint32_t>(at - first)
               : 0;
}

Outcome Runtime::lost() {
    if (sticky_) {
        sticky_ = {cudaErrorUnknown, "the emulated GPU has ended"};
        std::fputs("cugrade: the connection to the emulated GPU is lost\n", stderr);
    }
    return sticky_;
}

Outcome Runtime::ask(RunnerRequest kind, Request request, std::span<const std::byte> payload,
                     std::vector<std::byte>& into, Reply* reply) {
    request.kind = static_cast<std::uint32_t>(kind);
    if (kind != RunnerRequest::kernel && kind != RunnerRequest::symbol)
        request.module = CallSite::current();
    request.payload = static_cast<std::uint32_t>(payload.size());
    // Gathered here first: a bad host pointer then faults in this process, as a copy by CUDA's own
    // runtime does, and not in the middle of a message.
    message_.resize(sizeof request + payload.size());
    std::memcpy(message_.data(), &request, sizeof request);
    std::copy(payload.begin(), payload.end(), message_.begin() + sizeof request);
    Reply head;
    if (!send(message_.data(), message_.size()) || !receive(&head, sizeof head) ||
        head.magic != protocol::emulator_magic)
        return lost();
    std::vector<std::byte> data(head.payload);
    if (!receive(data.data(), data.size())) return lost();
    if (head.error != 0) return {static_cast<cudaError_t>(head.error), text_of(data)};
    into = std::move(data);
    if (reply != nullptr) *reply = head;
    return {};
}

Outcome Runtime::ask(RunnerRequest kind, Request request, std::span<const std::byte> payload,
                     std::span<std::byte> into, Reply* reply) {
    std::vector<std::byte> data;
    if (Outcome o = ask(kind, request, payload, data, reply); !o) return o;
    std::copy_n(data.begin(), std::min(data.size(), into.size()), into.begin());
    return {};
}

void Runtime::note_crash_unsafely(std::uint64_t address, std::uint32_t site, char* text,
                                  std::size_t size) noexcept {
    // Another thread may be in the middle of an exchange: the socket is then in use.
    if (fd_ < 0 || !mutex.try_lock()) return;
    Request request;
    request.kind = static_cast<std::uint32_t>(RunnerRequest::note_crash);
    request.address = address;
    request.module = site;
    Reply reply;
    if (!send(&request, sizeof request) || !receive(&reply, sizeof reply) || reply.payload != 0)
        return;
    request.kind = static_cast<std::uint32_t>(RunnerRequest::describe);
    if (!send(&request, sizeof request) || !receive(&reply, sizeof reply)) return;
    const std::size_t n = std::min<std::size_t>(reply.payload, size - 1);
    if (reply.error == 0 && receive(text, n)) text[n] = '\0';
}

Outcome Runtime::connect() {
    if (connected_) return connection_;
    connected_ = true;
    prepare();
    if (fd_ < 0) {
        connection_ = {cudaErrorNoDevice, "CUGRADE_EMULATOR_FD is not set"};
        std::fputs(
            "cugrade: this program was linked with the emulated CUDA runtime, but it was not "
            "started by cugrade (CUGRADE_EMULATOR_FD is not set).\n"
            "  Run it through `cugrade check`, or link it with CUDA's own runtime to use a "
            "GPU.\n",
            stderr);
        return connection_;
    }
    connection_ = ask(RunnerRequest::hello, {}, {}, std::as_writable_bytes(std::span(&device_, 1)));
    return connection_;
}

Outcome Runtime::synchronise() {
    if (Outcome o = connect(); !o) return o;
    if (!pending_fault_) {
        sticky_ = pending_fault_;
        pending_fault_ = {};
    }
    return sticky_;
}

Outcome Runtime::load(FatBinary& binary) {
    if (binary.tried) return binary.outcome;
    binary.tried = true;
    std::vector<std::byte> all;
    const auto add = [&all](const void* container) {
        // u32 magic, u16 version, u16 header size, u64 size of what follows the header
        std::uint16_t header = 0;
        std::uint64_t rest = 0;
        const auto* start = static_cast<const std::byte*>(container);
        std::memcpy(&header, start + 6, sizeof header);
        std::memcpy(&rest, start + 8, sizeof rest);
        if (rest > protocol::max_module - header - all.size()) return false;
        all.insert(all.end(), start, start + header + rest);
        return true;
    };
    bool fits = true;
    if (binary.linked == nullptr)
        fits = add(binary.container);
    else
        for (const void* const* c = binary.linked; *c != nullptr && fits; ++c) fits = add(*c);
    if (!fits)
        return binary.outcome = {cudaErrorInvalidKernelImage,
                                 "the program holds more than 64 MiB of GPU code; compile for one "
                                 "architecture only"};
    Reply reply;
    binary.outcome = ask(RunnerRequest::load, {}, all, std::span<std::byte>{}, &reply);
    binary.module = static_cast<std::uint32_t>(reply.value);
    return binary.outcome;
}

Outcome Runtime::map_shared(std::uint64_t address, std::size_t bytes, int* fd) {
    if (Outcome o = ask(RunnerRequest::share, {.address = address}); !o) return o;
    const int file = std::exchange(descriptor_, -1);
    if (file < 0) return {cudaErrorUnknown, "the emulated GPU sent no descriptor"};
    void* const want = reinterpret_cast<void*>(address);
    void* const got =
        mmap(want, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (got != want) {
        // An old kernel ignores MAP_FIXED_NOREPLACE where the place is taken.
        if (got != MAP_FAILED) munmap(got, bytes);
        close(file);
        return {cudaErrorMemoryAllocation, "the address is in use in this process"};
    }
    if (fd != nullptr)
        *fd = file;
    else
        close(file);
    return {};
}

Outcome Runtime::allocate_shared(const std::string& name, std::size_t bytes,
                                 std::uint64_t& address) {
    Reply reply;
    if (Outcome o = ask(RunnerRequest::allocate, {.bytes = bytes, .value = 1},
                        std::as_bytes(std::span(name)), std::span<std::byte>{}, &reply);
        !o)
        return o;
    if (Outcome o = map_shared(reply.value, bytes); !o) {
        (void)ask(RunnerRequest::release, {.address = reply.value});
        return o;
    }
    address = reply.value;
    return {};
}

Outcome Runtime::map_managed(FatBinary& binary) {
    if (Outcome o = connect(); !o) return o;
    std::vector<HostVariable> mapped;
    for (auto& [key, v] : variables) {
        if (v.managed == nullptr || v.binary != &binary || *v.managed != nullptr) continue;
        HostVariable* found = nullptr;
        if (Outcome o = find(key, found); !o) return o;
        if (Outcome o = map_shared(v.address, v.bytes); !o) return o;
        *v.managed = reinterpret_cast<void*>(v.address);
        host_ranges[v.address] = {HostRange::Kind::managed, v.bytes, 0};
        mapped.push_back(v);
    }
    // For a managed variable, host code passes the value of the pointer to cudaMemcpyToSymbol.
    for (HostVariable& v : mapped) variables[*v.managed] = v;
    return {};
}

Outcome Runtime::find(const void* host_function, HostFunction*& found) {
    if (Outcome o = connect(); !o) return o;
    const auto it = functions.find(host_function);
    if (it == functions.end())
        return {cudaErrorInvalidDeviceFunction, "this is not the address of a __global__ function"};
    HostFunction& f = it->second;
    found = &f;
    if (f.resolved) return f.outcome;
    f.resolved = true;
    if (f.outcome = load(*f.binary); !f.outcome) return f.outcome;
    std::vector<std::byte> data;
    Reply reply;
    f.outcome = ask(RunnerRequest::kernel, {.module = f.binary->module},
                    std::as_bytes(std::span(f.name)), data, &reply);
    if (!f.outcome) return f.outcome;
    Kernel& k = f.kernel;
    if (data.size() >= sizeof k.info) {
        std::memcpy(&k.info, data.data(), sizeof k.info);
        k.parameters.resize((data.size() - sizeof k.info) / sizeof(protocol::ParameterRecord));
        std::memcpy(k.parameters.data(), data.data() + sizeof k.info,
                    k.parameters.size() * sizeof(protocol::ParameterRecord));
    }
    k.id = static_cast<std::uint32_t>(reply.value);
    return f.outcome;
}

Outcome Runtime::find(const void* host_variable, HostVariable*& found) {
    if (Outcome o = connect(); !o) return o;
    const auto it = variables.find(host_variable);
    if (it == variables.end())
        return {cudaErrorInvalidSymbol,
                "this is not a __device__ or __constant__ variable (pass it without &)"};
    HostVariable& v = it->second;
    found = &v;
    if (v.resolved) return v.outcome;
    v.resolved = true;
    if (v.outcome = load(*v.binary); !v.outcome) return v.outcome;
    Reply reply;
    v.outcome = ask(RunnerRequest::symbol, {.module = v.binary->module},
                    std::as_bytes(std::span(v.name)), std::span<std::byte>{}, &reply);
    v.address = reply.value;
    return v.outcome;
}

Outcome Runtime::prepare_launch(const Kernel& kernel, dim3 grid, dim3 block, void** arguments,
                                std::size_t dynamic_shared, bool cooperative,
                                std::vector<std::byte>& message) const {
    message.resize(sizeof(protocol::LaunchRecord) + kernel.info.param_bytes);
    const protocol::LaunchRecord record{
        .kernel = kernel.id,
        .cooperative = cooperative ? 1u : 0u,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_shared = dynamic_shared,
        .dynamic_shared_limit = kernel.dynamic_shared_limit,
        .pending_launches = pending_launches,
    };
    std::memcpy(message.data(), &record, sizeof record);
    if (arguments == nullptr && !kernel.parameters.empty())
        return invalid("the kernel has parameters, but no arguments were given");
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const auto& p = kernel.parameters[i];
        std::memcpy(message.data() + sizeof record + p.offset, arguments[i], p.bytes);
    }
    return {};
}

Outcome Runtime::check_launch(std::span<const std::byte> message) {
    return ask(RunnerRequest::check_launch, {}, message, std::span<std::byte>{});
}

Outcome Runtime::launch(std::span<const std::byte> message) {
    std::vector<std::byte> printed;
    Reply reply;
    if (Outcome o = ask(RunnerRequest::launch, {}, message, printed, &reply); !o) return o;
    if (!printed.empty()) std::fwrite(printed.data(), 1, printed.size(), stdout);
    if (reply.value2 != 0)
        std::fprintf(stdout, "\n[cugrade: the kernel printed %llu more bytes]\n",
                     static_cast<unsigned long long>(reply.value2));
    if (reply.value != 0)
        pending_fault_ = {static_cast<cudaError_t>(reply.value), "an earlier kernel has failed"};
    return {};
}

namespace {

/// Copies piece by piece. The answers may ask for a copy of more bytes than the program has asked
/// for, as an experiment.
template <class Piece>
Outcome in_pieces(std::size_t bytes, Piece piece) {
    std::size_t end = bytes;
    for (std::size_t at = 0, n = 0; at < end; at += n) {
        n = std::min<std::size_t>(protocol::max_piece, (at < bytes ? bytes : end) - at);
        Reply reply;
        if (Outcome o = piece(at, n, reply); !o) return o;
        if (reply.value > 1) end = bytes * reply.value;
    }
    return {};
}

}  // namespace

Outcome Runtime::write(std::uint64_t device, const void* host, std::size_t bytes) {
    if (bytes > protocol::max_piece)
        if (Outcome o = ask(RunnerRequest::check, {.address = device, .bytes = bytes}); !o)
            return o;
    const auto* from = static_cast<const std::byte*>(host);
    return in_pieces(bytes, [&](std::size_t at, std::size_t n, Reply& reply) {
        return ask(RunnerRequest::write, {.address = device + at}, {from + at, n},
                   std::span<std::byte>{}, &reply);
    });
}

Outcome Runtime::read(void* host, std::uint64_t device, std::size_t bytes) {
    if (bytes > protocol::max_piece)
        if (Outcome o = ask(RunnerRequest::check, {.address = device, .bytes = bytes}); !o)
            return o;
    auto* to = static_cast<std::byte*>(host);
    return in_pieces(bytes, [&](std::size_t at, std::size_t n, Reply& reply) {
        return ask(RunnerRequest::read, {.address = device + at, .bytes = n}, {}, {to + at, n},
                   &reply);
    });
}

}  // namespace cugrade::cudart

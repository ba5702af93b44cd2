// Memory that host code and kernels both use: managed, pinned, mapped and registered.
//
// Theory of operation. The emulated device's memory is a range of addresses that the program's own
// process never uses. Memory to be shared is allocated on pages of its own. The emulator moves
// these pages into a file in memory and sends the file's descriptor. This side maps the file at the
// same address that the device has for it. So one pointer serves both, each sees at once what the
// other writes, and launches copy nothing. Registered memory has an address already: a file's pages
// replace its pages with the same contents, and kernels see them at another address.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "emulator/runtime/internal.hpp"
#include "emulator/runtime/stream.hpp"

namespace cugrade::cudart {
namespace {

using protocol::Reply;

constexpr std::uint64_t page = 4096;

std::string numbered(const char* what) {
    static unsigned count = 0;
    return std::string(what) + " allocation " + std::to_string(++count);
}

cudaError_t allocate_managed(void** out, std::size_t bytes, unsigned flags) {
    return synchronising_entry("cudaMallocManaged", [&](Runtime& r) -> Outcome {
        if (out == nullptr) return invalid("there is no pointer to set");
        *out = nullptr;
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
            return invalid("the flags are cudaMemAttachGlobal or cudaMemAttachHost");
        if (bytes == 0) return invalid("0 bytes of managed memory");
        std::uint64_t address = 0;
        if (Outcome o = r.allocate_shared(numbered("managed"), bytes, address); !o) return o;
        r.host_ranges[address] = {HostRange::Kind::managed, bytes, flags};
        *out = reinterpret_cast<void*>(address);
        return {};
    });
}

cudaError_t allocate_host(const char* api, void** out, std::size_t bytes, unsigned flags) {
    return entry(api, [&](Runtime& r) -> Outcome {
        if (out == nullptr) return invalid("there is no pointer to set");
        *out = nullptr;
        if (flags > 7) return invalid("unknown flags");
        if (Outcome o = r.synchronise(); !o) return o;
        if (bytes == 0) return {};
        std::uint64_t address = 0;
        Outcome shared = r.allocate_shared(numbered("pinned"), bytes, address);
        auto kind = HostRange::Kind::pinned;
        if (!shared) {
            // On hardware, pinned memory takes no device memory.
            if ((flags & cudaHostAllocMapped) != 0) return shared;
            kind = HostRange::Kind::page_locked;
            address = address_of(std::aligned_alloc(page, (bytes + page - 1) / page * page));
            if (address == 0) return {cudaErrorMemoryAllocation, "out of host memory"};
        }
        r.host_ranges[address] = {kind, bytes, flags};
        *out = reinterpret_cast<void*>(address);
        return {};
    });
}

/// Moves the pages at `with`, which have the same contents, to `first`, in one step.
bool replace_pages(std::uint64_t first, std::size_t bytes, void* with) {
    return mremap(with, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                  reinterpret_cast<void*>(first)) != MAP_FAILED;
}

Outcome register_pages(Runtime& r, RegisteredRange& range) {
    for (const auto& [start, other] : r.registered)
        if (other.device != 0 && range.first_page < other.first_page + other.page_bytes &&
            other.first_page < range.first_page + range.page_bytes)
            return {};  // a neighbour registered one of the pages: CUDA knows this range, but
                        // kernels cannot use it
    int fd = -1;
    Reply reply;
    const std::string name = numbered("registered");
    if (Outcome o =
            r.ask(protocol::RunnerRequest::allocate, {.bytes = range.page_bytes, .value = 1},
                  std::as_bytes(std::span(name)), std::span<std::byte>{}, &reply);
        !o)
        return o;
    const std::uint64_t device = reply.value;
    if (Outcome o = r.map_shared(device, range.page_bytes, &fd); !o) return o;
    void* const old = reinterpret_cast<void*>(range.first_page);
    void* const again = mmap(nullptr, range.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (again == MAP_FAILED) return {cudaErrorMemoryAllocation, "the memory cannot be mapped"};
    std::memcpy(again, old, range.page_bytes);
    if (!replace_pages(range.first_page, range.page_bytes, again))
        return {cudaErrorMemoryAllocation, "the memory cannot be mapped"};
    range.device = device;
    return {};
}

Outcome unregister_pages(Runtime& r, const RegisteredRange& range) {
    if (range.device == 0) return {};
    void* const own =
        mmap(nullptr, range.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) return {cudaErrorMemoryAllocation, "out of host memory"};
    void* const device = reinterpret_cast<void*>(range.device);
    std::memcpy(own, device, range.page_bytes);
    if (!replace_pages(range.first_page, range.page_bytes, own))
        return {cudaErrorMemoryAllocation, "the memory cannot be mapped"};
    munmap(device, range.page_bytes);
    return r.ask(protocol::RunnerRequest::release, {.address = range.device});
}

/// Hints about managed memory: there is one copy of it, so nothing has to move.
cudaError_t hint(const char* api, const void* p, std::size_t bytes, cudaStream_t stream) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return {cudaErrorInvalidResourceHandle, "not a live stream"};
        const auto it = range_of(r.host_ranges, p);
        if (it == r.host_ranges.end() || it->second.kind != HostRange::Kind::managed ||
            bytes > it->second.bytes - (address_of(p) - it->first))
            return invalid("the range is not in managed memory");
        return {};
    });
}

}  // namespace
}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    return allocate_managed(out, bytes, flags);
}

cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return allocate_host("cudaMallocHost", out, bytes, cudaHostAllocDefault);
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return allocate_host("cudaHostAlloc", out, bytes, flags);
}
cudaError_t cudaFreeHost(void* p) {
    return entry("cudaFreeHost", [&](Runtime& r) -> Outcome {
        if (p == nullptr) return {};
        finish_device(r);
        const auto it = r.host_ranges.find(address_of(p));
        if (it == r.host_ranges.end() || it->second.kind == HostRange::Kind::managed)
            return invalid("not from cudaMallocHost or cudaHostAlloc");
        const HostRange range = it->second;
        r.host_ranges.erase(it);
        if (range.kind == HostRange::Kind::page_locked) {
            std::free(p);
            return {};
        }
        munmap(p, range.bytes);
        return r.ask(protocol::RunnerRequest::release, {.address = address_of(p)});
    });
}

cudaError_t cudaHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return entry("cudaHostRegister", [&](Runtime& r) -> Outcome {
        if (p == nullptr || bytes == 0) return invalid("a null pointer or 0 bytes");
        if (Outcome o = r.synchronise(); !o) return o;
        if (is_device(p)) return invalid("not the program's own memory");
        const std::uint64_t start = address_of(p), end = start + bytes;
        for (const auto& [other, range] : r.registered)
            if (start < other + range.bytes && other < end)
                return {cudaErrorHostMemoryAlreadyRegistered, "a part of it is registered"};
        RegisteredRange range{.bytes = bytes, .flags = flags};
        range.first_page = start / page * page;
        range.page_bytes = (end + page - 1) / page * page - range.first_page;
        if (Outcome o = register_pages(r, range); !o) return o;
        r.registered[start] = range;
        return {};
    });
}
cudaError_t cudaHostUnregister(void* p) {
    return entry("cudaHostUnregister", [&](Runtime& r) -> Outcome {
        finish_device(r);
        const auto it = r.registered.find(address_of(p));
        if (it == r.registered.end())
            return {cudaErrorHostMemoryNotRegistered, "not from cudaHostRegister"};
        const RegisteredRange range = it->second;
        r.registered.erase(it);
        return unregister_pages(r, range);
    });
}

cudaError_t cudaHostGetDevicePointer(void** out, void* p, unsigned) {
    return entry("cudaHostGetDevicePointer", [&](Runtime& r) -> Outcome {
        if (out == nullptr) return invalid("there is no pointer to set");
        *out = nullptr;
        if (place_of(r, p) == Place::both) {
            *out = p;
            return {};
        }
        const auto it = range_of(r.registered, p);
        if (it == r.registered.end()) return invalid("it was neither allocated nor registered");
        if (it->second.device == 0)
            return {cudaErrorNotSupported,
                    "a page of it belongs to other registered memory, too; allocate it with "
                    "cudaHostAlloc"};
        *out = reinterpret_cast<void*>(it->second.device + (address_of(p) - it->second.first_page));
        return {};
    });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* p) {
    return entry("cudaHostGetFlags", [&](Runtime& r) -> Outcome {
        if (flags == nullptr) return invalid("there is no result to write");
        if (const auto it = range_of(r.host_ranges, p);
            it != r.host_ranges.end() && it->second.kind != HostRange::Kind::managed) {
            *flags = it->second.flags;
            return {};
        }
        const auto it = range_of(r.registered, p);
        if (it == r.registered.end()) return invalid("it was neither allocated nor registered");
        *flags = it->second.flags;
        return {};
    });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* p, std::size_t bytes, cudaMemLocation, unsigned,
                                 cudaStream_t stream) {
    return hint("cudaMemPrefetchAsync", p, bytes, stream);
}
cudaError_t cudaMemAdvise(const void* p, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
    return hint("cudaMemAdvise", p, bytes, nullptr);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* p, std::size_t bytes, int, cudaStream_t stream) {
    return hint("cudaMemPrefetchAsync", p, bytes, stream);
}
cudaError_t cudaMemAdvise(const void* p, std::size_t bytes, cudaMemoryAdvise, int) {
    return hint("cudaMemAdvise", p, bytes, nullptr);
}
#endif
CUGRADE_PTSZ(cudaMemPrefetchAsync)
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, std::size_t bytes, unsigned) {
    return hint("cudaStreamAttachMemAsync", p, bytes, stream);
}
CUGRADE_PTSZ(cudaStreamAttachMemAsync)

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
    return entry("cudaPointerGetAttributes", [&](Runtime& r) -> Outcome {
        if (out == nullptr) return invalid("there is no result to write");
        *out = {};
        void* const same = const_cast<void*>(p);
        if (const auto it = range_of(r.host_ranges, p); it != r.host_ranges.end()) {
            out->type = it->second.kind == HostRange::Kind::managed ? cudaMemoryTypeManaged
                                                                    : cudaMemoryTypeHost;
            out->hostPointer = same;
            if (is_device(p)) out->devicePointer = same;
        } else if (is_device(p)) {
            out->type = cudaMemoryTypeDevice;
            out->devicePointer = same;
        } else if (const auto registered = range_of(r.registered, p);
                   registered != r.registered.end()) {
            const RegisteredRange& range = registered->second;
            out->type = cudaMemoryTypeHost;
            out->hostPointer = same;
            if (range.device != 0)
                out->devicePointer =
                    reinterpret_cast<void*>(range.device + (address_of(p) - range.first_page));
        } else {
            out->device = -2;
            out->type = cudaMemoryTypeUnregistered;
            out->hostPointer = same;
        }
        return {};
    });
}

}  // extern "C"

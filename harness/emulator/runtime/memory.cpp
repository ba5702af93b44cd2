// Allocation, copies and symbols.
#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "emulator/runtime/internal.hpp"
#include "emulator/runtime/stream.hpp"

namespace cugrade::cudart {
namespace {

using protocol::Reply;
using protocol::RunnerRequest;

/// Rows are this far apart in cudaMallocPitch, as on hardware.
constexpr std::size_t pitch_granule = 512;

Outcome allocate(Runtime& r, void** out, std::size_t bytes) {
    if (out == nullptr) return invalid("there is no pointer to set");
    *out = nullptr;
    if (bytes == 0) return {};
    // Named by order, as the student's source is not known here: "allocation 3".
    static unsigned count = 0;
    const std::string name = "allocation " + std::to_string(++count);
    Reply reply;
    Outcome o = r.ask(RunnerRequest::allocate, {.bytes = bytes}, std::as_bytes(std::span(name)),
                      std::span<std::byte>{}, &reply);
    if (o) *out = reinterpret_cast<void*>(reply.value);
    return o;
}

Outcome release(Runtime& r, void* p) {
    if (p == nullptr) return {};
    if (!is_device(p)) return invalid("not a device address; free host memory with free()");
    if (const auto it = r.host_ranges.find(address_of(p)); it != r.host_ranges.end()) {
        if (it->second.kind != HostRange::Kind::managed)
            return invalid("it is from cudaMallocHost or cudaHostAlloc: use cudaFreeHost");
        munmap(p, it->second.bytes);
        r.host_ranges.erase(it);
    }
    return r.ask(RunnerRequest::release, {.address = address_of(p)});
}

/// Checks a copy's direction against its addresses, and resolves cudaMemcpyDefault.
Outcome direction(const Runtime& r, cudaMemcpyKind& kind, const void* to, const void* from) {
    static constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                            "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                            "cudaMemcpyDefault"};
    if (static_cast<unsigned>(kind) > cudaMemcpyDefault)
        return {cudaErrorInvalidMemcpyDirection, "there is no such direction"};
    const Place to_place = place_of(r, to), from_place = place_of(r, from);
    const bool to_device = is_device(to), from_device = is_device(from);
    if (kind == cudaMemcpyDefault) {
        kind = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                         : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
        return {};
    }
    const auto fits = [](Place place, bool device) {
        return place == Place::both || (place == Place::device) == device;
    };
    if (!fits(to_place, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
        !fits(from_place, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice))
        return invalid(std::string(names[kind]) + " was asked for, but the destination is a " +
                       (to_device ? "device" : "host") + " address and the source a " +
                       (from_device ? "device" : "host") +
                       " address; the order is destination, source");
    return {};
}

Outcome copy(Runtime& r, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return {};
    if (to == nullptr || from == nullptr) return invalid("a null pointer");
    if (Outcome o = direction(r, kind, to, from); !o) return o;
    switch (kind) {
        case cudaMemcpyHostToDevice: return r.write(address_of(to), from, bytes);
        case cudaMemcpyDeviceToHost: return r.read(to, address_of(from), bytes);
        case cudaMemcpyDeviceToDevice:
            return r.ask(RunnerRequest::copy,
                         {.address = address_of(to), .other = address_of(from), .bytes = bytes});
        default: std::memmove(to, from, bytes); return {};
    }
}

Outcome fill(Runtime& r, void* to, int value, std::size_t bytes) {
    return r.ask(
        RunnerRequest::fill,
        {.address = address_of(to), .bytes = bytes, .value = static_cast<std::uint32_t>(value)});
}

/// Bytes in a row that are copied or, without `from`, filled.
struct Row {
    char* to = nullptr;
    const char* from = nullptr;
    std::size_t bytes = 0;
};
using Rows = std::vector<Row>;

Outcome copy_now(Runtime& r, const Rows& rows, cudaMemcpyKind kind) {
    for (const Row& row : rows)
        if (Outcome o = copy(r, row.to, row.from, row.bytes, kind); !o) return o;
    return {};
}

/// Checks that the rows lie in device memory. They are in order of address, so the first and the
/// last suffice.
Outcome check_device_side(Runtime& r, const Rows& rows) {
    for (const Row* row : {&rows.front(), &rows.back()})
        for (const char* p : {static_cast<const char*>(row->to), row->from})
            if (p != nullptr && is_device(p))
                if (Outcome o = r.ask(RunnerRequest::check,
                                      {.address = address_of(p), .bytes = row->bytes});
                    !o)
                    return o;
    return {};
}

/// Host memory that CUDA does not know.
bool is_pageable(Runtime& r, const void* p) {
    return !is_device(p) && range_of(r.host_ranges, p) == r.host_ranges.end() &&
           range_of(r.registered, p) == r.registered.end();
}

/// Copies the rows' sources and lets the rows read the copy instead. Returns its size.
std::size_t stage(Rows& rows, std::vector<char>& staged) {
    std::size_t bytes = 0;
    for (const Row& row : rows) bytes += row.bytes;
    staged.resize(bytes);
    char* at = staged.data();
    for (Row& row : rows) {
        std::memcpy(at, row.from, row.bytes);
        row.from = at;
        at += row.bytes;
    }
    return bytes;
}

/// Copies rows in the order of the stream; in the default stream at once. As on hardware, pageable
/// sources are read, and pageable destinations written, before the call returns.
Outcome copy_rows(Runtime& r, Rows rows, cudaMemcpyKind kind, cudaStream_t stream) {
    std::erase_if(rows, [](const Row& row) { return row.bytes == 0; });
    if (rows.empty()) return {};
    for (const Row& row : rows) {
        if (row.to == nullptr || row.from == nullptr) return invalid("a null pointer");
        if (Outcome o = direction(r, kind, row.to, row.from); !o) return o;
    }
    const bool defers_it = defers(r, stream);
    if (defers_it && (kind == cudaMemcpyHostToHost ||
                      (kind == cudaMemcpyDeviceToHost && is_pageable(r, rows.front().to))))
        finish_stream(r, stream);
    else if (defers_it) {
        if (Outcome o = check_device_side(r, rows); !o) return o;
        const auto staged = std::make_shared<std::vector<char>>();
        std::size_t held = 0;
        if (kind == cudaMemcpyHostToDevice && is_pageable(r, rows.front().from))
            held = stage(rows, *staged);
        put_off(
            r, stream,
            [rows = std::move(rows), kind, staged](Runtime& then) {
                return copy_now(then, rows, kind);
            },
            held);
        return {};
    }
    if (Outcome o = r.synchronise(); !o) return o;
    return copy_now(r, rows, kind);
}

Outcome fill_rows(Runtime& r, Rows rows, int value, cudaStream_t stream) {
    std::erase_if(rows, [](const Row& row) { return row.bytes == 0; });
    if (rows.empty()) return {};
    if (!is_device(rows.front().to)) return invalid("the destination is not a device address");
    const auto kept = std::make_shared<const Rows>(std::move(rows));
    return do_in_order(
        r, stream,
        [kept, value](Runtime& then) -> Outcome {
            for (const Row& row : *kept)
                if (Outcome o = fill(then, row.to, value, row.bytes); !o) return o;
            return {};
        },
        0, [&] { return check_device_side(r, *kept); });
}

const Outcome no_stream{cudaErrorInvalidResourceHandle, "not a live stream"};

cudaError_t copy_entry(const char* api, void* to, const void* from, std::size_t bytes,
                       cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) {
        if (!is_stream(stream)) return no_stream;
        return copy_rows(r, {{static_cast<char*>(to), static_cast<const char*>(from), bytes}}, kind,
                         stream);
    });
}

cudaError_t copy_2d(const char* api, void* to, std::size_t to_pitch, const void* from,
                    std::size_t from_pitch, std::size_t width, std::size_t height,
                    cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (width > to_pitch || width > from_pitch)
            return {cudaErrorInvalidPitchValue, "a row is wider than its pitch"};
        auto* const first = static_cast<char*>(to);
        const auto* const source = static_cast<const char*>(from);
        if (width == to_pitch && width == from_pitch)
            return copy_rows(r, {{first, source, width * height}}, kind, stream);
        Rows rows;
        for (std::size_t y = 0; y < height; ++y)
            rows.push_back({first + y * to_pitch, source + y * from_pitch, width});
        return copy_rows(r, std::move(rows), kind, stream);
    });
}

cudaError_t fill_entry(const char* api, void* to, std::size_t pitch, int value, std::size_t width,
                       std::size_t height, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (height > 1 && width > pitch)
            return {cudaErrorInvalidPitchValue, "a row is wider than its pitch"};
        auto* const first = static_cast<char*>(to);
        if (width == pitch) return fill_rows(r, {{first, nullptr, width * height}}, value, stream);
        Rows rows;
        for (std::size_t y = 0; y < height; ++y)
            rows.push_back({first + y * pitch, nullptr, width});
        return fill_rows(r, std::move(rows), value, stream);
    });
}

/// Where an operation on boxes begins, and the steps to its next row and slice.
struct Corner {
    char* at = nullptr;
    std::size_t pitch = 0, slice = 0;
};
Corner corner(const cudaPitchedPtr& p, const cudaPos& pos) {
    Corner c{static_cast<char*>(p.ptr), p.pitch, p.pitch * p.ysize};
    c.at += pos.z * c.slice + pos.y * c.pitch + pos.x;
    return c;
}

cudaError_t copy_3d(const char* api, const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (p == nullptr) return invalid("a null pointer");
        if (p->srcArray != nullptr || p->dstArray != nullptr)
            return {cudaErrorNotSupported, "the emulated GPU has no CUDA arrays"};
        const Corner to = corner(p->dstPtr, p->dstPos), from = corner(p->srcPtr, p->srcPos);
        if (p->extent.height * p->extent.depth > 1 &&
            (p->extent.width > to.pitch || p->extent.width > from.pitch))
            return {cudaErrorInvalidPitchValue, "a row is wider than its pitch"};
        Rows rows;
        for (std::size_t z = 0; z < p->extent.depth; ++z)
            for (std::size_t y = 0; y < p->extent.height; ++y)
                rows.push_back({to.at + z * to.slice + y * to.pitch,
                                from.at + z * from.slice + y * from.pitch, p->extent.width});
        return copy_rows(r, std::move(rows), p->kind, stream);
    });
}

cudaError_t fill_3d(const char* api, const cudaPitchedPtr& p, int value, const cudaExtent& extent,
                    cudaStream_t stream) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        const Corner to = corner(p, {});
        Rows rows;
        for (std::size_t z = 0; z < extent.depth; ++z)
            for (std::size_t y = 0; y < extent.height; ++y)
                rows.push_back({to.at + z * to.slice + y * to.pitch, nullptr, extent.width});
        return fill_rows(r, std::move(rows), value, stream);
    });
}

/// A copy to or from `bytes` bytes at `offset` of a variable.
cudaError_t symbol_copy(const char* api, const void* symbol, void* to, const void* from,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        if (offset > v->bytes || bytes > v->bytes - offset)
            return invalid(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                           " of `" + readable(v->name) + "`, which has " +
                           std::to_string(v->bytes));
        void* variable = reinterpret_cast<void*>(v->address + offset);
        const Row row{static_cast<char*>(to == nullptr ? variable : to),
                      static_cast<const char*>(to == nullptr ? from : variable), bytes};
        return copy_rows(r, {row}, kind, stream);
    });
}

}  // namespace
}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    const CallSite site(__builtin_return_address(0));
    return synchronising_entry("cudaMalloc", [&](Runtime& r) { return allocate(r, out, bytes); });
}
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return synchronising_entry("cudaMallocAsync", [&](Runtime& r) {
        return is_stream(stream) ? allocate(r, out, bytes) : no_stream;
    });
}
CUGRADE_PTSZ(cudaMallocAsync)
cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    const CallSite site(__builtin_return_address(0));
    return synchronising_entry("cudaMallocPitch", [&](Runtime& r) -> Outcome {
        if (pitch == nullptr) return invalid("there is no pitch to set");
        *pitch = (width + pitch_granule - 1) / pitch_granule * pitch_granule;
        std::size_t bytes = 0;
        if (*pitch < width || __builtin_mul_overflow(*pitch, height, &bytes))
            return {cudaErrorMemoryAllocation, "more than the address space holds"};
        return allocate(r, out, bytes);
    });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    if (out == nullptr) return finish("cudaMalloc3D", invalid("there is no result to write"));
    void* p = nullptr;
    std::size_t pitch = 0;
    const cudaError_t e = cudaMallocPitch(&p, &pitch, extent.width, extent.height * extent.depth);
    if (e == cudaSuccess) *out = {p, pitch, extent.width, extent.height};
    return e;
}
cudaError_t cudaFree(void* p) {
    const CallSite site(__builtin_return_address(0));
    return whole_device_entry("cudaFree", [&](Runtime& r) { return release(r, p); });
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return synchronising_entry("cudaFreeAsync", [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (!is_device(p)) return release(r, p);
        return do_in_order(
            r, stream, [p](Runtime& then) { return release(then, p); }, 0,
            [&] { return r.ask(RunnerRequest::check, {.address = address_of(p), .bytes = 1}); });
    });
}
CUGRADE_PTSZ(cudaFreeAsync)

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const CallSite site(__builtin_return_address(0));
    return copy_entry("cudaMemcpy", to, from, bytes, kind);
}
CUGRADE_PTDS(cudaMemcpy)
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return copy_entry("cudaMemcpyAsync", to, from, bytes, kind, stream);
}
CUGRADE_PTSZ(cudaMemcpyAsync)
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    const CallSite site(__builtin_return_address(0));
    return copy_entry("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return copy_entry("cudaMemcpyPeerAsync", to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
    const CallSite site(__builtin_return_address(0));
    return copy_3d("cudaMemcpy3D", p, nullptr);
}
CUGRADE_PTDS(cudaMemcpy3D)
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return copy_3d("cudaMemcpy3DAsync", p, stream);
}
CUGRADE_PTSZ(cudaMemcpy3DAsync)
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const CallSite site(__builtin_return_address(0));
    return copy_2d("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
CUGRADE_PTDS(cudaMemcpy2D)
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return copy_2d("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind,
                   stream);
}
CUGRADE_PTSZ(cudaMemcpy2DAsync)

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    const CallSite site(__builtin_return_address(0));
    return fill_entry("cudaMemset", to, bytes, value, bytes, 1);
}
CUGRADE_PTDS(cudaMemset)
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return fill_entry("cudaMemsetAsync", to, bytes, value, bytes, 1, stream);
}
CUGRADE_PTSZ(cudaMemsetAsync)
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    const CallSite site(__builtin_return_address(0));
    return fill_entry("cudaMemset2D", to, pitch, value, width, height);
}
CUGRADE_PTDS(cudaMemset2D)
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return fill_entry("cudaMemset2DAsync", to, pitch, value, width, height, stream);
}
CUGRADE_PTSZ(cudaMemset2DAsync)

cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
    const CallSite site(__builtin_return_address(0));
    return fill_3d("cudaMemset3D", p, value, extent, nullptr);
}
CUGRADE_PTDS(cudaMemset3D)
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return fill_3d("cudaMemset3DAsync", p, value, extent, stream);
}
CUGRADE_PTSZ(cudaMemset3DAsync)

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
    const CallSite site(__builtin_return_address(0));
    return symbol_copy("cudaMemcpyToSymbol", symbol, nullptr, from, bytes, offset, kind);
}
CUGRADE_PTDS(cudaMemcpyToSymbol)
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    return symbol_copy("cudaMemcpyToSymbolAsync", symbol, nullptr, from, bytes, offset, kind,
                       stream);
}
CUGRADE_PTSZ(cudaMemcpyToSymbolAsync)
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
    const CallSite site(__builtin_return_address(0));
    if (to == nullptr) return finish("cudaMemcpyFromSymbol", invalid("a null pointer"));
    return symbol_copy("cudaMemcpyFromSymbol", symbol, to, nullptr, bytes, offset, kind);
}
CUGRADE_PTDS(cudaMemcpyFromSymbol)
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    const CallSite site(__builtin_return_address(0));
    if (to == nullptr) return finish("cudaMemcpyFromSymbolAsync", invalid("a null pointer"));
    return symbol_copy("cudaMemcpyFromSymbolAsync", symbol, to, nullptr, bytes, offset, kind,
                       stream);
}
CUGRADE_PTSZ(cudaMemcpyFromSymbolAsync)

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
    return synchronising_entry("cudaGetSymbolAddress", [&](Runtime& r) -> Outcome {
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        *out = reinterpret_cast<void*>(v->address);
        return {};
    });
}
cudaError_t cudaGetSymbolSize(std::size_t* out, const void* symbol) {
    return synchronising_entry("cudaGetSymbolSize", [&](Runtime& r) -> Outcome {
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        *out = v->bytes;
        return {};
    });
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    return synchronising_entry("cudaMemGetInfo", [&](Runtime& r) -> Outcome {
        protocol::Reply reply;
        Outcome o =
            r.ask(protocol::RunnerRequest::memory_info, {}, {}, std::span<std::byte>{}, &reply);
        if (available != nullptr) *available = reply.value;
        if (total != nullptr) *total = reply.value2;
        return o;
    });
}

}  // extern "C"

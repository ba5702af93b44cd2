// The functions that nvcc's generated host code calls, before main and around every <<< >>> launch.
//
// The prototypes are those of crt/host_runtime.h and crt/device_functions.h, which only nvcc's own
// passes can include. docs/fat-binaries.md describes the wrapper that is registered.
#include <cstring>

#include "emulator/runtime/internal.hpp"

namespace cugrade::cudart {
namespace {

/// The wrapper in .nvFatBinSegment.
struct Wrapper {
    std::uint32_t magic;    // 0x466243b1
    std::uint32_t version;  // 2: relocatable device code
    const void* container;
    const void* const* linked;  // version 2: the containers of all translation units, then a null
};

struct Configuration {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    std::uint32_t site = 0;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

thread_local std::uint32_t launch_site = 0;

}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    Wrapper w;
    std::memcpy(&w, wrapper, sizeof w);
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    r.prepare();
    auto* binary = new FatBinary;
    binary->container = w.container;
    if (w.version != 1) binary->linked = w.linked;
    return reinterpret_cast<void**>(binary);
}
void __cudaRegisterFatBinaryEnd(void**) {}
// The device and its modules end with the process.
void __cudaUnregisterFatBinary(void**) {}
/// Called before host code touches a __managed__ variable for the first time.
char __cudaInitModule(void** handle) {
    const cudaError_t e = entry("a __managed__ variable", [&](Runtime& r) {
        return r.map_managed(*reinterpret_cast<FatBinary*>(handle));
    });
    return e == cudaSuccess ? 1 : 0;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    HostFunction& f = r.functions[host];
    f.binary = reinterpret_cast<FatBinary*>(handle);
    f.name = name;
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                       int, int) {
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    HostVariable& v = r.variables[host];
    v.binary = reinterpret_cast<FatBinary*>(handle);
    v.name = name;
    v.bytes = bytes;
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    HostVariable& v = r.variables[host];
    v.binary = reinterpret_cast<FatBinary*>(handle);
    v.name = name;
    v.bytes = bytes;
    v.managed = host;
}

// Texture and surface references left CUDA with version 12, but the generated code may name them.
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     cudaStream_t stream) {
    configurations.push_back({grid, block, shared, stream,
                              CallSite::offset_of(__builtin_return_address(0))});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    if (configurations.empty()) return cudaErrorMissingConfiguration;
    const Configuration c = configurations.back();
    configurations.pop_back();
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *static_cast<cudaStream_t*>(stream) = c.stream;
    launch_site = c.site;
    return cudaSuccess;
}

/// The handle of a kernel is the address of its host stub.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared,
                            stream);
}
CUGRADE_PTSZ(__cudaLaunchKernel)

}  // extern "C"

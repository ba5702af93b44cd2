// expect: bytes=crash|launch_error|skipped
// at-most: bytes=0
// report: *
// Fat binaries of its own making: sizes beyond all memory, junk in the place of PTX, names without an end.
#include <cstdint>
#include <cstring>

#include "interface.cuh"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
}

namespace {
alignas(8) unsigned char container[1 << 16];
struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = container;
    const void* linked = nullptr;
} wrapper;
char key;
char name[70000];

void junk(std::uint64_t size, std::uint64_t unpacked) {
    std::memset(container, 0x5A, sizeof container);
    const std::uint32_t magic = 0xBA55ED50;
    const std::uint16_t version = 1, header = 16, kind = 1;
    const std::uint64_t lz4 = 0x2000, payload = 1000;
    const std::uint32_t entry = 64, packed = 900, arch = 75;
    std::memcpy(container, &magic, 4);
    std::memcpy(container + 4, &version, 2);
    std::memcpy(container + 6, &header, 2);
    std::memcpy(container + 8, &size, 8);
    std::memcpy(container + 16, &kind, 2);
    std::memcpy(container + 20, &entry, 4);
    std::memcpy(container + 24, &payload, 8);
    std::memcpy(container + 32, &packed, 4);
    std::memcpy(container + 44, &arch, 4);
    std::memcpy(container + 56, &lz4, 8);
    std::memcpy(container + 72, &unpacked, 8);
    std::memset(name, 'x', sizeof name - 1);
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &key, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    cudaLaunchKernel(&key, dim3(1), dim3(1), nullptr, 0, nullptr);
}
}  // namespace

void histogram_bytes(const unsigned char*, std::size_t n, unsigned int*) {
    junk(1064, 1000);
    junk(1064, std::uint64_t{1} << 40);
    junk(60000, 200 << 20);
    if (n % 2 == 1) junk(~std::uint64_t{0} - 8, 1000);
    if (n % 2 == 1) junk(60 << 20, 1000);
}

// expect: map=skipped|launch_error
// at-most: map=0
// report: *
// PTX that is none in a fat binary of its own: what the emulated GPU cannot read would be its own gap and not charged.
#include <cstdint>
#include <cstring>

#include "interface.cuh"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
}

namespace {
alignas(8) unsigned char container[80 + 64];
struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = container;
    const void* linked = nullptr;
} wrapper;
char key, name[] = "k";
}  // namespace

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    const std::uint32_t magic = 0xBA55ED50, entry = 64, arch = 75;
    const std::uint16_t version = 1, header = 16, kind = 1;
    const std::uint64_t size = sizeof container - 16, payload = 64;
    std::memcpy(container, &magic, 4);
    std::memcpy(container + 4, &version, 2);
    std::memcpy(container + 6, &header, 2);
    std::memcpy(container + 8, &size, 8);
    std::memcpy(container + 16, &kind, 2);
    std::memcpy(container + 20, &entry, 4);
    std::memcpy(container + 24, &payload, 8);
    std::memcpy(container + 44, &arch, 4);
    std::strcpy(reinterpret_cast<char*>(container + 80), ".version 99.9\n.target sm_750\n.quantum k();");
    __cudaRegisterFunction(__cudaRegisterFatBinary(&wrapper), &key, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    cudaLaunchKernel(&key, dim3(1), dim3(1), nullptr, 0, nullptr);
}

// Any bytes are a fat binary, or an object with one, or refused with a message.
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/ptx/fatbin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto length = ptx::container_size(bytes);
    if (!length && length.error().text().empty()) __builtin_trap();
    const auto entries = ptx::read_container(bytes);
    if (!entries && entries.error().text().empty()) __builtin_trap();

    static const int file = memfd_create("object", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
        return 0;
    const auto object = ptx::read_object(path);
    if (!object && object.error().text().empty()) __builtin_trap();
    return 0;
}

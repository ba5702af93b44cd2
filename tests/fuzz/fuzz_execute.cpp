// Any text that is PTX runs, watched or not, or is refused or faults with a message. Its first line
// says how it is launched (execute.hpp); mutations keep to the grammar (mutate.cpp).
#include "execute.hpp"
#include "mutate.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cugrade;
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::execute(text, fuzz::setup_of(text));
    return 0;
}

namespace {
std::size_t put(const std::string& text, std::uint8_t* data, std::size_t most) {
    const std::size_t size = std::min(text.size(), most);
    std::copy_n(text.data(), size, data);
    return size;
}
}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
    using namespace cugrade;
    if (seed % 64 == 0) return LLVMFuzzerMutate(data, size, most);
    const std::string text(reinterpret_cast<const char*>(data), size);
    return put(fuzz::mutated(text, seed), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned int seed) {
    using namespace cugrade;
    const std::string one(reinterpret_cast<const char*>(a), a_size);
    const std::string other(reinterpret_cast<const char*>(b), b_size);
    return put(fuzz::spliced(one, other, seed), out, most);
}

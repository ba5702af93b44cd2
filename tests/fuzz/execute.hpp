// Runs a PTX text as the emulated GPU would, whatever it is: for the fuzzer and for the test that
// replays what the fuzzer has kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cugrade::fuzz {

/// How the kernels of a text are launched.
struct Setup {
    enum Watch : std::uint32_t { nobody, counters, timing, checkers, graded, all, ways };
    std::uint32_t watch = nobody;
    std::uint64_t seed = 0;
    std::uint32_t blocks = 1;
    std::uint32_t threads = 32;
    std::uint32_t dynamic_shared = 0;
    std::uint32_t host_threads = 1;
};

/// From the first line, `// run 1F2E3D4C`: each digit chooses one thing. Other texts get 0.
[[nodiscard]] Setup setup_of(std::string_view ptx);

/// Parses, loads and launches every kernel, a few thousand warp instructions each. Whatever is
/// wrong with the text, only a refusal or a fault with a message may come of it: anything else ends
/// the process.
void execute(const std::string& ptx, const Setup&);

}  // namespace cugrade::fuzz

// Stands in for functions of CUDA's runtime that this runtime lacks. If a program needs such a
// function, the grader's build links it with a definition that calls this one.
#include "emulator/runtime/internal.hpp"

extern "C" cudaError_t cugrade_lacks(const char* function, const char* file, int line) {
    using namespace cugrade::cudart;
    entry(function, [&](Runtime& r) -> Outcome {
        if (auto connected = r.connect(); !connected) return connected;
        const std::string note = std::string(function) + '\n' + file;
        return r.ask(protocol::RunnerRequest::lacks,
                     {.value = static_cast<std::uint64_t>(line < 0 ? 0 : line)},
                     std::as_bytes(std::span(note)));
    });
    return finish(function, {cudaErrorNotSupported, "the emulated GPU does not have it"});
}

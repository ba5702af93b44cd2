// Error names, texts and the last error of each thread.
#include <algorithm>
#include <atomic>
#include <cstdio>

#include "emulator/runtime/internal.hpp"
#include "protocol/cuda_errors.hpp"

namespace cugrade::cudart {
namespace {

struct Row {
    cudaError_t code;
    const char* name;
    const char* text;
};
constexpr Row rows[] = {
#define CUGRADE_ROW(name, number, text) {name, #name, text},
    CUGRADE_CUDA_ERRORS(CUGRADE_ROW)
#undef CUGRADE_ROW
};
#define CUGRADE_CHECK(name, number, text) static_assert(name == number);
CUGRADE_CUDA_ERRORS(CUGRADE_CHECK)
#undef CUGRADE_CHECK

const Row* find(cudaError_t code) {
    const auto it = std::lower_bound(std::begin(rows), std::end(rows), code,
                                     [](const Row& r, cudaError_t c) { return r.code < c; });
    return it != std::end(rows) && it->code == code ? it : nullptr;
}

thread_local cudaError_t last_error = cudaSuccess;
/// A call has failed since the program last asked about errors.
std::atomic<bool> unseen = false;

/// The program has looked at an error, so earlier failures no longer count as unchecked.
void seen() {
    if (!unseen.exchange(false)) return;
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    if (r.connect()) (void)r.ask(protocol::RunnerRequest::errors_seen, {});
}

}  // namespace

const char* error_name(cudaError_t code) {
    const Row* row = find(code);
    return row != nullptr ? row->name : "cudaErrorUnknown";
}

cudaError_t finish_quietly(cudaError_t code) {
    if (code != cudaSuccess) last_error = code;
    return code;
}

cudaError_t finish(const char* api, Outcome outcome) {
    if (outcome.code == cudaSuccess) return cudaSuccess;
    Runtime& r = Runtime::get();
    const std::lock_guard lock(r.mutex);
    std::string note = std::string(error_name(outcome.code)) + ": " + api;
    if (!outcome.why.empty()) note += ": " + outcome.why;
    if (note.size() >= protocol::max_text) note.resize(protocol::max_text - 1);
    if (r.connect())
        (void)r.ask(protocol::RunnerRequest::note_error, {}, std::as_bytes(std::span(note)));
    unseen = true;
    return finish_quietly(outcome.code);
}

}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
    if (code != cudaSuccess) seen();
    const Row* row = find(code);
    return row != nullptr ? row->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t code) {
    if (code != cudaSuccess) seen();
    const Row* row = find(code);
    return row != nullptr ? row->text : "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
    seen();
    return last_error;
}

cudaError_t cudaGetLastError() {
    seen();
    const cudaError_t code = last_error;
    // The error of a failed kernel stays with the device for good; others are forgotten.
    if (code < cudaErrorIllegalAddress || code == cudaErrorLaunchOutOfResources ||
        code == cudaErrorCooperativeLaunchTooLarge || code == cudaErrorNotSupported)
        last_error = cudaSuccess;
    return code;
}

}  // extern "C"

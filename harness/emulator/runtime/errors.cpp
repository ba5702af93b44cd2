// Error names, texts and the last error of each thread.
#include <algorithm>
#include <atomic>
#include <cstdio>

#include "emulator/runtime/internal.hpp"

namespace cugrade::cudart {
namespace {

struct Row {
    cudaError_t code;
    const char* name;
    const char* text;
};
#define CUGRADE_ERROR(name, text) \
    { name, #name, text }
// In the order of their numbers. The texts are those that cudaGetErrorString is known for, so that
// what a student searches for finds something.
constexpr Row rows[] = {
    CUGRADE_ERROR(cudaSuccess, "no error"),
    CUGRADE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    CUGRADE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    CUGRADE_ERROR(cudaErrorInitializationError, "initialization error"),
    CUGRADE_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    CUGRADE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CUGRADE_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CUGRADE_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    CUGRADE_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    CUGRADE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CUGRADE_ERROR(cudaErrorInsufficientDriver,
                  "CUDA driver version is insufficient for CUDA runtime version"),
    CUGRADE_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    CUGRADE_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    CUGRADE_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CUGRADE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    CUGRADE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    CUGRADE_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    CUGRADE_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    CUGRADE_ERROR(cudaErrorNoKernelImageForDevice,
                  "no kernel image is available for execution on the device"),
    CUGRADE_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    CUGRADE_ERROR(cudaErrorPeerAccessUnsupported,
                  "peer access is not supported between these two devices"),
    CUGRADE_ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    CUGRADE_ERROR(cudaErrorUnsupportedPtxVersion,
                  "the provided PTX was compiled with an unsupported toolchain."),
    CUGRADE_ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    CUGRADE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CUGRADE_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    CUGRADE_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    CUGRADE_ERROR(cudaErrorNotReady, "device not ready"),
    CUGRADE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    CUGRADE_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CUGRADE_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    CUGRADE_ERROR(cudaErrorAssert, "device-side assert triggered"),
    CUGRADE_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                  "part or all of the requested memory range is already mapped"),
    CUGRADE_ERROR(cudaErrorHostMemoryNotRegistered,
                  "pointer does not correspond to a registered memory region"),
    CUGRADE_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    CUGRADE_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    CUGRADE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    CUGRADE_ERROR(cudaErrorInvalidAddressSpace,
                  "operation not supported on global/shared address space"),
    CUGRADE_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    CUGRADE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    CUGRADE_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    CUGRADE_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    CUGRADE_ERROR(cudaErrorNotSupported, "operation not supported"),
    CUGRADE_ERROR(cudaErrorStreamCaptureUnsupported,
                  "operation not permitted when stream is capturing"),
    CUGRADE_ERROR(cudaErrorInvalidClusterSize, "invalid cluster size"),
    CUGRADE_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef CUGRADE_ERROR

const Row* find(cudaError_t code) {
    const auto it = std::lower_bound(std::begin(rows), std::end(rows), code,
                                     [](const Row& r, cudaError_t c) { return r.code < c; });
    return it != std::end(rows) && it->code == code ? it : nullptr;
}

thread_local cudaError_t last_error = cudaSuccess;
/// A call has failed since the program last asked about errors.
std::atomic<bool> unseen = false;

/// The program has looked at an error: what failed before is not unchecked.
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

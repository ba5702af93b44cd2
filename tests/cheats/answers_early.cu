// cheat: answers before the last five calls are done, with times that the clock agrees with
// caught: tampering "still running" or tampering "needs at least" or gain <= 5 %
//
// The outputs are complete by the time that they are compared, because the grader's own small
// kernel has waited for them. What that waits longer than 30 us is charged, so that this gains
// those and the time in which the answer arrives, 2 to 3 % of a round.
#include <chrono>

#include "honest.cuh"
#include "patch.cuh"
#include "requests.cuh"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most = 256, early = 5;
cudaEvent_t events[most];
int calls = 0;
bool timed = false, no_calls = false;
Clock::time_point begin;

cudaError_t CUDARTAPI wait_for_most() {
    if (!timed || no_calls) return cudaStreamSynchronize(nullptr);
    if (calls > early)
        while (cudaEventQuery(events[calls - 1 - early]) == cudaErrorNotReady) {
        }
    calls = 0;
    return cudaSuccess;
}

cudaError_t CUDARTAPI no_wait(cudaEvent_t) {
    return timed && !no_calls ? cudaSuccess : cudaStreamSynchronize(nullptr);
}

cudaError_t CUDARTAPI since_begin(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
    return cudaSuccess;
}

const bool patched = patch(&cudaDeviceSynchronize, &wait_for_most) &&
                     patch(&cudaEventSynchronize, &no_wait) &&
                     patch(&cudaEventElapsedTime, &since_begin);

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    timed = honest::timed(n);
    requests::come = [](const requests::Request& request) { no_calls = request.no_calls; };
    if (timed && calls == 0) begin = Clock::now();
    honest::sum(in, n, out);
    if (!timed || calls == most) return;
    if (events[calls] == nullptr) cudaEventCreateWithFlags(&events[calls], cudaEventDisableTiming);
    cudaEventRecord(events[calls++], nullptr);
}

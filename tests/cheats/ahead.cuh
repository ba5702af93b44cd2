// For cheats that compute answers ahead: between an answer to the grader and its next request.
#pragma once

#include "honest.cuh"
#include "requests.cuh"

namespace ahead {

/// A cheat's `reduce_sum`. Its Worker is made by the first timed call. Before each answer to the
/// grader `start()`, when a request has come `stop()`, or `forget()`, where memory is about to go.
/// `take(in, n)` is for a call: where the answer lies, or null if there is none.
template <class Worker>
void sum(const double* in, std::size_t n, double* out) {
    static Worker* worker = nullptr;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (worker == nullptr) {
        worker = new Worker;
        requests::answering = [] { worker->start(); };
        requests::come = [](const requests::Request& request) {
            request.memory_changes ? worker->forget() : worker->stop();
        };
    }
    honest::copy_or_sum(worker->take(in, n), in, n, out);
}

}  // namespace ahead

// Streams of the emulated runtime, and the work in them that has not been done yet.
//
// Theory of operation. Work in a stream that the program has created is not ordered with the host's
// next actions, nor with other streams, until something waits for it. A GPU runs it at some time in
// between. Here the emulator's seed decides when:
//
//   seed 0       as late as the rules allow: when the host waits for the stream, an event, the
//                device; when the default stream comes, for streams that it waits for; when memory
//                is freed. Streams that nothing orders run in the reverse order of their calls.
//   odd seeds    at once
//   even seeds   at some time in between, drawn from the seed
//
// So a program that forgets to wait finds its work undone under one seed and done under another.
// Host callbacks run at once under every seed, after all work that their stream holds, because the
// host may see their effects without asking CUDA. Kernels and copies may set flags in memory that
// the host shares, so a thread of this library does the remaining work when the host has called
// nothing for long. Copies to and from pageable memory take place when CUDA says they do.
//
// Work in the default stream is done when its call returns.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "emulator/runtime/internal.hpp"

// The caller of all of these holds Runtime::mutex.
namespace cugrade::cudart {

using Action = std::function<Outcome(Runtime&)>;

/// A stream that exists: one of the three predefined ones, or created and not destroyed.
[[nodiscard]] bool is_stream(cudaStream_t);

/// Whether work that is put into the stream now has to wait. For the default stream: first finishes
/// the streams that it waits for, then returns false.
[[nodiscard]] bool defers(Runtime&, cudaStream_t);
/// Puts an action into a stream that defers. `held_bytes`: memory that the action keeps until it is
/// done.
void put_off(Runtime&, cudaStream_t, Action, std::size_t held_bytes = 0);
/// Does the action now, or puts it off if the stream defers. Before it puts the action off, it
/// calls `check` and returns its error, because hardware refuses bad arguments at the call.
template <class Check>
Outcome do_in_order(Runtime& r, cudaStream_t stream, Action action, std::size_t held_bytes,
                    Check&& check) {
    if (!defers(r, stream)) {
        if (Outcome o = r.synchronise(); !o) return o;
        return action(r);
    }
    if (Outcome o = check(); !o) return o;
    put_off(r, stream, std::move(action), held_bytes);
    return {};
}

/// Do the work of a stream (for the default stream: of all streams that it waits for), or of all
/// streams. The next synchronise() reports errors of that work.
void finish_stream(Runtime&, cudaStream_t);
void finish_device(Runtime&);

/// An entry point that waits for the default stream, or for the device, and then does its work.
template <class Work>
cudaError_t default_stream_entry(const char* api, Work&& work) {
    return entry(api, [&](Runtime& r) -> Outcome {
        finish_stream(r, nullptr);
        if (Outcome o = r.synchronise(); !o) return o;
        return work(r);
    });
}
template <class Work>
cudaError_t whole_device_entry(const char* api, Work&& work) {
    return entry(api, [&](Runtime& r) -> Outcome {
        finish_device(r);
        if (Outcome o = r.synchronise(); !o) return o;
        return work(r);
    });
}

}  // namespace cugrade::cudart

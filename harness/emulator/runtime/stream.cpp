#include "emulator/runtime/stream.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "emulator/runtime/put_off.hpp"

namespace cugrade::cudart {
namespace {

using Clock = std::chrono::steady_clock;

struct Stream {
    unsigned flags = 0;
    int priority = 0;
    int queries = 0;  ///< queries in a row that were answered "not ready"
};
struct Event {
    unsigned flags = 0;
    std::optional<Clock::time_point> recorded;
    Ticket ticket = 0;  ///< of the work that records it; 0: recorded at once
    int queries = 0;
};
/// This many queries in a row of a stream or event are answered "not ready" before the work is
/// done. Chosen: a program that polls sees that it has to, and soon goes on.
constexpr int queries_not_ready = 1;
/// Objects by handle. A handle is a number that is no address, and is never used twice.
template <class Handle, class Object>
struct Table {
    std::map<Handle, Object> live;
    std::uintptr_t next = 0x1000;
    Handle create(Object object) {
        const auto handle = reinterpret_cast<Handle>(next);
        next += 16;
        live.emplace(handle, std::move(object));
        return handle;
    }
    Object* find(Handle handle) {
        const auto it = live.find(handle);
        return it == live.end() ? nullptr : &it->second;
    }
};
struct State {
    Table<cudaStream_t, Stream> streams;
    Table<cudaEvent_t, Event> events;
    PutOff put_off;
};
State& state() {
    static State* const s = new State;
    return *s;
}

const Outcome no_stream{cudaErrorInvalidResourceHandle, "not a live stream"};
const Outcome no_event{cudaErrorInvalidResourceHandle, "not a live event"};

/// The default stream. Its work is never put off. In a program compiled with per-thread default
/// streams this is the calling thread's stream, which may wait for more than it has to.
bool is_default(cudaStream_t s) { return s == nullptr || s == cudaStreamLegacy; }

bool waits_for_default(cudaStream_t stream) {
    const Stream* s = state().streams.find(stream);
    return s == nullptr || (s->flags & cudaStreamNonBlocking) == 0;
}

/// Waits for a stream, and says what failed.
cudaError_t with_stream(const char* api, cudaStream_t stream) {
    return entry(api, [&](Runtime& r) -> Outcome {
        if (Outcome o = r.connect(); !o) return o;
        if (is_stream(stream)) finish_stream(r, stream);
        if (Outcome o = r.synchronise(); !o) return o;
        return is_stream(stream) ? Outcome{} : no_stream;
    });
}

/// "Not ready" is an answer and no error.
template <class Ask>
cudaError_t query(const char* api, Ask&& ask) {
    bool ready = true;
    const cudaError_t error = entry(api, [&](Runtime& r) -> Outcome {
        if (Outcome o = r.connect(); !o) return o;
        Outcome asked = ask(r, ready);
        if (!asked || !ready) return asked;
        return r.synchronise();
    });
    return error == cudaSuccess && !ready ? cudaErrorNotReady : error;
}

void record_now(cudaEvent_t event, Ticket ticket) {
    Event* e = state().events.find(event);
    if (e != nullptr && e->ticket == ticket) e->recorded = Clock::now();
}

}  // namespace

bool is_stream(cudaStream_t s) {
    return is_default(s) || s == cudaStreamPerThread || state().streams.find(s) != nullptr;
}

bool defers(Runtime& r, cudaStream_t stream) {
    if (!is_default(stream)) return state().put_off.defers(r);
    finish_stream(r, stream);
    return false;
}

void put_off(Runtime& r, cudaStream_t stream, Action action, std::size_t held_bytes) {
    if (Stream* s = state().streams.find(stream)) s->queries = 0;
    state().put_off.add(r, stream, waits_for_default(stream), std::move(action), held_bytes);
    state().put_off.maybe_do_some(r);
}

void finish_stream(Runtime& r, cudaStream_t stream) {
    if (is_default(stream))
        state().put_off.finish_all(r, true);
    else
        state().put_off.finish(r, stream);
}
void finish_device(Runtime& r) { state().put_off.finish_all(r, false); }

}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return synchronising_entry("cudaStreamCreate", [&](Runtime&) -> Outcome {
        if (stream == nullptr || flags > cudaStreamNonBlocking)
            return invalid("bad flags or no result");
        *stream = state().streams.create({flags, priority});
        return {};
    });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return entry("cudaStreamDestroy", [&](Runtime&) -> Outcome {
        // The work that it holds is still done, in its time.
        return state().streams.live.erase(stream) == 1 ? Outcome{} : no_stream;
    });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return with_stream("cudaStreamSynchronize", stream);
}
CUGRADE_PTSZ(cudaStreamSynchronize)
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return query("cudaStreamQuery", [&](Runtime& r, bool& ready) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        Stream* s = state().streams.find(stream);
        ready = s == nullptr || state().put_off.last_of(stream) == 0 ||
                s->queries++ >= queries_not_ready;
        if (ready) finish_stream(r, stream);
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamQuery)

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return entry("cudaStreamGetFlags", [&](Runtime&) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        const Stream* s = state().streams.find(stream);
        *flags = s == nullptr ? 0 : s->flags;
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamGetFlags)
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return entry("cudaStreamGetPriority", [&](Runtime&) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        const Stream* s = state().streams.find(stream);
        *priority = s == nullptr ? 0 : s->priority;
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamGetPriority)
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return entry("cudaStreamGetDevice", [&](Runtime&) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        *device = 0;
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamGetDevice)
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return entry("cudaStreamIsCapturing", [&](Runtime&) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        *status = cudaStreamCaptureStatusNone;
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamIsCapturing)

// The host may wait for the effect of a callback without asking CUDA, so the callback runs at once,
// after all work that the stream holds.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    const cudaError_t e = with_stream("cudaLaunchHostFunc", stream);
    if (e == cudaSuccess) function(data);
    return e;
}
CUGRADE_PTSZ(cudaLaunchHostFunc)
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
    const cudaError_t e = with_stream("cudaStreamAddCallback", stream);
    if (e == cudaSuccess) callback(stream, cudaSuccess, data);
    return e;
}
CUGRADE_PTSZ(cudaStreamAddCallback)

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return synchronising_entry("cudaEventCreate", [&](Runtime&) -> Outcome {
        if (event == nullptr || flags > 7) return invalid("bad flags or no result");
        *event = state().events.create({.flags = flags});
        return {};
    });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return entry("cudaEventDestroy", [&](Runtime&) -> Outcome {
        return state().events.live.erase(event) == 1 ? Outcome{} : no_event;
    });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return entry("cudaEventRecord", [&](Runtime& r) -> Outcome {
        if (Outcome o = r.connect(); !o) return o;
        Event* e = state().events.find(event);
        if (e == nullptr) return no_event;
        if (!is_stream(stream)) return no_stream;
        e->queries = 0;
        e->ticket = 0;
        PutOff& put_off = state().put_off;
        if (!defers(r, stream) || put_off.last_of(stream) == 0) {
            e->recorded = Clock::now();
            return {};
        }
        e->recorded.reset();
        const auto ticket = std::make_shared<Ticket>(0);
        e->ticket = *ticket = put_off.add(
            r, stream, waits_for_default(stream),
            [event, ticket](Runtime&) -> Outcome {
                record_now(event, *ticket);
                return {};
            },
            0);
        put_off.maybe_do_some(r);
        return {};
    });
}
CUGRADE_PTSZ(cudaEventRecordWithFlags)
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
CUGRADE_PTSZ(cudaEventRecord)

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return entry("cudaEventSynchronize", [&](Runtime& r) -> Outcome {
        if (Outcome o = r.connect(); !o) return o;
        const Event* e = state().events.find(event);
        if (e != nullptr) state().put_off.finish(r, e->ticket);
        if (Outcome o = r.synchronise(); !o) return o;
        return e != nullptr ? Outcome{} : no_event;
    });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return query("cudaEventQuery", [&](Runtime& r, bool& ready) -> Outcome {
        Event* e = state().events.find(event);
        if (e == nullptr) return no_event;
        PutOff& put_off = state().put_off;
        ready = put_off.is_done(e->ticket) || e->queries++ >= queries_not_ready;
        if (ready) put_off.finish(r, e->ticket);
        return {};
    });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return synchronising_entry("cudaEventElapsedTime", [&](Runtime&) -> Outcome {
        const Event* a = state().events.find(start);
        const Event* b = state().events.find(end);
        if (a == nullptr || b == nullptr) return no_event;
        if (milliseconds == nullptr) return invalid("there is no result to write");
        const PutOff& put_off = state().put_off;
        if (!put_off.is_done(a->ticket) || !put_off.is_done(b->ticket))
            return {cudaErrorNotReady,
                    "an event has not been reached; cudaEventSynchronize waits for it"};
        if (!a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming) != 0)
            return {cudaErrorInvalidResourceHandle, "both events must be recorded, with timing"};
        *milliseconds =
            std::chrono::duration<float, std::milli>(*b->recorded - *a->recorded).count();
        return {};
    });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return entry("cudaStreamWaitEvent", [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        const Event* e = state().events.find(event);
        if (e == nullptr) return no_event;
        PutOff& put_off = state().put_off;
        const Ticket ticket = e->ticket;
        if (put_off.is_done(ticket)) return {};
        if (!defers(r, stream)) {
            put_off.finish(r, ticket);
            return {};
        }
        put_off.add(r, stream, waits_for_default(stream), [](Runtime&) { return Outcome{}; }, 0,
                    {ticket});
        return {};
    });
}
CUGRADE_PTSZ(cudaStreamWaitEvent)

}  // extern "C"

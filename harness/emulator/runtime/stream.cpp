#include "emulator/runtime/stream.hpp"

#include <chrono>
#include <map>
#include <optional>

#include "emulator/runtime/internal.hpp"

namespace cugrade::cudart {
namespace {

using Clock = std::chrono::steady_clock;

struct Stream {
    unsigned flags = 0;
    int priority = 0;
};
struct Event {
    unsigned flags = 0;
    std::optional<Clock::time_point> recorded;
};
/// By handle; the handle is a number that is no address and is never used twice.
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
};
State& state() {
    static State* const s = new State;
    return *s;
}

const Outcome no_stream{cudaErrorInvalidResourceHandle, "not a live stream"};
const Outcome no_event{cudaErrorInvalidResourceHandle, "not a live event"};

cudaError_t with_stream(const char* api, cudaStream_t stream) {
    return synchronising_entry(api,
                               [&](Runtime&) { return is_stream(stream) ? Outcome{} : no_stream; });
}

}  // namespace

bool is_stream(cudaStream_t s) {
    return s == nullptr || s == cudaStreamLegacy || s == cudaStreamPerThread ||
           state().streams.find(s) != nullptr;
}

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
        return state().streams.live.erase(stream) == 1 ? Outcome{} : no_stream;
    });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return with_stream("cudaStreamSynchronize", stream);
}
CUGRADE_PTSZ(cudaStreamSynchronize)
cudaError_t cudaStreamQuery(cudaStream_t stream) { return with_stream("cudaStreamQuery", stream); }
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

// All work before a callback is done when it is enqueued, so it can run at once.
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
        *event = state().events.create({flags, {}});
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
        e->recorded = Clock::now();
        return {};
    });
}
CUGRADE_PTSZ(cudaEventRecordWithFlags)
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
CUGRADE_PTSZ(cudaEventRecord)

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return synchronising_entry("cudaEventSynchronize", [&](Runtime&) {
        return state().events.find(event) != nullptr ? Outcome{} : no_event;
    });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return synchronising_entry("cudaEventQuery", [&](Runtime&) {
        return state().events.find(event) != nullptr ? Outcome{} : no_event;
    });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return synchronising_entry("cudaEventElapsedTime", [&](Runtime&) -> Outcome {
        const Event* a = state().events.find(start);
        const Event* b = state().events.find(end);
        if (a == nullptr || b == nullptr) return no_event;
        if (milliseconds == nullptr) return invalid("there is no result to write");
        if (!a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming) != 0)
            return {cudaErrorInvalidResourceHandle, "both events must be recorded, with timing"};
        *milliseconds =
            std::chrono::duration<float, std::milli>(*b->recorded - *a->recorded).count();
        return {};
    });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return entry("cudaStreamWaitEvent", [&](Runtime&) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        return state().events.find(event) != nullptr ? Outcome{} : no_event;
    });
}
CUGRADE_PTSZ(cudaStreamWaitEvent)

}  // extern "C"

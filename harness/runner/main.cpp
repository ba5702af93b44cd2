// The main of every runner: the process in which the student's code runs.
//
// It trusts nothing and is trusted with nothing: it has a control socket and device addresses, says
// which functions the submission has, calls them when told to, and reports CUDA errors and its own
// event times as claims. Inputs, expected results and comparison stay in the grader.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include <cuda_runtime_api.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cugrade/tasks.hpp"
#include "protocol/descriptors.hpp"
#include "protocol/device_memory.hpp"
#include "protocol/runner_protocol.hpp"

// Exists only on a GPU: the emulated runtime has no driver below it.
#pragma weak cudaGetDriverEntryPointByVersion

namespace {

namespace protocol = cugrade::protocol;
using cugrade::runner::task_table;

int descriptor(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? -1 : std::atoi(text);
}

[[noreturn]] void end(const char* why) {
    std::fprintf(stderr, "cugrade runner: %s\n", why);
    std::_Exit(2);
}

class Runner {
public:
    explicit Runner(int control) : control_(control), buffer_(protocol::max_message) {}

    void serve() {
        // Making a context takes long, so runners that are started together make theirs in
        // parallel, before the grader waits for their Hellos. If this fails, attach() tries again.
        // A runner that shall see no GPU is only asked for its Hello and does not touch the driver.
        if (has_driver() && sees_gpu() && cudaSetDevice(0) != cudaSuccess) (void)cudaGetLastError();
        hello();
        for (;;) {
            for (const int fd : descriptors_) close(fd);
            descriptors_.clear();
            const ssize_t got =
                protocol::receive_with(control_, buffer_.data(), buffer_.size(), descriptors_);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return;  // the grader is done with us
            protocol::Header header;
            if (static_cast<std::size_t>(got) < sizeof header) end("short message");
            std::memcpy(&header, buffer_.data(), sizeof header);
            if (header.magic != protocol::magic) end("the grader speaks another protocol version");
            values_.clear();
            protocol::Reply reply;
            if (header.kind == protocol::Kind::attach)
                reply = attach();
            else if (header.kind == protocol::Kind::call)
                reply = call(static_cast<std::size_t>(got));
            else
                reply.status = protocol::CallStatus::bad_request;
            send_reply(reply);
        }
    }

private:
    static bool has_driver() { return cudaGetDriverEntryPointByVersion != nullptr; }
    static bool sees_gpu() {
        const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
        return visible == nullptr || *visible != '\0';
    }

    void hello() {
        protocol::Hello hello{};
        hello.header = {.kind = protocol::Kind::hello, .bytes = sizeof hello};
        if (task_table.count > protocol::max_tasks) end("too many tasks in tasks.cpp");
        hello.task_count = static_cast<std::uint32_t>(task_table.count);
        for (std::size_t i = 0; i < task_table.count; ++i) {
            const auto& task = task_table.tasks[i];
            if (task.argument_count > protocol::max_arguments)
                end("too many arguments in tasks.cpp");
            std::strncpy(hello.tasks[i].task, task.name, sizeof hello.tasks[i].task - 1);
            hello.tasks[i].argument_count = static_cast<std::uint32_t>(task.argument_count);
            hello.tasks[i].defined = task.defined() ? 1 : 0;
            task.describe(hello.tasks[i].arguments);
        }
        transmit(&hello, sizeof hello);
    }

    protocol::Reply attach() {
        protocol::Reply reply;
        protocol::Attach attach;
        std::memcpy(&attach, buffer_.data(), sizeof attach);
        if (!has_driver() || attach.count != descriptors_.size()) {
            reply.status = protocol::CallStatus::bad_request;
            return reply;
        }
        if (const cudaError_t error = cudaSetDevice(0); error != cudaSuccess)
            return failed(error, "cudaSetDevice");
        for (protocol::MappedMemory& memory : imported_) protocol::unmap_memory(memory);
        imported_.clear();
        for (std::uint32_t i = 0; i < attach.count; ++i) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, buffer_.data() + sizeof attach + i * sizeof bytes, sizeof bytes);
            protocol::MappedMemory memory{.bytes = bytes};
            void* const fd = reinterpret_cast<void*>(std::intptr_t{descriptors_[i]});
            cudaError_t error = CUGRADE_DRIVER(cuMemImportFromShareableHandle, &memory.handle, fd,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
            if (error == cudaSuccess) error = protocol::map_memory(memory, 0);
            if (error != cudaSuccess) return failed(error, "the grader's memory cannot be mapped");
            imported_.push_back(memory);
            values_.push_back(memory.address);
        }
        return reply;
    }

    protocol::Reply call(std::size_t bytes) {
        protocol::Reply reply;
        protocol::Call call;
        std::memcpy(&call, buffer_.data(), sizeof call);
        const std::size_t wanted = std::size_t{call.set_count} * call.argument_count;
        if (call.task >= task_table.count || call.set_count == 0 ||
            bytes != sizeof call + wanted * sizeof(std::uint64_t)) {
            reply.status = protocol::CallStatus::bad_request;
            return reply;
        }
        std::vector<std::uint64_t> arguments(wanted);
        std::memcpy(arguments.data(), buffer_.data() + sizeof call, wanted * sizeof(std::uint64_t));
        const auto& task = task_table.tasks[call.task];
        std::uint32_t next = 0;
        const auto one_call = [&] {
            task.call(arguments.data() + std::size_t{next} * call.argument_count);
            next = (next + 1) % call.set_count;
        };
        try {
            for (std::uint32_t i = 0; i < call.warmups; ++i) one_call();
            if (call.timed == protocol::Clocked::each) {
                time_each(call.repeats, one_call);
            } else if (call.timed == protocol::Clocked::together) {
                time_together(call.repeats, one_call);
            } else {
                for (std::uint32_t i = 0; i < call.repeats; ++i) one_call();
            }
        } catch (const std::exception& error) {
            reply.status = protocol::CallStatus::exception;
            std::snprintf(reply.text, sizeof reply.text, "%s", error.what());
            return reply;
        } catch (...) {
            reply.status = protocol::CallStatus::exception;
            std::snprintf(reply.text, sizeof reply.text, "an exception that is no std::exception");
            return reply;
        }
        std::fflush(nullptr);  // a later crash must not lose the student's output
        const cudaError_t synchronised = cudaDeviceSynchronize();
        if (synchronised != cudaSuccess) return failed(synchronised, "a kernel failed");
        const cudaError_t pending = cudaGetLastError();
        if (pending != cudaSuccess) return failed(pending, "a CUDA call failed");
        return reply;
    }

    /// Puts one event time per call, in microseconds, into values_.
    template <class F>
    void time_each(std::uint32_t repeats, F&& one_call) {
        std::vector<cudaEvent_t> events(repeats + std::size_t{1});
        for (auto& event : events) cudaEventCreate(&event);
        cudaDeviceSynchronize();
        cudaEventRecord(events[0], nullptr);
        for (std::uint32_t i = 0; i < repeats; ++i) {
            one_call();
            cudaEventRecord(events[i + 1], nullptr);
        }
        cudaDeviceSynchronize();
        for (std::uint32_t i = 0; i < repeats; ++i) {
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]);
            const double microseconds = 1000.0 * static_cast<double>(milliseconds);
            std::uint64_t bits = 0;
            std::memcpy(&bits, &microseconds, sizeof bits);
            values_.push_back(bits);
        }
        for (auto& event : events) cudaEventDestroy(event);
    }

    /// Puts the microseconds of all calls together, by events, into values_. The two events are
    /// made once, because the grader's clock also counts the work that is done here beside the
    /// calls. Before the first event comes a little work that switches the GPU to this process's
    /// context: the switch belongs to no call, and takes as long without calls. The second event
    /// comes when the whole device is done, other streams and kernels launched by kernels included,
    /// because the grader's clock stops no earlier.
    template <class F>
    void time_together(std::uint32_t repeats, F&& one_call) {
        for (auto& event : events_)
            if (event == nullptr) cudaEventCreate(&event);
        if (scratch_ == nullptr) cudaMalloc(&scratch_, scratch_bytes);
        cudaMemsetAsync(scratch_, 0, scratch_bytes, nullptr);
        cudaEventRecord(events_[0], nullptr);
        for (std::uint32_t i = 0; i < repeats; ++i) one_call();
        cudaDeviceSynchronize();
        cudaEventRecord(events_[1], nullptr);
        cudaEventSynchronize(events_[1]);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, events_[0], events_[1]);
        const double microseconds = 1000.0 * static_cast<double>(milliseconds);
        values_.push_back(0);
        std::memcpy(values_.data(), &microseconds, sizeof microseconds);
    }

    static protocol::Reply failed(cudaError_t error, const char* what) {
        protocol::Reply reply;
        reply.status = protocol::CallStatus::cuda_error;
        reply.cuda_error = static_cast<std::int32_t>(error);
        std::snprintf(reply.text, sizeof reply.text, "%s: %s (%s)", what, cudaGetErrorName(error),
                      cudaGetErrorString(error));
        return reply;
    }

    void send_reply(protocol::Reply& reply) {
        reply.value_count = static_cast<std::uint32_t>(values_.size());
        const std::size_t bytes = sizeof reply + values_.size() * sizeof(std::uint64_t);
        reply.header = {.kind = protocol::Kind::reply, .bytes = static_cast<std::uint32_t>(bytes)};
        std::vector<unsigned char> message(bytes);
        std::memcpy(message.data(), &reply, sizeof reply);
        if (!values_.empty())
            std::memcpy(message.data() + sizeof reply, values_.data(),
                        values_.size() * sizeof(std::uint64_t));
        transmit(message.data(), bytes);
    }

    void transmit(const void* data, std::size_t bytes) {
        while (send(control_, data, bytes, MSG_NOSIGNAL) < 0)
            if (errno != EINTR) end("lost the connection to the grader");
    }

    int control_;
    std::vector<unsigned char> buffer_;
    std::vector<std::uint64_t> values_;
    std::vector<int> descriptors_;
    std::vector<protocol::MappedMemory> imported_;
    cudaEvent_t events_[2] = {};
    static constexpr std::size_t scratch_bytes = 64 << 10;
    void* scratch_ = nullptr;
};

}  // namespace

/// On a GPU, the submission's calls of cudaDeviceReset() are linked to this function. The context
/// is not the submission's alone: a reset would also remove the grader's buffers and the events
/// that time calls. The emulated runtime does the same.
extern "C" cudaError_t __wrap_cudaDeviceReset() { return cudaDeviceSynchronize(); }

int main() {
    const int control = descriptor(protocol::control_fd_variable);
    if (control < 0) end("this program is started by cugrade, not by hand");
    Runner(control).serve();
    return 0;
}

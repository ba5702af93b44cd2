// The messages between the grader and a runner. Both sides include this and only this.
//
// A SOCK_SEQPACKET pair: one send is one message, header first. The runner says Hello, then answers
// each request with one Reply. Nothing that the runner says decides a verdict of "accepted": the
// grader compares memory that it owns. Fixed-width fields, no padding, native byte order.
#pragma once

#include <cstdint>

namespace cugrade::protocol {

inline constexpr std::uint32_t magic = 0x43554733;  // "CUG3"; changes with every change below
inline constexpr int max_arguments = 16;
inline constexpr int max_tasks = 32;
inline constexpr int max_sets = 256;  ///< argument sets in one Call
inline constexpr std::uint32_t max_message = 256 * 1024;

/// The runner finds its ends of the connections by these environment variables.
inline constexpr const char* control_fd_variable = "CUGRADE_CONTROL_FD";
inline constexpr const char* emulator_fd_variable = "CUGRADE_EMULATOR_FD";

enum class Kind : std::uint32_t { hello = 1, attach, call, reply };

struct Header {
    std::uint32_t magic = protocol::magic;
    Kind kind = Kind::hello;
    std::uint32_t bytes = 0;  ///< of the whole message
    std::uint32_t reserved = 0;
};

/// How one parameter of a task's function is passed, as the compiler saw it.
struct Signature {
    char task[48] = {};
    std::uint32_t argument_count = 0;
    std::uint32_t defined = 0;  ///< 0: the submission has no such function
    /// Per argument: 'p' pointer to const, 'P' pointer, 's' scalar; then the element type as in
    /// assignment.yaml, for example "pf64", "su64".
    char arguments[max_arguments][8] = {};
};

struct Hello {
    Header header;
    std::uint32_t task_count = 0;
    std::uint32_t reserved = 0;
    Signature tasks[max_tasks];
};

/// GPU only: the runner unmaps the allocations that it had and maps these of the grader's. Their
/// descriptors come with the message (SCM_RIGHTS). The Reply has the runner's addresses.
struct Attach {
    Header header;
    std::uint32_t count = 0;
    std::uint32_t reserved = 0;
    // `count` 64-bit sizes in bytes follow
};

/// Which event times of the repeats the Reply has.
enum class Clocked : std::uint32_t { no, each, together };

struct Call {
    Header header;
    std::uint32_t task = 0;  ///< index in Hello::tasks
    std::uint32_t argument_count = 0;
    std::uint32_t set_count = 1;  ///< call i uses set i modulo set_count
    std::uint32_t warmups = 0;    ///< calls before the clock
    std::uint32_t repeats = 1;    ///< calls; 0 measures the cost of a Call itself
    Clocked timed = Clocked::no;
    // set_count * argument_count 64-bit values follow: addresses, or scalars in their low bytes
};

enum class CallStatus : std::uint32_t {
    ok,
    cuda_error,  ///< cudaGetLastError or a synchronisation failed
    exception,   ///< a C++ exception left the student's function
    bad_request,
};

struct Reply {
    Header header;
    CallStatus status = CallStatus::ok;
    std::int32_t cuda_error = 0;
    char text[512] = {};  ///< for a person; never trusted
    std::uint32_t value_count = 0;
    std::uint32_t reserved = 0;
    // value_count doubles (microseconds, as Call::timed asks for) or, after Attach, 64-bit
    // addresses
};

}  // namespace cugrade::protocol

#include "judging/host_work.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

/// n doubles in, one out.
TaskSpec sum_task() {
    TaskSpec task;
    task.arguments = {{.name = "in", .dtype = DType::f64, .role = Role::input, .shape = {"n"}},
                      {.name = "out", .dtype = DType::f64, .role = Role::output, .shape = {"1"}}};
    task.moves = {"in", "out"};
    return task;
}

/// A kernel that reads all of the input and stores `bytes`, all of it to the output if `covers`.
emulator::DeviceCounts storing(std::uint64_t bytes, bool covers = true) {
    emulator::DeviceCounts counts;
    counts.kernels.emplace_back().total.global_store.bytes = bytes;
    counts.buffers = {
        {.name = "in", .bytes = 8000, .read_bytes = 8000, .stored_bytes = 0},
        {.name = "out", .bytes = 8, .read_bytes = 0, .stored_bytes = covers ? 8u : 0u}};
    return counts;
}

emulator::DeviceCounts with(emulator::DeviceCounts counts, emulator::HostCounts host) {
    counts.host = host;
    return counts;
}

const CaseSpec thousand{.id = 1, .params = {{"n", 1000}}};

bool is_host_work(const emulator::DeviceCounts& counts) {
    return host_work_of(sum_task(), thousand, counts).has_value();
}

}  // namespace

TEST_CASE("who brings the inputs to the host works there") {
    const auto work = host_work_of(sum_task(), thousand, with(storing(8), {.read_bytes = 8000}));
    REQUIRE(work.has_value());
    CHECK(work->input_bytes == 8000);
    CHECK(work->output_bytes == 8);
    CHECK(work->why == "8000 bytes go to the host, and the inputs have 8000");
    CHECK(is_host_work(with(storing(8), {.read_bytes = 1000})));
    CHECK_FALSE(is_host_work(with(storing(8), {.read_bytes = 999})));
}

TEST_CASE("managed and pinned memory that kernels fill is brought to the host as well") {
    CHECK(is_host_work(with(storing(8), {.shown_bytes = 8000})));
    CHECK(is_host_work(with(storing(8), {.read_bytes = 500, .shown_bytes = 500})));
    CHECK_FALSE(is_host_work(with(storing(8), {.shown_bytes = 64})));
}

TEST_CASE("partial results that the host adds up are no work on the host") {
    CHECK_FALSE(is_host_work(with(storing(64), {.read_bytes = 64})));
    // The host may write the sum of them itself.
    CHECK_FALSE(is_host_work(with(storing(64, false), {.written_bytes = 8, .read_bytes = 64})));
    // But not a number that comes from nowhere.
    CHECK(is_host_work(with(storing(64, false), {.written_bytes = 8})));
}

TEST_CASE("where nothing on the device writes the outputs, the host does") {
    CHECK(is_host_work(storing(0)));
    CHECK(is_host_work(with(storing(0), {.written_bytes = 8})));
    CHECK_FALSE(is_host_work(storing(8)));
    CHECK_FALSE(is_host_work(with(storing(0), {.copied_bytes = 8})));
    CHECK_FALSE(is_host_work(with(storing(0), {.filled_bytes = 8})));
    emulator::DeviceCounts adding = storing(0);
    adding.kernels.front().total.global_atomic.bytes = 8;
    CHECK_FALSE(is_host_work(adding));
    // Stores elsewhere are not the outputs.
    CHECK(is_host_work(storing(800, false)));
}

TEST_CASE("a kernel that reads nothing has computed nothing") {
    emulator::DeviceCounts counts = storing(8);
    counts.buffers[0].read_bytes = 7000;
    const auto work = host_work_of(sum_task(), thousand, counts);
    REQUIRE(work.has_value());
    CHECK(work->why == "kernels read 7000 of the 8000 bytes of the inputs");
    // Where a call need not read all of an input, it may leave some.
    TaskSpec task = sum_task();
    task.moves = {"out"};
    CHECK_FALSE(host_work_of(task, thousand, counts).has_value());
}

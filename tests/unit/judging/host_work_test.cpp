#include "judging/host_work.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

/// n doubles in, one out.
TaskSpec sum_task() {
    TaskSpec task;
    task.arguments = {{.name = "in", .dtype = DType::f64, .role = Role::input, .shape = {"n"}},
                      {.name = "out", .dtype = DType::f64, .role = Role::output, .shape = {"1"}}};
    return task;
}

emulator::KernelCounts storing(std::uint64_t bytes) {
    emulator::KernelCounts kernel;
    kernel.total.global_store.bytes = bytes;
    return kernel;
}

const CaseSpec thousand{.id = 1, .params = {{"n", 1000}}};

}  // namespace

TEST_CASE("who brings the inputs to the host works there") {
    const auto work = host_work_of(sum_task(), thousand, {storing(8)}, {.read_bytes = 8000});
    REQUIRE(work.has_value());
    CHECK(work->input_bytes == 8000);
    CHECK(work->output_bytes == 8);
    CHECK(host_work_of(sum_task(), thousand, {storing(8)}, {.read_bytes = 4000}).has_value());
}

TEST_CASE("partial results that the host adds up are no work on the host") {
    CHECK_FALSE(host_work_of(sum_task(), thousand, {storing(64)}, {.read_bytes = 64}).has_value());
}

TEST_CASE("where nothing on the device writes the outputs, the host does") {
    CHECK(host_work_of(sum_task(), thousand, {}, {}).has_value());
    CHECK(host_work_of(sum_task(), thousand, {storing(0)}, {.written_bytes = 8}).has_value());
    CHECK_FALSE(host_work_of(sum_task(), thousand, {storing(8)}, {}).has_value());
    CHECK_FALSE(host_work_of(sum_task(), thousand, {}, {.copied_bytes = 8}).has_value());
    CHECK_FALSE(host_work_of(sum_task(), thousand, {}, {.filled_bytes = 8}).has_value());
    emulator::KernelCounts adding;
    adding.total.global_atomic.bytes = 8;
    CHECK_FALSE(host_work_of(sum_task(), thousand, {adding}, {}).has_value());
}

// Device memory from the host's side and faults of accesses in kernels.
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/device.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::uint32_t>;

/// Kernel k(pointer, index): thread 3 of block 1 executes `access` with the address of element
/// `index` in %p0.
std::string touching(const std::string& access) {
    return header() +
           ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .b64 %p<4>;\n.reg .b32 "
           "%r<8>;\n"
           ".reg .pred %q<2>;\n.shared .align 4 .b8 shared[64];\n.local .align 4 .b8 local[64];\n"
           "ld.param.u64 %p1, [a];\nld.param.u32 %r0, [n];\nmul.wide.s32 %p2, %r0, 4;\nadd.s64 "
           "%p0, %p1, %p2;\n"
           "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %q0, %r1, 3;\n@%q0 bra END;\n"
           "setp.ne.u32 %q1, %r2, 1;\n@%q1 bra END;\n.loc 1 33 7\n" +
           access + "\nEND: ret;\n}\n.file 1 \"/home/s/student.cu\"\n";
}

Fault fault_of(const std::string& access, std::int32_t index, bool null = false) {
    Device device(touching(access));
    const auto a = device.buffer(Words(1000), "in");
    const auto fault =
        device.launch("k", {2}, {32}, Params().add(null ? std::uint64_t{0} : a).add(index));
    REQUIRE(fault);
    CHECK(fault->line == 33);
    CHECK(fault->file == "/home/s/student.cu");
    CHECK(fault->block == std::array<std::uint32_t, 3>{1, 0, 0});
    CHECK(fault->thread == std::array<std::uint32_t, 3>{3, 0, 0});
    return *fault;
}

}  // namespace

TEST_CASE("an access out of bounds names the buffer, the distance and the place") {
    const auto past = fault_of("ld.global.u32 %r3, [%p0];", 1001);
    CHECK(past.kind == FaultKind::out_of_bounds);
    CHECK_THAT(past.message, ContainsSubstring("thread (3,0,0) of block (1,0,0) reads 4 bytes at"));
    CHECK_THAT(past.message, ContainsSubstring("4 bytes past the end of `in` (4000 bytes)"));
    const auto before = fault_of("st.global.u32 [%p0], %r3;", -2);
    CHECK_THAT(before.message, ContainsSubstring("writes 4 bytes at"));
    CHECK_THAT(before.message, ContainsSubstring("8 bytes before the start of `in` (4000 bytes)"));
    CHECK_THAT(fault_of("red.global.add.u32 [%p0], 1;", 1000).message,
               ContainsSubstring("0 bytes past the end of `in` (4000 bytes)"));
    CHECK_THAT(fault_of("ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%p0];", 1000).message,
               ContainsSubstring("reads 16 bytes"));
    CHECK_THAT(fault_of("ld.u32 %r3, [%p0];", 0, true).message,
               ContainsSubstring("a null pointer"));
    CHECK_THAT(fault_of("mov.u64 %p3, 0x7fff12345678; ld.u32 %r3, [%p3];", 0).message,
               ContainsSubstring("host pointer"));
}

TEST_CASE("shared and local memory have bounds, too") {
    const auto shared = fault_of("mov.u32 %r3, shared; ld.shared.u32 %r4, [%r3+68];", 0);
    CHECK(shared.kind == FaultKind::out_of_bounds);
    CHECK_THAT(shared.message,
               ContainsSubstring("4 bytes past the end of the block's shared memory (64 bytes)"));
    CHECK_THAT(fault_of("mov.u32 %r3, -4; ld.shared.u32 %r4, [%r3];", 0).message,
               ContainsSubstring("4 bytes before the start of the block's shared memory"));
    CHECK_THAT(fault_of("mov.u64 %p3, local; st.local.u32 [%p3+64], %r1;", 0).message,
               ContainsSubstring("past the end of the thread's local memory"));
    CHECK_THAT(
        fault_of("mov.u64 %p3, local; cvta.local.u64 %p3, %p3; st.u32 [%p3+-4], %r1;", 0).kind ==
                FaultKind::out_of_bounds
            ? "yes"
            : "no",
        ContainsSubstring("yes"));
}

TEST_CASE("a misaligned access is a fault of its own") {
    const auto fault = fault_of("ld.global.u64 %p3, [%p0];", 1);
    CHECK(fault.kind == FaultKind::misaligned);
    CHECK_THAT(fault.message, ContainsSubstring("not a multiple of 8"));
}

TEST_CASE("a buffer that was freed is out of bounds and named so") {
    Device device(touching("ld.global.u32 %r3, [%p0];"));
    const auto a = device.buffer(Words(1000), "old");
    REQUIRE(device.machine->memory().free(a).ok());
    const auto other = device.buffer(Words(1000), "new");
    CHECK(other != a);
    const auto fault = device.launch("k", {2}, {32}, Params().add(a).add(0));
    REQUIRE(fault);
    CHECK_THAT(fault->message, ContainsSubstring("`old` (4000 bytes), which has been freed"));
}

TEST_CASE("after a fault no launch is taken") {
    Device device(touching("trap;"));
    const auto a = device.buffer(Words(4));
    REQUIRE(device.launch("k", {2}, {32}, Params().add(a).add(0)));
    CHECK_FALSE(
        device.machine->launch(device.module, "k", {}, {32}, 0, Params().add(a).add(0), {}).ok());
}

TEST_CASE("launches that the device cannot take are errors, not faults") {
    Device device(touching("trap;"));
    const auto refused = [&](Dim3 grid, Dim3 block, std::uint64_t shared, const Params& params) {
        const auto status =
            device.machine->launch(device.module, "k", grid, block, shared, params, {});
        return !status.ok() && !device.machine->fault();
    };
    const Params params = Params().add(std::uint64_t{0}).add(0);
    CHECK(refused({1}, {1025}, 0, params));
    CHECK(refused({1}, {0}, 0, params));
    CHECK(refused({0}, {32}, 0, params));
    CHECK(refused({1, 65536}, {32}, 0, params));
    CHECK(refused({1}, {1, 1, 65}, 0, params));
    CHECK(refused({1}, {32}, 1 << 20, params));
    CHECK(refused({1}, {32}, 0, Params().add(1)));
    CHECK_FALSE(refused({1}, {32}, 0, params));
}

TEST_CASE("another process sees stored bytes only where they are shown") {
    Device device(touching("trap;"));
    Memory& memory = device.machine->memory();
    const std::uint64_t address = *memory.allocate_pages("shared", 10000);
    CHECK(memory.is_for_host(address + 9999));
    CHECK_FALSE(memory.is_for_host(device.buffer(Words(4), "own")));
    const int fd = *memory.share(address);
    auto* const seen = static_cast<unsigned char*>(
        mmap(nullptr, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    close(fd);
    REQUIRE(seen != MAP_FAILED);
    const auto store = [&](unsigned char value) {
        REQUIRE(memory.fill(address + 5000, std::byte{value}, 1).ok());
    };
    store(1);
    CHECK(seen[5000] == 1);
    seen[9000] = 7;
    memory.hide_stores();
    store(2);
    CHECK(seen[5000] == 1);
    std::array<std::byte, 1> read;
    REQUIRE(memory.read(address + 9000, read).ok());
    CHECK(read[0] == std::byte{7});
    memory.show_stores();
    CHECK(seen[5000] == 2);
    store(3);
    CHECK(seen[5000] == 3);
    REQUIRE(memory.free(address).ok());
    CHECK_FALSE(memory.is_for_host(address));
    munmap(seen, 12288);
}

TEST_CASE("host copies outside an allocation are errors that name the buffer") {
    Device device(touching("trap;"));
    Memory& memory = device.machine->memory();
    const auto a = device.buffer(Words(4), "small");
    std::vector<std::byte> bytes(17);
    const auto status = memory.read(a, bytes);
    REQUIRE_FALSE(status.ok());
    CHECK_THAT(status.error().message, ContainsSubstring("`small` (16 bytes)"));
    CHECK_FALSE(memory.write(a + 16, std::span(bytes).first(1)).ok());
    CHECK_FALSE(memory.fill(a + 1, std::byte{0}, 16).ok());
    CHECK_FALSE(memory.copy(a, a + 8, 16).ok());
    CHECK_FALSE(memory.free(a + 4).ok());
    CHECK(memory.read(a, std::span(bytes).first(16)).ok());
    CHECK(memory.describe(a + 20) == "4 bytes past the end of `small` (16 bytes)");
}

TEST_CASE("memory is limited, poisoned and given back") {
    Device device(touching("trap;"));
    Memory& memory = device.machine->memory();
    const auto before = memory.used();
    CHECK_FALSE(memory.allocate("huge", memory.total() + 1).ok());
    const auto a = memory.allocate("a", 4096);
    REQUIRE(a.ok());
    CHECK(*a % 256 == 0);
    const auto bytes = device.read<std::uint8_t>(*a, 4096);
    CHECK(std::count(bytes.begin(), bytes.end(), 0) == 0);
    CHECK(memory.used() >= before + 4096);
    REQUIRE(memory.free(*a).ok());
    CHECK(memory.used() == before);
    // Far more than the device has, one after the other: the ranges come round again.
    for (int n = 0; n < 100; ++n) {
        const auto big = memory.allocate("big", 32 << 20);
        REQUIRE(big.ok());
        REQUIRE(memory.free(*big).ok());
    }
}

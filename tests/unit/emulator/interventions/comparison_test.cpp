// Kernels with a comparison that is wrong, and the intervention that makes them right.
#include <numeric>

#include "changed.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

constexpr auto comparison = InterventionKind::comparison;

/// `if (i RELATION n) out[i] = 1;` in line 3: as nvcc writes it, the branch goes past the body.
std::string guarded(const std::string& setp, const std::string& guard = "@%p1") {
    return header() + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
    .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r0, %tid.x;
    )" + setp +
           "\n    " + guard + R"( bra L;
    .loc 1 4 7
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], 1;
L:  ret;
}
.file 1 "student.cu"
)";
}

/// How many of 32 threads pass where n is 10.
int passing(const std::string& ptx, const std::vector<Intervention>& made) {
    ChangedDevice device(ptx, made);
    const auto out = device.buffer(std::vector<std::uint32_t>(32, 0));
    device.run("k", {1}, {32}, Params().add(out).add<std::uint32_t>(10));
    const auto values = device.read<std::uint32_t>(out, 32);
    return std::accumulate(values.begin(), values.end(), 0);
}

int passing(const std::string& ptx, std::int64_t value) {
    return passing(ptx, {intervention(ptx, comparison, 3, value)});
}

std::string text(const std::string& ptx, std::int64_t value) {
    return intervention(ptx, comparison, 3, value).text;
}

}  // namespace

TEST_CASE("of two conditions in one, each is told as in the source") {
    // The source says `i < n && i == 3`.
    const std::string both = guarded(
        "setp.ge.u32 %p0, %r0, %r1; setp.ne.u32 %p2, %r0, 3; or.pred %p1, %p0, %p2;");
    CHECK(passing(both, std::vector<Intervention>{}) == 1);
    CHECK(text(both, 1) == "`<` to `<=`");
    CHECK(text(both, 4) == "`==` to `!=`");
}

TEST_CASE("a comparison with a register takes its limit in, or leaves it out") {
    // The source says `i <= n`, and `i < n`.
    const std::string with = guarded("setp.gt.u32 %p1, %r0, %r1;");
    const std::string without = guarded("setp.ge.u32 %p1, %r0, %r1;");
    CHECK(passing(with, std::vector<Intervention>{}) == 11);
    CHECK(passing(with, -1) == 10);
    CHECK(text(with, -1) == "`<=` to `<`");
    CHECK(passing(without, std::vector<Intervention>{}) == 10);
    CHECK(passing(without, 1) == 11);
    CHECK(text(without, 1) == "`<` to `<=`");
    // A register has no neighbour that would be a change of the source's operator.
    CHECK(possible(with, comparison).size() == 3);
}

TEST_CASE("a comparison with a number moves the limit") {
    const std::string ptx = guarded("setp.gt.u32 %p1, %r0, 9;");  // `i < 10`, made canonical
    CHECK(passing(ptx, std::vector<Intervention>{}) == 10);
    CHECK(passing(ptx, 1) == 11);
    CHECK(passing(ptx, -1) == 9);
    CHECK(text(ptx, 1) == "`<= 9` to `<= 10`");
    CHECK(text(ptx, -1) == "`<=` to `<`");
}

TEST_CASE("without optimisation the source's comparison and its negation are told apart") {
    const std::string ptx = guarded("setp.lt.u32 %p1, %r0, 10; not.pred %p2, %p1;", "@%p2");
    CHECK(passing(ptx, 1) == 11);
    CHECK(text(ptx, 1) == "`<` to `<=`");
    CHECK(passing(ptx, -1) == 9);
    CHECK(text(ptx, -1) == "`< 10` to `< 9`");
    CHECK(passing(ptx, 2) == 21);
    CHECK(text(ptx, 2) == "`<` to `>`");
}

TEST_CASE("a comparison changes its signedness") {
    const std::string ptx = guarded("setp.ge.s32 %p1, %r0, -1;");  // `i < -1`, i never negative
    CHECK(passing(ptx, std::vector<Intervention>{}) == 0);
    CHECK(passing(ptx, 3) == 32);
}

TEST_CASE("an equality becomes its opposite") {
    const std::string ptx = guarded("setp.ne.s32 %p1, %r0, 4;");  // `i == 4`
    CHECK(passing(ptx, std::vector<Intervention>{}) == 1);
    CHECK(passing(ptx, 4) == 31);
    CHECK(text(ptx, 4) == "`==` to `!=`");
}

TEST_CASE("all instructions of one place change together") {
    // A loop `for (i = 0; i <= n; ++i) ++count;` in line 3: its first test and its last.
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out, .param .s32 n) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    .loc 1 3 5
    ld.param.u64 %rd0, [out];
    ld.param.s32 %r1, [n];
    mov.u32 %r0, 0;
    setp.lt.s32 %p1, %r1, %r0;
    @%p1 bra E;
L:  ld.global.u32 %r2, [%rd0];
    add.s32 %r2, %r2, 1;
    st.global.u32 [%rd0], %r2;
    add.s32 %r0, %r0, 1;
    setp.ge.s32 %p2, %r1, %r0;
    @%p2 bra L;
E:  ret;
}
.file 1 "student.cu"
)";
    const auto count = [&](const std::vector<Intervention>& made, std::int32_t n) {
        ChangedDevice device(ptx, made);
        const auto out = device.buffer(std::vector<std::uint32_t>{0});
        device.run("k", {1}, {1}, Params().add(out).add(n));
        return device.read<std::uint32_t>(out, 1)[0];
    };
    const Intervention fewer = intervention(ptx, comparison, 3, -1);
    CHECK(count({}, 5) == 6);
    CHECK(count({fewer}, 5) == 5);
    CHECK(count({}, 0) == 1);
    CHECK(count({fewer}, 0) == 0);
}

TEST_CASE("what a module does not allow changes nothing") {
    const std::string ptx = guarded("setp.ge.u32 %p1, %r0, %r1;");
    Intervention one = intervention(ptx, comparison, 3, 1);
    for (const auto& change : std::vector<std::function<void(Intervention&)>>{
             [](Intervention& i) { i.place.line = 4; }, [](Intervention& i) { i.value = 77; },
             [](Intervention& i) { i.place.file = "other.cu"; }}) {
        Intervention other = one;
        change(other);
        CHECK(passing(ptx, {other}) == 10);
    }
}

TEST_CASE("code of the toolkit is not changed") {
    std::string ptx = guarded("setp.ge.u32 %p1, %r0, %r1;");
    const std::string file = "\"student.cu\"";
    ptx.replace(ptx.find(file), file.size(), "\"/usr/local/cuda/include/sm_70_rt.hpp\"");
    CHECK(possible(ptx, comparison).empty());
}

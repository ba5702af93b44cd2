// expect: add_double=launch_error
// at-most: add_double=0
// report: *
// The instruction that is ruled out, in PTX that the program puts together and registers while it runs: the
// compiler never saw it.
#include <cstdint>
#include <cstring>

#include "interface.cuh"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterFatBinaryEnd(void**);
}

namespace {
const char text[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 values, .param .u64 targets, .param .u64 n, .param .u64 totals, .param .u64 before)
{
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .f64 %d<3>; .reg .b64 %rd<16>;
ld.param.u64 %rd1, [values]; ld.param.u64 %rd2, [targets]; ld.param.u64 %rd3, [n];
ld.param.u64 %rd4, [totals]; ld.param.u64 %rd5, [before];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
cvt.u64.u32 %rd6, %r4;
setp.ge.u64 %p1, %rd6, %rd3;
@%p1 bra END;
shl.b64 %rd7, %rd6, 3; add.s64 %rd8, %rd1, %rd7; ld.global.f64 %d1, [%rd8];
shl.b64 %rd9, %rd6, 2; add.s64 %rd10, %rd2, %rd9; ld.global.u32 %r5, [%rd10];
mul.wide.u32 %rd11, %r5, 8; add.s64 %rd12, %rd4, %rd11;
atom.global.)" "add.f" R"(64 %d2, [%rd12], %d1;
add.s64 %rd13, %rd5, %rd7; st.global.f64 [%rd13], %d2;
END:
ret;
}
)";
constexpr std::uint64_t payload = (sizeof text + 7) / 8 * 8;
alignas(8) unsigned char container[80 + payload];
struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = container;
    const void* linked = nullptr;
} wrapper;
char key, name[] = "k";

void registered() {
    static bool done = false;
    if (done) return;
    done = true;
    const std::uint32_t magic = 0xBA55ED50, entry = 64, arch = 75;
    const std::uint16_t version = 1, header = 16, kind = 1;
    const std::uint64_t size = sizeof container - 16, length = payload;
    std::memcpy(container, &magic, 4);
    std::memcpy(container + 4, &version, 2);
    std::memcpy(container + 6, &header, 2);
    std::memcpy(container + 8, &size, 8);
    std::memcpy(container + 16, &kind, 2);
    std::memcpy(container + 20, &entry, 4);
    std::memcpy(container + 24, &length, 8);
    std::memcpy(container + 44, &arch, 4);
    std::memcpy(container + 80, text, sizeof text);
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &key, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
}
}  // namespace

CUGRADE_FUNCTION void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                                 std::size_t m, double* before) {
    registered();
    cudaMemset(totals, 0, m * sizeof *totals);
    void* arguments[] = {&values, &targets, &n, &totals, &before};
    cudaLaunchKernel(&key, dim3(n / 256 + 1), dim3(256), arguments, 0, nullptr);
}

// expect global_race 7 11; grid 2; block 1
// A release that is read without acquiring.
extern "C" __global__ void k(const int* in, int* out, int n) {
    namespace c = ::cuda;
    c::atomic_ref<int, c::thread_scope_device> flag(out[64]);
    if (blockIdx.x == 0) {
        out[0] = in[7];
        flag.store(1, c::memory_order_release);
    } else {
        while (flag.load(c::memory_order_relaxed) == 0) {}
        out[1] = out[0];
    }
}

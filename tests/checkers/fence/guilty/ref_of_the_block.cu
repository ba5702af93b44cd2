// expect global_race 8 11, global_race 7 12; grid 2; block 1
// Release and acquire, both of the block, between two blocks.
extern "C" __global__ void k(const int* in, int* out, int n) {
    namespace c = ::cuda;
    c::atomic_ref<int, c::thread_scope_block> flag(out[64]);
    if (blockIdx.x == 0) {
        out[0] = in[7];
        flag.store(1, c::memory_order_release);
    } else {
        // Nothing makes this loop see the store.
        while (flag.load(c::memory_order_acquire) == 0) {}
        out[1] = out[0];
    }
}

// innocent; grid 2; block 1; seed 1
// Relaxed accesses, and the fences apart.
extern "C" __global__ void k(const int* in, int* out, int n) {
    namespace c = ::cuda;
    c::atomic_ref<int, c::thread_scope_device> flag(out[64]);
    if (blockIdx.x == 0) {
        out[0] = in[7];
        c::atomic_thread_fence(c::memory_order_release, c::thread_scope_device);
        flag.store(1, c::memory_order_relaxed);
    } else {
        while (flag.load(c::memory_order_relaxed) == 0) {}
        c::atomic_thread_fence(c::memory_order_acquire, c::thread_scope_device);
        out[1] = out[0];
    }
}

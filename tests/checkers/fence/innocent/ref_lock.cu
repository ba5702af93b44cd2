// innocent; grid 4; block 1; seed 2
// A lock that acquires and releases by itself.
extern "C" __global__ void k(const int* in, int* out, int n) {
    namespace c = ::cuda;
    c::atomic_ref<int, c::thread_scope_device> lock(out[64]);
    for (int free = 0; !lock.compare_exchange_weak(free, 1, c::memory_order_acquire);) free = 0;
    out[0] += in[blockIdx.x];
    lock.store(0, c::memory_order_release);
}

// innocent; grid 1; block 32
// A function says whether it has set its result, and everybody listens: by a selection, by a
// branch, and behind another function that only hands it on.
struct Entry {
    int key, value;
};
__device__ __noinline__ bool look_up(const int* in, int i, Entry& entry) {
    if (in[i] % 2 != 0) return false;
    entry.key = i;
    entry.value = in[i];
    return true;
}
__device__ __noinline__ Entry passed_on(Entry entry) { return entry; }
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    Entry entry;
    const bool found = look_up(in, t, entry);
    const Entry copy = passed_on(entry);
    out[t] = found ? copy.value : -1;
    if (found) out[64 + copy.key] = entry.value * 3 + in[copy.key];
}

// innocent; grid 1; block 32
// Value and place go together: lanes that ask in vain also branch on the answer.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t >= 8) return;
    int value = (7 * in[t]) % 5, place = t;
#pragma unroll 1
    for (int d = 4; d > 0; d /= 2) {
        const int other = __shfl_down_sync(0xff, value, d), where = __shfl_down_sync(0xff, place, d);
        if (other > value || (other == value && where < place)) {
            value = other;
            place = where + (value > 100 ? in[value] : 0);
        }
    }
    if (t == 0) out[0] = 100 * value + place;
}

// expect freed_memory 8; grid 1; block 1
// Memory of malloc is used after it was freed.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* own = static_cast<int*>(malloc(64));
    volatile int* p = own;
    p[0] = in[3];
    free(own);
    out[0] = p[0];
}

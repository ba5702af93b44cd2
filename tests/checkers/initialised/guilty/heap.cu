// expect uninitialised_read 6; grid 1; block 2
// Memory from malloc in a kernel holds garbage, too.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* own = static_cast<int*>(malloc(64));
    own[in[threadIdx.x]] = 7;
    out[threadIdx.x] = own[in[threadIdx.x] + 1];
    free(own);
}

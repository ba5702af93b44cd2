// innocent; grid 2; block 4
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* own = static_cast<int*>(malloc(64));
    own[in[threadIdx.x]] = 5;
    out[blockIdx.x * 4 + threadIdx.x] = own[in[threadIdx.x]];
    free(own);
}

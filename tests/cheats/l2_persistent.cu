// cheat: asks for its inputs to stay in L2 from round to round
// caught: gain <= 3 %
//
// All of L2 that may be set aside is, and every launch has a window over the beginning of its input
// whose lines persist, while the rest streams past them. Nothing about it is forbidden. It gains if
// rounds are repeated on data that fits.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static cudaStream_t stream =
        nullptr;  // an ordinary one: it has its order with the default stream
    static std::size_t persisting = 0, largest_window = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (stream == nullptr) {
        int device = 0, most = 0, window = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
        cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, device);
        persisting = static_cast<std::size_t>(most);
        largest_window = static_cast<std::size_t>(window);
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, persisting);
        cudaStreamCreate(&stream);
    }
    const std::size_t kept = persisting < largest_window ? persisting : largest_window;
    cudaStreamAttrValue value{};
    value.accessPolicyWindow.base_ptr = const_cast<double*>(in);
    value.accessPolicyWindow.num_bytes = kept < n * sizeof *in ? kept : n * sizeof *in;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    honest::sum(in, n, out, stream);
}

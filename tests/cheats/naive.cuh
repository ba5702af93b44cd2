// What the cheats are made for: a clock as it is often written. Two calls to warm up, then the
// median of many between events in the default stream, all on one data set; the answer is looked at
// in the end. run.py compiles it with each cheat: one that is wrong even here is no attempt, and
// being caught proves nothing.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "interface.cuh"

int main(int argc, char** argv) {
    const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : (1u << 21) + 2;
    constexpr int warmups = 2, repeats = 15;
    int sockets[2];  // as the runner, it tells somebody when it is done
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 2;

    std::vector<double> data(n);
    double sum = 0;  // of whole numbers: exact in any order
    for (std::size_t i = 0; i < n; ++i)
        sum += data[i] = static_cast<double>(i * 2654435761u % 200003) - 100001;
    double *in = nullptr, *out = nullptr;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(in, data.data(), n * sizeof *in, cudaMemcpyHostToDevice);

    std::vector<cudaEvent_t> events(repeats + 1);
    for (auto& event : events) cudaEventCreate(&event);
    const auto tell = [&] {
        if (cudaDeviceSynchronize() != cudaSuccess || send(sockets[0], "", 1, 0) != 1)
            std::_Exit(2);
        usleep(20'000);  // the grader looks at what came
    };
    for (int i = 0; i < warmups; ++i) reduce_sum(in, n, out);
    tell();
    cudaEventRecord(events[0]);
    for (int i = 0; i < repeats; ++i) {
        reduce_sum(in, n, out);
        cudaEventRecord(events[i + 1]);
    }
    tell();
    std::vector<float> times(repeats);
    for (int i = 0; i < repeats; ++i) cudaEventElapsedTime(&times[i], events[i], events[i + 1]);
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    double got = 0;
    const cudaError_t error = cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("naive clock: %s, %.2f us\n",
                error != cudaSuccess ? cudaGetErrorName(error)
                : got == sum         ? "right"
                                     : "wrong",
                1000 * times[repeats / 2]);
    std::fflush(stdout);
    std::_Exit(0);  // threads of cheats go on
}

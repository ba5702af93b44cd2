// Ends the program with a message where a CUDA call or a condition fails.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CUDA(call)                                                             \
    do {                                                                       \
        const cudaError_t error_ = (call);                                     \
        if (error_ != cudaSuccess) {                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cudaGetErrorString(error_));                          \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

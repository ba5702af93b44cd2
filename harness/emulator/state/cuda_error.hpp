// The values of cudaError_t: the emulator is built without CUDA's headers.
#pragma once

#include <cstdint>

#include "protocol/cuda_errors.hpp"

namespace cugrade::emulator {

enum CudaError : std::uint32_t {
#define CUGRADE_ROW(name, number, text) name = number,
    CUGRADE_CUDA_ERRORS(CUGRADE_ROW)
#undef CUGRADE_ROW
};

}  // namespace cugrade::emulator

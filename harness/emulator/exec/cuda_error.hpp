// What the emulator itself says to a program that asks what went wrong.
#pragma once

#include <cstdint>

namespace cugrade::emulator {

/// cudaError_t values that the emulator itself gives. (The emulator is built without CUDA.)
enum : std::uint32_t {
    cuda_success = 0,
    cuda_invalid_value = 1,
    cuda_memory_allocation = 2,
    cuda_invalid_configuration = 9,
    cuda_invalid_symbol = 13,
    cuda_launch_max_depth_exceeded = 65,
    cuda_launch_pending_count_exceeded = 69,
    cuda_invalid_device_function = 98,
    cuda_no_kernel_image = 209,
    cuda_invalid_ptx = 218,
    cuda_invalid_resource_handle = 400,
    cuda_illegal_address = 700,
    cuda_launch_out_of_resources = 701,
    cuda_launch_timeout = 702,
    cuda_assert = 710,
    cuda_hardware_stack_error = 714,
    cuda_illegal_instruction = 715,
    cuda_misaligned_address = 716,
    cuda_launch_failure = 719,
    cuda_cooperative_launch_too_large = 720,
    cuda_not_supported = 801,
    cuda_unknown = 999,
};

}  // namespace cugrade::emulator

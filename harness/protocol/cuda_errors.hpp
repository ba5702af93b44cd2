// The errors of the CUDA runtime API that the emulated GPU and its runtime return: CUDA's names,
// numbers and texts. Device code uses them, too, and the emulator is built without CUDA's headers.
#pragma once

/// X(name, number, text), in the order of the numbers. The texts are those of cudaGetErrorString,
/// so that a student who searches for one finds something.
// clang-format off
#define CUGRADE_CUDA_ERRORS(X) \
    X(cudaSuccess, 0, "no error") \
    X(cudaErrorInvalidValue, 1, "invalid argument") \
    X(cudaErrorMemoryAllocation, 2, "out of memory") \
    X(cudaErrorInitializationError, 3, "initialization error") \
    X(cudaErrorCudartUnloading, 4, "driver shutting down") \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
    X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
    X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
    X(cudaErrorLaunchPendingCountExceeded, 69, "launch failed due to insufficient pending launch slots") \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
    X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
    X(cudaErrorDeviceUninitialized, 201, "invalid device context") \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
    X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
    X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
    X(cudaErrorUnsupportedPtxVersion, 222, "the provided PTX was compiled with an unsupported toolchain.") \
    X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
    X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
    X(cudaErrorSymbolNotFound, 500, "named symbol not found") \
    X(cudaErrorNotReady, 600, "device not ready") \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    X(cudaErrorAssert, 710, "device-side assert triggered") \
    X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
    X(cudaErrorHardwareStackError, 714, "hardware stack error") \
    X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
    X(cudaErrorMisalignedAddress, 716, "misaligned address") \
    X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
    X(cudaErrorInvalidPc, 718, "invalid program counter") \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
    X(cudaErrorNotPermitted, 800, "operation not permitted") \
    X(cudaErrorNotSupported, 801, "operation not supported") \
    X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
    X(cudaErrorInvalidClusterSize, 912, "invalid cluster size") \
    X(cudaErrorUnknown, 999, "unknown error")
// clang-format on

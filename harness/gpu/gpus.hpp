// Which GPUs are here, which of them are used, and whether one still answers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/home.hpp"

namespace cugrade {

struct GpuInfo {
    int index = 0;   ///< in this process, which CUDA_VISIBLE_DEVICES decides
    std::string id;  ///< its UUID: 32 hexadecimal digits
    std::string name;
    std::string driver;
    int arch = 0;  ///< 90 for compute capability 9.0
    int multiprocessors = 0;
    std::size_t l2_bytes = 0;
    /// Makes it device 0, and the only one, of a process that is started with it.
    std::map<std::string, std::string> environment;
    /// The device nodes that the driver's library opens for it, and no other GPU's.
    std::vector<std::filesystem::path> nodes;
    /// The folder that the driver's library was loaded from, which need not be a usual one.
    std::filesystem::path libraries;
};

/// Points may not depend on which GPU was free, so only those like the first are used.
struct GpuList {
    std::vector<GpuInfo> used;             ///< at least one
    std::vector<std::string> passed_over;  ///< "GPU 2 (Tesla T4) is not used: ..."
};
/// `gpus` is not empty.
[[nodiscard]] GpuList like_the_first(std::vector<GpuInfo> gpus);

/// The nodes of the GPU at this PCI address ("0000:1b:00.0"), by what the driver tells below `proc`
/// and `dev`. All GPUs' nodes if it does not tell which is which.
[[nodiscard]] std::vector<std::filesystem::path> device_nodes(
    const std::string& pci_address, const std::filesystem::path& proc = "/proc/driver/nvidia",
    const std::filesystem::path& dev = "/dev");

/// Those that the CUDA runtime shows to this process. Errors say why there is no usable GPU.
[[nodiscard]] Result<GpuList> find_gpus();

/// For a process that is to see no GPU.
[[nodiscard]] std::map<std::string, std::string> environment_without_gpu();

/// Asks the GPU to do a little, from a process that may hang with it. Errors: it does not answer
/// within the deadline, or answers wrongly.
[[nodiscard]] Status probe_gpu(const Home&, const GpuInfo&, double deadline_s = 30);

}  // namespace cugrade

#include "gpu/gpus.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "protocol/device_memory.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* visible_devices = "CUDA_VISIBLE_DEVICES";
constexpr const char* device_order = "CUDA_DEVICE_ORDER";

std::string hexadecimal(const cudaUUID_t& uuid) {
    std::string out;
    for (const char byte : uuid.bytes)
        out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return out;
}

/// "GPU-8-4-4-4-12", as nvidia-smi and CUDA_VISIBLE_DEVICES write it.
std::string uuid_name(const std::string& id) {
    return fmt::format("GPU-{}-{}-{}-{}-{}", id.substr(0, 8), id.substr(8, 4), id.substr(12, 4),
                       id.substr(16, 4), id.substr(20));
}

bool is_mig_slice(std::string_view name) { return name.find(" MIG ") != std::string_view::npos; }

/// A MIG slice is always the only visible device, and its selector is not the UUID that it reports:
/// pass the original selector on. Any other selector may be a number, which is another one for a
/// process that has no other GPU's nodes.
std::map<std::string, std::string> environment_for(const std::string& id, bool by_selector) {
    if (!by_selector) return {{visible_devices, uuid_name(id)}};
    std::map<std::string, std::string> out;
    for (const char* variable : {visible_devices, device_order})
        if (const char* value = std::getenv(variable)) out[variable] = value;
    return out;
}

fs::path folder_of_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);  // the CUDA runtime has it
    const link_map* map = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
    std::error_code error;
    const fs::path file = fs::canonical(map->l_name, error);
    dlclose(library);
    return error ? fs::path() : file.parent_path();
}

Error no_gpu(std::string why) {
    return Error{.message = "no usable GPU: " + std::move(why),
                 .remedy = "grade with --backend emulator"};
}

Result<GpuInfo> describe_gpu(int index, bool alone) {
    const auto failed = [index](cudaError_t error) {
        return no_gpu(fmt::format("device {}: {}", index, cudaGetErrorString(error)));
    };
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, index); error != cudaSuccess)
        return failed(error);
    int by_descriptor = 0;
    if (const cudaError_t error =
            CUGRADE_DRIVER(cuDeviceGetAttribute, &by_descriptor,
                           CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, index);
        error != cudaSuccess)
        return failed(error);
    if (by_descriptor == 0)
        return no_gpu(
            fmt::format("{} cannot share device memory between processes", properties.name));
    int driver = 0;
    if (const cudaError_t error = cudaDriverGetVersion(&driver); error != cudaSuccess)
        return failed(error);
    GpuInfo gpu;
    gpu.index = index;
    gpu.id = hexadecimal(properties.uuid);
    gpu.name = properties.name;
    gpu.driver = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
    gpu.arch = properties.major * 10 + properties.minor;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    gpu.libraries = folder_of_driver();
    const bool slice = is_mig_slice(gpu.name);
    gpu.environment = environment_for(gpu.id, alone && slice);
    gpu.nodes = device_nodes(slice ? std::string()
                                   : fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID,
                                                 properties.pciBusID, properties.pciDeviceID));
    return gpu;
}

bool alike(const GpuInfo& a, const GpuInfo& b) {
    return a.name == b.name && a.arch == b.arch && a.multiprocessors == b.multiprocessors &&
           a.l2_bytes == b.l2_bytes;
}

}  // namespace

GpuList like_the_first(std::vector<GpuInfo> gpus) {
    GpuList list;
    for (GpuInfo& gpu : gpus) {
        if (list.used.empty() || alike(gpu, list.used.front())) {
            list.used.push_back(std::move(gpu));
            continue;
        }
        const GpuInfo& first = list.used.front();
        list.passed_over.push_back(fmt::format(
            "GPU {} ({}, {} multiprocessors) is not used: it is not like GPU {} ({}, {} "
            "multiprocessors); CUDA_VISIBLE_DEVICES says which are to be used",
            gpu.index, gpu.name, gpu.multiprocessors, first.index, first.name,
            first.multiprocessors));
    }
    return list;
}

std::vector<fs::path> device_nodes(const std::string& pci_address, const fs::path& proc,
                                   const fs::path& dev) {
    std::string minor;
    std::ifstream information(proc / "gpus" / pci_address / "information");
    for (std::string line; std::getline(information, line);)
        if (line.starts_with("Device Minor:")) minor = line.substr(line.find_last_of(" \t") + 1);
    std::vector<fs::path> out;
    std::error_code error;
    for (const char* common : {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"})
        if (fs::exists(dev / common, error)) out.push_back(dev / common);
    for (const auto& entry : fs::directory_iterator(dev, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("nvidia") || name.size() == 6) continue;
        const std::string number = name.substr(6);
        if (number.find_first_not_of("0123456789") != std::string::npos) continue;
        if (minor.empty() || number == minor) out.push_back(entry.path());
    }
    if (minor.empty())  // a MIG slice is opened through these
        for (const auto& entry : fs::directory_iterator(dev / "nvidia-caps", error))
            out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

Result<GpuList> find_gpus() {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0)
        return no_gpu(error == cudaSuccess ? "none is there" : cudaGetErrorString(error));
    std::vector<GpuInfo> gpus;
    std::optional<Error> unusable;
    for (int index = 0; index < count; ++index) {
        auto gpu = describe_gpu(index, count == 1);
        if (gpu)
            gpus.push_back(std::move(*gpu));
        else if (!unusable)
            unusable = gpu.error();
    }
    if (gpus.empty()) return *unusable;
    GpuList list = like_the_first(std::move(gpus));
    if (unusable) list.passed_over.push_back(unusable->message);
    return list;
}

std::map<std::string, std::string> environment_without_gpu() { return {{visible_devices, ""}}; }

Status probe_gpu(const Home& home, const GpuInfo& gpu, double deadline_s) {
    sandbox::Command command{.argv = {(home.libexec / "gpu-probe").string()}};
    command.environment = gpu.environment;
    command.environment["PATH"] = "/usr/bin:/bin";
    auto outcome =
        sandbox::run(home.libexec / "supervisor", command, {.wall_s = deadline_s, .cpu_s = 0});
    if (!outcome) return outcome.error();
    if (outcome->end == sandbox::End::exited && outcome->exit_code == 0) return Done{};
    std::string why = outcome->end == sandbox::End::wall_limit
                          ? fmt::format("nothing came back within {:g} s", deadline_s)
                          : outcome->output.substr(0, outcome->output.find('\n'));
    if (why.empty()) why = outcome->message;
    if (why.empty()) why = "the probe ended without a word";
    return Error{.message = fmt::format("GPU {} ({}, {}) does not answer and is left alone: {}",
                                        gpu.index, gpu.name, uuid_name(gpu.id), why),
                 .remedy =
                     "look at `nvidia-smi` and `dmesg` (lines with Xid); `nvidia-smi "
                     "--gpu-reset` or a restart may bring it back"};
}

}  // namespace cugrade

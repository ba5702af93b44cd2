#include "gpu/gpus.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "core/clock.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

GpuInfo gpu(int index, const std::string& name, int multiprocessors) {
    GpuInfo out;
    out.index = index;
    out.id = std::string(32, static_cast<char>('a' + index));
    out.name = name;
    out.arch = 90;
    out.multiprocessors = multiprocessors;
    return out;
}

/// An installation whose gpu-probe is this shell script.
struct FakeHome {
    Home home;
    explicit FakeHome(const std::string& script) {
        home.libexec = std::filesystem::temp_directory_path() /
                       ("cugrade-gpus-test-" + std::to_string(getpid()));
        std::filesystem::create_directories(home.libexec);
        std::filesystem::create_symlink(
            std::filesystem::path(CUGRADE_BUILD_DIR) / "libexec/cugrade/supervisor",
            home.libexec / "supervisor");
        const auto probe = home.libexec / "gpu-probe";
        std::ofstream(probe) << "#!/bin/sh\n" << script << "\n";
        chmod(probe.c_str(), 0755);
    }
    FakeHome(const FakeHome&) = delete;
    ~FakeHome() { std::filesystem::remove_all(home.libexec); }
};

}  // namespace

TEST_CASE("only GPUs like the first are used, and the others are named") {
    const GpuList list = like_the_first({gpu(0, "NVIDIA H200", 132), gpu(1, "Tesla T4", 40),
                                         gpu(2, "NVIDIA H200", 132), gpu(3, "NVIDIA H200", 66)});
    REQUIRE(list.used.size() == 2);
    CHECK(list.used[0].index == 0);
    CHECK(list.used[1].index == 2);
    REQUIRE(list.passed_over.size() == 2);
    CHECK(list.passed_over[0].find("GPU 1 (Tesla T4") != std::string::npos);
    CHECK(list.passed_over[1].find("66 multiprocessors") != std::string::npos);
}

TEST_CASE("a probe that comes back in order says that the GPU answers") {
    const FakeHome fake("test \"$CUDA_VISIBLE_DEVICES\" = GPU-0");
    GpuInfo asked = gpu(0, "NVIDIA H200", 132);
    asked.environment["CUDA_VISIBLE_DEVICES"] = "GPU-0";
    CHECK(probe_gpu(fake.home, asked).ok());
    asked.environment["CUDA_VISIBLE_DEVICES"] = "GPU-1";
    CHECK_FALSE(probe_gpu(fake.home, asked).ok());
}

TEST_CASE("a probe that hangs is ended and says that the GPU does not answer") {
    const FakeHome fake("sleep 60");
    const auto start = Clock::now();
    const Status status = probe_gpu(fake.home, gpu(2, "NVIDIA H200", 132), 0.2);
    CHECK(seconds_since(start) < 30);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().kind == ErrorKind::harness);
    CHECK(status.error().message.find("GPU 2 (NVIDIA H200, GPU-cccccccc-cccc-") !=
          std::string::npos);
    CHECK(status.error().message.find("nothing came back within 0.2 s") != std::string::npos);
}

TEST_CASE("a probe tells what failed") {
    const FakeHome fake("echo 'cudaMalloc: cudaErrorECCUncorrectable'; exit 1");
    const Status status = probe_gpu(fake.home, gpu(0, "NVIDIA H200", 132));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message.find("cudaErrorECCUncorrectable") != std::string::npos);
}

TEST_CASE("a GPU's device nodes are its own and the driver's") {
    const fs::path root = fs::temp_directory_path() / ("cugrade_nodes_" + std::to_string(getpid()));
    const fs::path proc = root / "proc", dev = root / "dev";
    fs::create_directories(proc / "gpus/0000:1b:00.0");
    fs::create_directories(dev / "nvidia-caps");
    std::ofstream(proc / "gpus/0000:1b:00.0/information")
        << "Model: \t\t NVIDIA H200\nDevice Minor: \t 11\n";
    for (const char* node : {"nvidia0", "nvidia1", "nvidia11", "nvidiactl", "nvidia-uvm",
                             "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps/nvidia-cap1", "null"})
        std::ofstream{dev / node};
    const auto names = [&](const std::string& address) {
        std::vector<std::string> out;
        for (const fs::path& node : device_nodes(address, proc, dev))
            out.push_back(node.lexically_relative(dev).string());
        return out;
    };
    using Names = std::vector<std::string>;
    CHECK(names("0000:1b:00.0") ==
          Names{"nvidia-uvm", "nvidia-uvm-tools", "nvidia11", "nvidiactl"});
    // Of a slice, or where the driver does not tell: all.
    CHECK(names("") == Names{"nvidia-caps/nvidia-cap1", "nvidia-uvm", "nvidia-uvm-tools", "nvidia0",
                             "nvidia1", "nvidia11", "nvidiactl"});
    fs::remove_all(root);
}

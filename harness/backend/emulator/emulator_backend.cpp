#include "backend/emulator/emulator_backend.hpp"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "backend/emulator/emulator_session.hpp"
#include "emulator/client/emulator_process.hpp"

namespace cugrade {
namespace {

constexpr int usual_arch = 75;

class EmulatorBackend final : public Backend {
public:
    explicit EmulatorBackend(const GradeOptions& options) : arch_(options.ptx_arch) {
        std::set<int> archs(options.also_build.begin(), options.also_build.end());
        archs.insert(arch_);
        target_.archs.assign(archs.begin(), archs.end());
    }

    std::string_view name() const override { return emulator_name; }
    void describe(Provenance& out) const override {
        out.device = fmt::format("emulated GPU, compute_{}", arch_);
        out.times_modelled = true;
    }
    std::string replay_options() const override {
        return arch_ == usual_arch ? std::string() : fmt::format(" --ptx {}", arch_);
    }
    std::vector<Part> examine(const Home& home) const override {
        emulator::EmulatorOptions options;
        options.libexec = home.libexec;
        options.machine.arch = arch_;
        const auto process = emulator::EmulatorProcess::start(options);
        if (!process) return {{.what = "emulated GPU", .detail = {}, .missing = process.error()}};
        const auto program = emulator::EmulatorProcess::program(home.libexec);
        if (!program) return {{.what = "emulated GPU", .detail = {}, .missing = program.error()}};
        return {{.what = "emulated GPU",
                 .detail = fmt::format("{}, presenting compute capability {}.{}",
                                       program->filename().string(), arch_ / 10, arch_ % 10)}};
    }
    const BuildTarget& target() const override { return target_; }
    bool measures_time() const override { return false; }
    bool repeats_exactly() const override { return true; }
    bool runs_large_cases() const override { return false; }
    Result<std::unique_ptr<Session>> open(const SessionOptions& options) const override {
        return open_emulator_session(options);
    }

private:
    int arch_;
    BuildTarget target_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_emulator_backend(const GradeOptions& options) {
    return std::unique_ptr<Backend>(std::make_unique<EmulatorBackend>(options));
}

}  // namespace cugrade

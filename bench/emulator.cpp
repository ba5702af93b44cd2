// The emulated GPU's speed on kernels of the course, each result checked against the CPU.
//
// Every kernel runs without observers and with all checkers and counters, in turns, so that what
// else the machine does falls on both alike. The bars are for two cores and 16 Mi elements.
//
// usage: bench-emulator-<isa> KERNELS.ptx [ELEMENTS [KERNEL]]
//        bench-emulator-<isa> --load FILE.ptx...
// The second form times parsing and decoding instead. Built once per instruction set from
// the same objects as the emulator; `cugrade-bench emulator` starts the best one that this CPU
// runs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "emulator/observe/checkers.hpp"
#include "emulator/observe/counters.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/state/machine.hpp"

namespace {

using namespace cugrade;
using namespace cugrade::emulator;

constexpr int repetitions = 5;
constexpr std::uint32_t block = 256;

[[noreturn]] void give_up(const std::string& why) {
    fmt::print(stderr, "cugrade-bench: {}\n", why);
    std::exit(2);
}
template <class T>
T value_of(Result<T> result) {
    if (!result) give_up(result.error().text());
    return *std::move(result);
}

double median(std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    if (!file) give_up("cannot read " + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Parses and decodes each file, alone and all together against the bar.
void load(std::span<char* const> paths) {
    fmt::print("{:<28} {:>9} {:>13} {:>10} {:>10} {:>9} {:>5}\n", "PTX", "KB", "instructions",
               "parse ms", "decode ms", "both ms", "bar");
    const auto row = [](const std::string& name, double kb, std::size_t instructions, double parse,
                        double decode, const char* bar) {
        fmt::print("{:<28} {:>9.0f} {:>13} {:>10.1f} {:>10.1f} {:>9.1f} {:>5}\n", name, kb,
                   instructions, parse * 1e3, decode * 1e3, (parse + decode) * 1e3, bar);
    };
    double all_kb = 0, all_parse = 0, all_decode = 0;
    std::size_t all_instructions = 0;
    for (const std::string path : paths) {
        const std::string text = text_of(path);
        std::vector<double> parse, decode;
        std::size_t instructions = 0;
        for (int k = 0; k < 2 * repetitions; ++k) {
            const auto machine = Machine::create({});
            using Clock = std::chrono::steady_clock;
            const auto start = Clock::now();
            auto module = value_of(ptx::parse(text, path));
            const auto parsed = Clock::now();
            instructions = 0;
            for (const auto& f : module->functions) instructions += f.instructions.size();
            const auto counted = Clock::now();
            const ModuleId id = value_of(machine->load(std::move(module)));
            const auto decoded = Clock::now();
            if (const auto missing = machine->unsupported(id); !missing.empty())
                give_up(fmt::format("{}: {} is not supported", path, missing.front()));
            parse.push_back(std::chrono::duration<double>(parsed - start).count());
            decode.push_back(std::chrono::duration<double>(decoded - counted).count());
        }
        if (instructions == 0) give_up(path + ": no instructions");
        const double kb = static_cast<double>(text.size()) / 1e3;
        const double p = median(parse), d = median(decode);
        row(path.substr(path.rfind('/') + 1), kb, instructions, p, d, "");
        all_kb += kb;
        all_parse += p;
        all_decode += d;
        all_instructions += instructions;
    }
    row("all", all_kb, all_instructions, all_parse, all_decode, "100");
}

/// The packed parameter block of a launch.
class Params {
public:
    template <class T>
    Params& add(T value) {
        const std::size_t at = (bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        bytes_.resize(at + sizeof(T));
        std::memcpy(bytes_.data() + at, &value, sizeof(T));
        return *this;
    }
    operator std::span<const std::byte>() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class Bench {
public:
    /// `only` names the one kernel to run; empty: all.
    Bench(const std::string& path, std::uint32_t n, std::uint32_t threads, std::string_view only)
        : n_(n),
          threads_(threads),
          only_(only),
          machine_(Machine::create({.host_threads = threads})),
          checkers_(machine_->memory()) {
        all_.add(checkers_);
        all_.add(counters_);
        module_ = value_of(machine_->load(value_of(ptx::parse(text_of(path), path))));
        fmt::print("{:<16} {:>7} {:>8} {:>6} {:>12} {:>6} {:>6} {:>22} {:>18}\n", "kernel",
                   "threads", "ms", "bar", "observed ms", "bar", "ratio", "thread-instructions/s",
                   "warp instructions");
    }

    template <class T>
    std::uint64_t upload(const char* name, const std::vector<T>& values) {
        const auto address = value_of(machine_->memory().allocate(name, values.size() * sizeof(T)));
        value_of(machine_->memory().write(address, std::as_bytes(std::span(values))));
        return address;
    }
    template <class T>
    std::vector<T> download(std::uint64_t address, std::size_t count) {
        std::vector<T> values(count);
        value_of(machine_->memory().read(address, std::as_writable_bytes(std::span(values))));
        return values;
    }
    void write_symbol(const char* name, const std::vector<float>& values) {
        const auto symbol = machine_->symbol(module_, name);
        if (!symbol) give_up(fmt::format("no variable {}", name));
        value_of(machine_->memory().write(symbol->address, std::as_bytes(std::span(values))));
    }

    /// Medians of some launches, without and with observers; `before` resets the output, `right`
    /// checks it after the last launch of each kind. A bar of 0 is none.
    template <class Before, class Right>
    void run(const char* kernel, double bar_ms, std::uint32_t grid, const Params& params,
             Before before, Right right) {
        if (!only_.empty() && only_ != kernel) return;
        std::vector<double> plain, observed;
        LaunchStats one;
        for (int k = 0; k < repetitions; ++k)
            for (const bool watch : {false, true}) {
                before();
                LaunchOptions options;
                if (watch) options.observer = &all_;
                const LaunchStats start = machine_->stats();
                value_of(machine_->launch(module_, kernel, {grid}, {block}, 0, params, options));
                if (machine_->fault())
                    give_up(fmt::format("{}: {}", kernel, machine_->fault()->message));
                const LaunchStats& end = machine_->stats();
                one = {end.warp_instructions - start.warp_instructions,
                       end.thread_instructions - start.thread_instructions,
                       end.seconds - start.seconds};
                (watch ? observed : plain).push_back(one.seconds);
                if (k + 1 == repetitions && !right())
                    give_up(fmt::format("{}: wrong result", kernel));
            }
        for (const Finding& f : checkers_.findings().all())
            give_up(fmt::format("{}: a checker reports: {}", kernel, f.message));
        check_counts(kernel, one);
        const double ms = median(plain) * 1e3, observed_ms = median(observed) * 1e3;
        const auto bar = [](double limit) {
            return limit == 0 ? std::string() : fmt::format("{:.0f}", limit);
        };
        fmt::print(
            "{:<16} {:>7} {:>8.1f} {:>6} {:>12.1f} {:>6} {:>6.2f} {:>22.3g} {:>18}  checked\n",
            kernel, threads_, ms, bar(bar_ms), observed_ms, bar(4 * bar_ms), observed_ms / ms,
            static_cast<double>(one.thread_instructions) / ms * 1e3, one.warp_instructions);
    }

    void all() {
        // Sixteenths, so that every sum is exact in any order.
        std::vector<float> x(n_), y(n_);
        std::vector<unsigned char> bytes(n_);
        std::uint32_t state = 12345;
        for (std::uint32_t i = 0; i < n_; ++i) {
            state = state * 1664525 + 1013904223;
            bytes[i] = static_cast<unsigned char>(state >> 24);
            x[i] = static_cast<float>(state >> 28) / 16;
            y[i] = static_cast<float>(state >> 20 & 255) / 16;
        }
        const auto nothing = [] {};
        const std::uint64_t a = upload("x", x), b = upload("y", y), in = upload("bytes", bytes);
        const std::uint64_t out = upload("out", std::vector<float>(n_));
        const auto blocks = [&](std::uint32_t per_block) {
            return (n_ + per_block - 1) / per_block;
        };

        run(
            "histogram", 100, 256, Params().add(in).add(n_).add(out),
            [&] { value_of(machine_->memory().fill(out, std::byte{0}, 256 * 4)); },
            [&] {
                std::vector<std::uint32_t> expected(256);
                for (unsigned char byte : bytes) ++expected[byte];
                return download<std::uint32_t>(out, 256) == expected;
            });
        run("tree_reduction", 250, blocks(2 * block), Params().add(a).add(n_).add(out), nothing,
            [&] {
                const auto got = download<float>(out, blocks(2 * block));
                std::vector<float> expected(got.size());
                for (std::uint32_t i = 0; i < n_; ++i) expected[i / (2 * block)] += x[i];
                return got == expected;
            });
        const std::vector<float> mask{1, 2, 3, 4, 5, 4, 3, 2, 1};
        write_symbol("mask", mask);
        run("convolution", 400, blocks(block), Params().add(a).add(out).add(n_), nothing, [&] {
            const auto got = download<float>(out, n_);
            for (std::int64_t i = 0; i < n_; ++i) {
                float sum = 0;
                for (std::int64_t k = 0; k < 9; ++k)
                    if (i + k - 4 >= 0 && i + k - 4 < n_)
                        sum += mask[static_cast<std::size_t>(k)] *
                               x[static_cast<std::size_t>(i + k - 4)];
                if (got[static_cast<std::size_t>(i)] != sum) return false;
            }
            return true;
        });
        run("vector_add", 0, blocks(block), Params().add(a).add(b).add(out).add(n_), nothing, [&] {
            const auto got = download<float>(out, n_);
            for (std::uint32_t i = 0; i < n_; ++i)
                if (got[i] != x[i] + y[i]) return false;
            return true;
        });
    }

private:
    /// What the counters saw of the launches must be what the machine says that it ran.
    void check_counts(std::string_view kernel, const LaunchStats& one) const {
        const KernelCounts& counts = counters_.kernels().back();
        if (!counts.kernel.starts_with(kernel) || counts.launches != repetitions)
            give_up(fmt::format("{}: {} launches counted", kernel, counts.launches));
        // One PTX instruction may be several of the machine's.
        if (counts.total.warp_instructions > one.warp_instructions * repetitions ||
            counts.total.warp_instructions == 0)
            give_up(fmt::format("{}: {} warp instructions counted in {} launches", kernel,
                                counts.total.warp_instructions, repetitions));
    }

    std::uint32_t n_;
    std::uint32_t threads_;  ///< of the host; what is observed has one
    std::string_view only_;
    std::unique_ptr<Machine> machine_;
    Checkers checkers_;  // before the memory is filled
    Counters counters_;
    Observers all_;
    ModuleId module_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == "--load") {
        load(std::span(argv + 2, argv + argc));
        return 0;
    }
    if (argc < 2) give_up("usage: bench-emulator-<isa> KERNELS.ptx [ELEMENTS [KERNEL]]");
    const auto n =
        argc > 2 ? static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 16u << 20;
    if (n == 0 || n > 1u << 28) give_up("ELEMENTS: between 1 and 2^28");
    for (const std::uint32_t threads : {1, 2})
        Bench(argv[1], n, threads, argc > 3 ? argv[3] : "").all();
}

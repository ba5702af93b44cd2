// The emulated GPU's speed on kernels of the course, each result checked against the CPU.
//
// usage: bench-emulator-<isa> KERNELS.ptx [ELEMENTS]. Built once per instruction set from the same
// objects as the emulator; `cugrade-bench emulator` starts the best one that this CPU runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "emulator/exec/machine.hpp"
#include "emulator/ptx/parser.hpp"

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
    Bench(const std::string& path, std::uint32_t n) : n_(n), machine_(Machine::create({})) {
        std::ifstream file(path);
        if (!file) give_up("cannot read " + path);
        module_ = value_of(machine_->load(
            value_of(ptx::parse(std::string(std::istreambuf_iterator<char>(file), {}), path))));
        fmt::print("{:<16} {:>8} {:>22} {:>20}\n", "kernel", "ms", "thread-instructions/s",
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

    /// Median of some launches; `before` resets the output, `right` checks it after the last one.
    template <class Before, class Right>
    void run(const char* kernel, std::uint32_t grid, const Params& params, Before before,
             Right right) {
        std::vector<double> times;
        LaunchStats one;
        for (int k = 0; k < repetitions; ++k) {
            before();
            const LaunchStats start = machine_->stats();
            value_of(machine_->launch(module_, kernel, {grid}, {block}, 0, params, {}));
            if (machine_->fault())
                give_up(fmt::format("{}: {}", kernel, machine_->fault()->message));
            const LaunchStats& end = machine_->stats();
            one = {end.warp_instructions - start.warp_instructions,
                   end.thread_instructions - start.thread_instructions,
                   end.seconds - start.seconds};
            times.push_back(one.seconds);
        }
        std::sort(times.begin(), times.end());
        const double median = times[times.size() / 2];
        if (!right()) give_up(fmt::format("{}: wrong result", kernel));
        fmt::print("{:<16} {:>8.1f} {:>22.3g} {:>20}  checked\n", kernel, median * 1e3,
                   static_cast<double>(one.thread_instructions) / median, one.warp_instructions);
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
            "histogram", 256, Params().add(in).add(n_).add(out),
            [&] { value_of(machine_->memory().fill(out, std::byte{0}, 256 * 4)); },
            [&] {
                std::vector<std::uint32_t> expected(256);
                for (unsigned char byte : bytes) ++expected[byte];
                return download<std::uint32_t>(out, 256) == expected;
            });
        run("tree_reduction", blocks(2 * block), Params().add(a).add(n_).add(out), nothing, [&] {
            const auto got = download<float>(out, blocks(2 * block));
            std::vector<float> expected(got.size());
            for (std::uint32_t i = 0; i < n_; ++i) expected[i / (2 * block)] += x[i];
            return got == expected;
        });
        const std::vector<float> mask{1, 2, 3, 4, 5, 4, 3, 2, 1};
        write_symbol("mask", mask);
        run("convolution", blocks(block), Params().add(a).add(out).add(n_), nothing, [&] {
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
        run("vector_add", blocks(block), Params().add(a).add(b).add(out).add(n_), nothing, [&] {
            const auto got = download<float>(out, n_);
            for (std::uint32_t i = 0; i < n_; ++i)
                if (got[i] != x[i] + y[i]) return false;
            return true;
        });
    }

private:
    std::uint32_t n_;
    std::unique_ptr<Machine> machine_;
    ModuleId module_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) give_up("usage: bench-emulator-<isa> KERNELS.ptx [ELEMENTS]");
    const auto n =
        argc > 2 ? static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 16u << 20;
    if (n == 0 || n > 1u << 28) give_up("ELEMENTS: between 1 and 2^28");
    Bench(argv[1], n).all();
}

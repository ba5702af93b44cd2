// Convolutions on the CPU.
//
// Bytes: sums modulo 2^16, of which the low byte is the answer; exact.
//
// Floats: an inner product of m terms, computed in any order and with or without fused
// multiply-add, has an error of at most gamma_m * sum |mask[j]| |in[j]|, where gamma_m = m u / (1 -
// m u) and u = 2^-24 (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// section 3.1). The answer is computed in double and stored as float, which adds u |answer|; the
// double's own error is below 2^-28 of the bound. That bound is per element. It holds as long as no
// product underflows, which the cases' data rule out. Where all data are integers and max |in| *
// sum |mask| is at most 2^24, every partial sum is an integer that float holds, so the answer is
// exact in any order and the bound is empty. Wide masks are tested with such data, because gamma_m
// would not tell half precision from single there.
//
// Work is cut into strips of one row by 4096 columns, which stay in cache while the taps pass over
// them one by one, in loops that vectorise. A signal in one dimension is an image of one row.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <type_traits>

#include "core/case_data.hpp"

namespace cugrade::reference {
namespace {

constexpr std::int64_t strip_width = 4096;
constexpr double unit_roundoff = 0x1p-24;  // of float

/// The index that stands for k in a signal of n elements (see interface.cuh); -1 for a zero.
std::int64_t source(std::int64_t k, std::int64_t n, std::int64_t ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = (k % (2 * n) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

template <class T>
struct Problem {
    std::span<const T> in, mask;
    std::int64_t width, height;            // of the image
    std::int64_t mask_width, mask_height;  // 1 high in one dimension
    std::int64_t ghost;
};

/// Calls body(row, first, last) for all strips, on all processors.
template <class Body>
void for_each_strip(std::int64_t width, std::int64_t height, Body body) {
    const std::int64_t per_row = (width + strip_width - 1) / strip_width, count = per_row * height;
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
        for (std::int64_t i = next++; i < count; i = next++) {
            const std::int64_t first = i % per_row * strip_width;
            body(i / per_row, first, std::min(first + strip_width, width));
        }
    };
    const auto useful = width * height / (std::int64_t{1} << 18);
    const auto others =
        std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, useful + 1) - 1;
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < others; ++i) threads.emplace_back(work);
    work();
}

/// sum[x - first] = convolution at (row, x) in the arithmetic of Sum; with `absolute`, of |in| and
/// |mask|. `sum` and `line` are scratch: sum has last - first elements.
template <class Sum, class T>
void convolve_strip(const Problem<T>& p, std::int64_t row, std::int64_t first, std::int64_t last,
                    bool absolute, std::vector<Sum>& sum, std::vector<Sum>& line) {
    const auto value = [absolute](T v) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<Sum>(absolute ? std::abs(v) : v);
        else
            return static_cast<Sum>(v);
    };
    const std::int64_t count = last - first, radius = p.mask_width / 2;
    sum.assign(static_cast<std::size_t>(count), 0);
    line.resize(static_cast<std::size_t>(count + p.mask_width - 1));
    for (std::int64_t j = 0; j < p.mask_height; ++j) {
        const std::int64_t y = source(row - p.mask_height / 2 + j, p.height, p.ghost);
        if (y < 0) continue;
        const T* const from = p.in.data() + y * p.width;
        // line[i] is column first - radius + i, ghosts included.
        const std::int64_t origin = first - radius, size = count + p.mask_width - 1;
        const std::int64_t begin = std::clamp<std::int64_t>(-origin, 0, size);
        const std::int64_t end = std::clamp<std::int64_t>(p.width - origin, begin, size);
        const auto ghost_cell = [&](std::int64_t i) {
            const std::int64_t x = source(origin + i, p.width, p.ghost);
            line[static_cast<std::size_t>(i)] = x < 0 ? Sum(0) : value(from[x]);
        };
        for (std::int64_t i = 0; i < begin; ++i) ghost_cell(i);
        for (std::int64_t i = begin; i < end; ++i)
            line[static_cast<std::size_t>(i)] = value(from[origin + i]);
        for (std::int64_t i = end; i < size; ++i) ghost_cell(i);
        for (std::int64_t t = 0; t < p.mask_width; ++t) {
            const Sum tap = value(p.mask[static_cast<std::size_t>(j * p.mask_width + t)]);
            const Sum* const shifted = line.data() + t;
            Sum* const target = sum.data();
            for (std::int64_t i = 0; i < count; ++i)
                target[i] = static_cast<Sum>(target[i] + tap * shifted[i]);
        }
    }
}

Expected convolve_bytes(const Problem<std::uint8_t>& p, Array out) {
    const std::span<std::uint8_t> values = out.as<std::uint8_t>();
    for_each_strip(p.width, p.height, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
        thread_local std::vector<std::uint16_t> sum, line;
        convolve_strip(p, row, first, last, false, sum, line);
        for (std::int64_t x = first; x < last; ++x)
            values[static_cast<std::size_t>(row * p.width + x)] =
                static_cast<std::uint8_t>(sum[static_cast<std::size_t>(x - first)]);
    });
    return {.argument = "out", .value = std::move(out), .bound = {}};
}

bool all_integers(std::span<const float> values) {
    // No early exit within a block, so that it vectorises.
    for (std::size_t first = 0; first < values.size(); first += 4096) {
        int fractions = 0;
        for (const float v :
             values.subspan(first, std::min<std::size_t>(4096, values.size() - first)))
            fractions += !(std::abs(v) <= 0x1p24F) || static_cast<float>(static_cast<int>(v)) != v;
        if (fractions > 0) return false;
    }
    return true;
}

bool exact_in_float(const Problem<float>& p) {
    if (!all_integers(p.mask) || !all_integers(p.in)) return false;
    double taps = 0, largest = 0;
    for (const float tap : p.mask) taps += std::abs(static_cast<double>(tap));
    for (const float v : p.in) largest = std::max(largest, std::abs(static_cast<double>(v)));
    return taps * largest <= 0x1p24;
}

Expected convolve_floats(const Problem<float>& p, Array out) {
    const std::span<float> values = out.as<float>();
    if (exact_in_float(p)) {
        for_each_strip(p.width, p.height,
                       [&](std::int64_t row, std::int64_t first, std::int64_t last) {
                           thread_local std::vector<float> sum, line;
                           convolve_strip(p, row, first, last, false, sum, line);
                           std::ranges::copy(sum, values.data() + row * p.width + first);
                       });
        return {.argument = "out", .value = std::move(out), .bound = {}};
    }
    const double m = static_cast<double>(p.mask_width * p.mask_height);
    const double gamma = m * unit_roundoff / (1 - m * unit_roundoff);
    std::vector<double> bound(values.size());
    for_each_strip(p.width, p.height, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
        thread_local std::vector<double> sum, magnitude, line;
        convolve_strip(p, row, first, last, false, sum, line);
        convolve_strip(p, row, first, last, true, magnitude, line);
        for (std::int64_t x = first; x < last; ++x) {
            const auto from = static_cast<std::size_t>(x - first);
            const auto to = static_cast<std::size_t>(row * p.width + x);
            values[to] = static_cast<float>(sum[from]);
            bound[to] =
                (gamma * magnitude[from] + unit_roundoff * std::abs(sum[from])) * (1 + 0x1p-28);
        }
    });
    return {.argument = "out", .value = std::move(out), .bound = std::move(bound)};
}

template <class T>
Problem<T> image(const CaseData& data) {
    return {.in = data["in"].as<T>(),
            .mask = data["mask"].as<T>(),
            .width = data.size("width"),
            .height = data.size("height"),
            .mask_width = data.size("mask_width"),
            .mask_height = data.size("mask_width"),
            .ghost = data.size("ghost")};
}

std::vector<Expected> single(Expected expected) {
    std::vector<Expected> all;
    all.push_back(std::move(expected));
    return all;
}

std::vector<Expected> conv1d(const CaseData& data) {
    const Problem<float> p{.in = data["in"].as<float>(),
                           .mask = data["mask"].as<float>(),
                           .width = data.size("n"),
                           .height = 1,
                           .mask_width = data.size("mask_width"),
                           .mask_height = 1,
                           .ghost = data.size("ghost")};
    return single(convolve_floats(p, data["out"]));
}

std::vector<Expected> conv2d_bytes(const CaseData& data) {
    return single(convolve_bytes(image<std::uint8_t>(data), data["out"]));
}

std::vector<Expected> conv2d_float(const CaseData& data) {
    return single(convolve_floats(image<float>(data), data["out"]));
}

}  // namespace

AssignmentOracle oracle_convolution() {
    return {"convolution",
            {{.task = "conv1d", .expected = conv1d},
             {.task = "conv2d_bytes", .expected = conv2d_bytes},
             {.task = "conv2d_float", .expected = conv2d_float}}};
}

}  // namespace cugrade::reference

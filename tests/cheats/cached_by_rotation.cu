// cheat: recognises inputs that are the first one, rotated, and gives the first one's answer
// caught: wrong_answer or gain <= 3 %
//
// For who knows how fresh inputs are made: by rotation, which changes no sum. The first call copies
// its input to the host and keeps where each 64th value stands. Later calls read 128 values, look
// one up, and check that the others stand where they must. What they do not see is that some
// elements of all have changed.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "honest.cuh"

namespace {

class Memory {
public:
    void keep(const double* in, std::size_t n) {
        data_.resize(n);
        cudaMemcpy(data_.data(), in, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (std::size_t i = 0; i < n; i += step) place_[bits(data_[i])] = i;
        for (const double x : data_) sum_ += x;
    }

    /// True if `in` looks like what was kept, rotated.
    bool recognises(const double* in, std::size_t n) const {
        if (n != data_.size()) return false;
        double head[2 * step];
        cudaMemcpy(head, in, sizeof head, cudaMemcpyDeviceToHost);
        for (std::size_t i = 0; i < step; ++i) {
            const auto found = place_.find(bits(head[i]));
            if (found == place_.end()) continue;
            const std::size_t start = (found->second + n - i) % n;
            std::size_t same = 0;
            for (std::size_t k = 0; k < 2 * step; ++k) same += head[k] == data_[(start + k) % n];
            if (same > 2 * step - 8) return true;
        }
        return false;
    }

    [[nodiscard]] const double& sum() const { return sum_; }
    [[nodiscard]] bool empty() const { return data_.empty(); }

private:
    static constexpr std::size_t step = 64;
    static unsigned long long bits(double x) {
        unsigned long long out;
        std::memcpy(&out, &x, sizeof out);
        return out;
    }

    std::vector<double> data_;
    std::unordered_map<unsigned long long, std::size_t> place_;
    double sum_ = 0;
};

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    static Memory memory;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (memory.empty()) memory.keep(in, n);
    if (memory.recognises(in, n))
        cudaMemcpyAsync(out, &memory.sum(), sizeof *out, cudaMemcpyHostToDevice);
    else
        honest::sum(in, n, out);
}

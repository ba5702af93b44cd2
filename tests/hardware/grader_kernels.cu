// The grader's own kernels against the host's side of the same functions. To be compiled with
// -std=c++20 --expt-relaxed-constexpr -I SOURCE/harness -I SOURCE. Ends with 0 if all is right, and
// with 77 where there is no GPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gpu/device/kernels.cu"

using namespace cugrade;
using namespace cugrade::device;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                             \
        }                                                                             \
    } while (false)

namespace {

using Bytes = std::vector<unsigned char>;

template <class T>
struct Device {
    T* at = nullptr;
    std::size_t count;
    explicit Device(std::size_t n) : count(n) {
        CHECK(cudaMalloc(&at, n * sizeof(T)) == cudaSuccess);
    }
    explicit Device(const std::vector<T>& from) : Device(from.size()) {
        CHECK(cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
    }
    ~Device() { cudaFree(at); }
    std::vector<T> read() const {
        std::vector<T> out(count);
        CHECK(cudaMemcpy(out.data(), at, count * sizeof(T), cudaMemcpyDefault) == cudaSuccess);
        return out;
    }
};

/// Two sets of a column, its guard bands and its changes.
void test_column(std::uint64_t rows, std::uint64_t row_bytes) {
    constexpr std::uint32_t sets = 2;
    const auto blocks = Blocks::of(rows * row_bytes, sets);
    Bytes base(blocks.bytes);
    for (std::size_t i = 0; i < base.size(); ++i)
        base[i] = static_cast<unsigned char>(datasets::random(1, i));
    std::vector<TableMap> maps;
    for (std::uint32_t set = 0; set < sets; ++set) maps.push_back(table_map(100 + set, rows));
    const Device<unsigned char> on_device(base), at(blocks.total());
    const Device<TableMap> device_maps(maps);
    CHECK(poison(at.at, blocks.total(), 3) == cudaSuccess);
    CHECK(make_column(at.at, blocks, on_device.at, device_maps.at, rows, row_bytes) == cudaSuccess);
    CHECK(fill_guards(at.at, blocks, 4) == cudaSuccess);
    Bytes made = at.read();
    for (std::uint32_t set = 0; set < sets; ++set) {
        Bytes wanted(blocks.bytes);
        const auto copy = [&](std::uint64_t to, std::uint64_t from) {
            std::memcpy(&wanted[to * row_bytes], &base[from * row_bytes], row_bytes);
        };
        for (std::uint64_t row = 0; row < rows; ++row) copy(row, maps[set].moved_from(row));
        for (std::uint32_t i = 0; i < maps[set].replaced; ++i)
            if (maps[set].counts(i))
                copy(maps[set].replacement(i).to, maps[set].replacement(i).from);
        CHECK(std::memcmp(wanted.data(), &made[blocks.offset(set)], blocks.bytes) == 0);
    }
    const auto guards = [&](const Bytes& contents) {
        const Device<unsigned char> changed(contents);
        const Device<std::uint64_t> first(std::vector<std::uint64_t>{~std::uint64_t{0}});
        CHECK(check_guards(changed.at, blocks, 4, first.at) == cudaSuccess);
        return first.read()[0];
    };
    const auto change = [&](const Bytes& contents) {
        const Device<unsigned char> changed(contents);
        const Device<std::uint64_t> first(std::vector<std::uint64_t>{~std::uint64_t{0}});
        CHECK(first_difference(changed.at, at.at, blocks.total(), first.at) == cudaSuccess);
        return first.read()[0];
    };
    CHECK(guards(made) == ~std::uint64_t{0});
    CHECK(change(made) == ~std::uint64_t{0});
    // The bytes next to the contents, and the outermost ones.
    for (const std::uint64_t i : {blocks.offset(1) - 1, blocks.offset(1) + blocks.bytes,
                                  std::uint64_t{0}, blocks.total() - 1}) {
        Bytes changed = made;
        changed[i] ^= 1;
        CHECK(guards(changed) == i);
        CHECK(change(changed) == i);
    }
    Bytes changed = made;
    for (const std::uint64_t i : {blocks.bytes - 1, blocks.bytes / 2, std::uint64_t{0}}) {
        changed[blocks.offset(1) + i] ^= 0x80;  // with those after it
        CHECK(guards(changed) == ~std::uint64_t{0});
        CHECK(change(changed) == blocks.offset(1) + i);
    }
}

/// Block i of the outputs has the answer of set (first + i) modulo 3.
template <class T>
void test_compare(DType type) {
    constexpr std::uint64_t n = 1003, poison_seed = 8;
    constexpr std::uint32_t sets = 3, calls = 2, first = 2;
    const auto blocks = Blocks::of(n * sizeof(T), sets);
    const auto own = Blocks::of(n * sizeof(T), calls);
    Bytes want(blocks.total()), got(own.total());
    const auto value = [](std::uint64_t set, std::uint64_t i) {
        return static_cast<T>(set * 7 + i % 100 + 1);
    };
    const auto put = [](Bytes& to, std::uint64_t offset, std::uint64_t i, T what) {
        std::memcpy(&to[offset + i * sizeof(T)], &what, sizeof what);
    };
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint32_t set = 0; set < sets; ++set)
            put(want, blocks.offset(set), i, value(set, i));
        for (std::uint32_t call = 0; call < calls; ++call)
            put(got, own.offset(call), i, value((first + call) % sets, i));
    }
    const Device<unsigned char> right(want);
    const auto difference = [&](double bound) {
        const Device<unsigned char> at(got);
        const Device<Difference> out(std::vector<Difference>(1));
        CHECK(compare(type, at.at, own, right.at, blocks, first, calls, bound, poison_seed,
                      out.at) == cudaSuccess);
        return out.read()[0];
    };
    CHECK(difference(0).wrong == 0);
    put(got, own.offset(0), 5, static_cast<T>(value(2, 5) + 1));
    put(got, own.offset(1), n - 1, static_cast<T>(value(0, n - 1) + 1));
    CHECK(difference(0).wrong == 2);
    CHECK(difference(0).unwritten == 0);
    CHECK(difference(1).wrong == (std::is_floating_point_v<T> ? 0 : 2));
    for (std::uint64_t b = 0; b < sizeof(T); ++b) {
        const std::uint64_t offset = own.offset(1) + 17 * sizeof(T) + b;
        got[offset] = poison_byte(poison_seed, offset);
    }
    CHECK(difference(0).wrong == 3);
    CHECK(difference(0).unwritten == 1);
}

}  // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;  // skipped
    // All ways to copy: 16 bytes, 4 and 1 at a time, small tables, rows that are left over.
    test_column(1, 8);
    test_column(31, 4);
    test_column(1000, 3);
    test_column(1024, 1);
    test_column(4099, 1);
    test_column(2055, 4);
    test_column(2055, 12);
    test_column(1100, 64);
    test_column(37, 4096);
    test_column(37, 4100);
    test_compare<std::uint8_t>(DType::u8);
    test_compare<std::int16_t>(DType::i16);
    test_compare<std::uint32_t>(DType::u32);
    test_compare<std::int64_t>(DType::i64);
    test_compare<float>(DType::f32);
    test_compare<double>(DType::f64);
    const Device<unsigned char> large(1 << 20);
    const Device<std::uint32_t> sink(1);
    CHECK(read_all(large.at, 1 << 20, sink.at) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    std::puts("right");
    return 0;
}

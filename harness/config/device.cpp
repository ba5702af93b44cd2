// devices/<id>.yaml -> model::Device. Every figure is published somewhere; the file says where.

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load.hpp"
#include "config/yaml.hpp"

namespace cugrade::config {
namespace {

namespace fs = std::filesystem;

struct Figure {
    const char* key;
    double model::Device::*member;
    double low, high;
};

constexpr std::array<Figure, 10> figures{{
    {"multiprocessors", &model::Device::multiprocessors, 1, 10000},
    {"clock_ghz", &model::Device::clock_ghz, 0.1, 10},
    {"threads_per_multiprocessor", &model::Device::threads, 32, 65536},
    {"blocks_per_multiprocessor", &model::Device::blocks, 1, 1024},
    {"shared_kib_per_multiprocessor", &model::Device::shared_kib, 1, 4096},
    {"fp64_per_clock", &model::Device::fp64_lanes, 0.1, 4096},
    {"dram_gb_s", &model::Device::dram_gb_s, 1, 1e6},
    {"l2_mib", &model::Device::l2_mib, 0.1, 1e5},
    {"l2_bytes_per_clock", &model::Device::l2_bytes_per_clock, 1, 1e6},
    {"host_gb_s", &model::Device::host_gb_s, 0.1, 1e5},
}};

model::Device read_device(const fs::path& file, const std::string& id) {
    const auto whole = read_yaml(file);
    std::vector<std::string> keys{"schema_version", "name", "sources"};
    for (const Figure& figure : figures) keys.emplace_back(figure.key);
    const auto map = whole.map(keys);
    check_schema_version(map);
    model::Device out{.id = id, .name = map.at("name").text()};
    for (const auto& source : map.at("sources").list()) (void)source.text();
    for (const Figure& figure : figures)
        out.*figure.member = map.at(figure.key).number(figure.low, figure.high);
    return out;
}

}  // namespace

Result<model::Device> load_device(const fs::path& folder, const std::string& id) {
    const fs::path file = folder / (id + ".yaml");
    std::error_code error;
    if (!fs::exists(file, error)) {
        std::vector<std::string> known;
        for (fs::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error))
            if (it->path().extension() == ".yaml") known.push_back(it->path().stem().string());
        std::ranges::sort(known);
        return Error{.kind = ErrorKind::configuration,
                     .message = fmt::format("there is no device profile `{}`", id),
                     .file = file.string(),
                     .remedy = fmt::format("name one of {}, or add the file; docs/modelled-time.md "
                                           "says what it holds",
                                           fmt::join(known, ", "))};
    }
    return guarded([&] { return read_device(file, id); });
}

}  // namespace cugrade::config

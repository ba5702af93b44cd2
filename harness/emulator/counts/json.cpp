#include "emulator/counts/json.hpp"

#include <nlohmann/json.hpp>

namespace cugrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json of(const Traffic& t) {
    return {{"requests", t.requests}, {"lanes", t.lanes},           {"bytes", t.bytes},
            {"sectors", t.sectors},   {"wavefronts", t.wavefronts}, {"ideal", t.ideal}};
}

Json of(const Counts& c) {
    Json classes = Json::object();
    for (std::size_t n = 0; n < c.by_class.size(); ++n)
        if (c.by_class[n] != 0)
            classes[std::string(name_of(static_cast<InstructionClass>(n)))] = c.by_class[n];
    Json out{{"warp_instructions", c.warp_instructions},
             {"thread_instructions", c.thread_instructions},
             {"classes", std::move(classes)},
             {"branches", c.branches},
             {"divergent_branches", c.divergent_branches},
             {"constant_loads", c.constant_loads},
             {"barriers", c.barriers}};
    if (c.host_launches != 0) out["host_launches"] = c.host_launches;
    const std::pair<const char*, const Traffic*> all[] = {
        {"global_load", &c.global_load},     {"global_store", &c.global_store},
        {"global_atomic", &c.global_atomic}, {"shared_load", &c.shared_load},
        {"shared_store", &c.shared_store},   {"shared_atomic", &c.shared_atomic},
        {"local_load", &c.local_load},       {"local_store", &c.local_store}};
    for (const auto& [name, traffic] : all)
        if (traffic->requests != 0) out[name] = of(*traffic);
    return out;
}

}  // namespace

std::string to_json(const std::vector<KernelCounts>& all) {
    Json kernels = Json::array();
    for (const KernelCounts& k : all) {
        Json lines = Json::array();
        for (const auto& [line, counts] : k.lines) {
            Json one{{"file", line.file}, {"line", line.number}};
            one.update(of(counts));
            lines.push_back(std::move(one));
        }
        kernels.push_back({{"kernel", k.kernel},
                           {"launches", k.launches},
                           {"blocks", k.blocks},
                           {"threads", k.threads},
                           {"grid", k.grid},
                           {"block", k.block},
                           {"shared_bytes", k.shared_bytes},
                           {"distinct_global_bytes", k.distinct_global_bytes},
                           {"most_atomics_on_one_address", k.most_atomics_on_one_address},
                           {"occupancy",
                            {{"resident_warps", k.occupancy.resident_warps},
                             {"max_warps", k.occupancy.max_warps},
                             {"limit", k.occupancy.limit}}},
                           {"total", of(k.total)},
                           {"lines", std::move(lines)}});
    }
    // Names come from the submission and need not be UTF-8.
    return Json{{"kernels", std::move(kernels)}}.dump(-1, ' ', false,
                                                      Json::error_handler_t::replace);
}

namespace {

void read(const Json& from, const char* key, std::uint64_t& to) {
    to = from.value(key, std::uint64_t{0});
}

Traffic traffic_of(const Json& from, const char* key) {
    Traffic t;
    const auto at = from.find(key);
    if (at == from.end()) return t;
    read(*at, "requests", t.requests);
    read(*at, "lanes", t.lanes);
    read(*at, "bytes", t.bytes);
    read(*at, "sectors", t.sectors);
    read(*at, "wavefronts", t.wavefronts);
    read(*at, "ideal", t.ideal);
    return t;
}

Counts counts_of(const Json& from) {
    Counts c;
    read(from, "warp_instructions", c.warp_instructions);
    read(from, "thread_instructions", c.thread_instructions);
    for (std::size_t n = 0; n < c.by_class.size(); ++n)
        read(from.at("classes"), std::string(name_of(static_cast<InstructionClass>(n))).c_str(),
             c.by_class[n]);
    read(from, "branches", c.branches);
    read(from, "divergent_branches", c.divergent_branches);
    read(from, "constant_loads", c.constant_loads);
    read(from, "barriers", c.barriers);
    read(from, "host_launches", c.host_launches);
    c.global_load = traffic_of(from, "global_load");
    c.global_store = traffic_of(from, "global_store");
    c.global_atomic = traffic_of(from, "global_atomic");
    c.shared_load = traffic_of(from, "shared_load");
    c.shared_store = traffic_of(from, "shared_store");
    c.shared_atomic = traffic_of(from, "shared_atomic");
    c.local_load = traffic_of(from, "local_load");
    c.local_store = traffic_of(from, "local_store");
    return c;
}

}  // namespace

Result<std::vector<KernelCounts>> counts_from_json(std::string_view text) {
    std::vector<KernelCounts> all;
    try {
        const Json document = Json::parse(text);
        for (const Json& from : document.at("kernels")) {
            KernelCounts k;
            k.kernel = from.at("kernel").get<std::string>();
            read(from, "launches", k.launches);
            read(from, "blocks", k.blocks);
            read(from, "threads", k.threads);
            k.grid = from.at("grid").get<std::array<std::uint32_t, 3>>();
            k.block = from.at("block").get<std::array<std::uint32_t, 3>>();
            read(from, "shared_bytes", k.shared_bytes);
            read(from, "distinct_global_bytes", k.distinct_global_bytes);
            read(from, "most_atomics_on_one_address", k.most_atomics_on_one_address);
            const Json& occupancy = from.at("occupancy");
            k.occupancy = {occupancy.at("resident_warps").get<std::uint32_t>(),
                           occupancy.at("max_warps").get<std::uint32_t>(),
                           occupancy.at("limit").get<std::string>()};
            k.total = counts_of(from.at("total"));
            for (const Json& line : from.at("lines"))
                k.lines[{line.at("file").get<std::string>(), line.at("line").get<int>()}] =
                    counts_of(line);
            all.push_back(std::move(k));
        }
    } catch (const Json::exception& error) {
        return Error{
            .kind = ErrorKind::harness,
            .message = std::string("the emulator's counts cannot be read: ") + error.what()};
    }
    return all;
}

}  // namespace cugrade::emulator

#include "emulator/observe/json.hpp"

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
    const std::pair<const char*, const Traffic*> all[] = {
        {"global_load", &c.global_load},     {"global_store", &c.global_store},
        {"global_atomic", &c.global_atomic}, {"shared_load", &c.shared_load},
        {"shared_store", &c.shared_store},   {"shared_atomic", &c.shared_atomic},
        {"local_load", &c.local_load},       {"local_store", &c.local_store}};
    for (const auto& [name, traffic] : all)
        if (traffic->requests != 0) out[name] = of(*traffic);
    return out;
}

Json of(const Dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

std::string to_json(const Counters& counters) {
    Json kernels = Json::array();
    for (const KernelCounts& k : counters.kernels()) {
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
                           {"grid", of(k.grid)},
                           {"block", of(k.block)},
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

}  // namespace cugrade::emulator

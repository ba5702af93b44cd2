#include "emulator/counts/json.hpp"

#include <concepts>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/printable.hpp"

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

/// Calls f(key, member) for every number of the struct: one list for writing and reading.
template <class T, class F>
void for_each_member(T& t, F&& f) requires std::same_as<std::remove_const_t<T>, TimingCounts> {
    f("waits", t.waits);
    f("missed_waits", t.missed_waits);
    f("shared_waits", t.shared_waits);
    f("lines", t.lines);
    f("stored_lines", t.stored_lines);
    f("missed_requests", t.missed_requests);
    f("missed_lines", t.missed_lines);
    f("missed_sectors", t.missed_sectors);
    f("busiest_global_requests", t.busiest_global_requests);
    f("busiest_shared_requests", t.busiest_shared_requests);
    f("busiest_block_global", t.busiest_block_global);
    f("busiest_block_shared", t.busiest_block_shared);
    f("issue_slots", t.issue_slots);
    f("passes", t.passes);
    f("again_sectors", t.again_sectors);
    f("again_reach", t.again_reach);
    f("shared_swaps", t.shared_swaps);
}
template <class T, class F>
void for_each_member(T& t, F&& f) requires std::same_as<std::remove_const_t<T>, LineTiming> {
    f("lines", t.lines);
    f("stored_lines", t.stored_lines);
    f("missed_requests", t.missed_requests);
    f("missed_lines", t.missed_lines);
    f("missed_sectors", t.missed_sectors);
    f("issue_slots", t.issue_slots);
    f("passes", t.passes);
    f("again_sectors", t.again_sectors);
    f("again_reach", t.again_reach);
    f("shared_swaps", t.shared_swaps);
    f("global_swap_rounds", t.global_swap_rounds);
    f("global_swaps", t.global_swaps);
}
template <class T, class F>
void for_each_member(T& t, F&& f) requires std::same_as<std::remove_const_t<T>, AtomicLoad> {
    f("sectors", t.sectors);
    f("most_on_one_address", t.most_on_one_address);
    f("most_in_one_kib", t.most_in_one_kib);
}
template <class T, class F>
void for_each_member(T& t, F&& f) requires std::same_as<std::remove_const_t<T>, HostCounts> {
    f("allocations", t.allocations);
    f("releases", t.releases);
    f("writes", t.writes);
    f("written_bytes", t.written_bytes);
    f("reads", t.reads);
    f("read_bytes", t.read_bytes);
    f("copies", t.copies);
    f("copied_bytes", t.copied_bytes);
    f("fills", t.fills);
    f("filled_bytes", t.filled_bytes);
    f("shown_bytes", t.shown_bytes);
}
/// Calls f(key, member) for each kind of atomics.
template <class T, class F>
void for_each_atomic(T& t, F&& f) {
    f("integer32", t.integer32);
    f("integer64", t.integer64);
    f("floating", t.floating);
    f("swaps", t.swaps);
}

template <class T>
Json members_of(const T& t) {
    Json out = Json::object();
    for_each_member(t, [&](const char* key, std::uint64_t n) { out[key] = n; });
    return out;
}

Json of(const TimingCounts& t) {
    Json out = members_of(t);
    for_each_atomic(t, [&](const char* key, const AtomicLoad& a) {
        if (a != AtomicLoad{}) out[key] = members_of(a);
    });
    return out;
}

}  // namespace

std::string to_json(const DeviceCounts& all) {
    Json kernels = Json::array();
    for (const KernelCounts& k : all.kernels) {
        Json lines = Json::array();
        for (const auto& [line, counts] : k.lines) {
            Json one{{"file", line.file}, {"line", line.number}};
            one.update(of(counts));
            if (const auto timing = k.line_timing.find(line); timing != k.line_timing.end())
                one["timing"] = members_of(timing->second);
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
                           {"rewritten_global_bytes", k.rewritten_global_bytes},
                           {"most_global_bytes", k.most_global_bytes},
                           {"most_atomics_on_one_address", k.most_atomics_on_one_address},
                           {"occupancy",
                            {{"resident_warps", k.occupancy.resident_warps},
                             {"max_warps", k.occupancy.max_warps},
                             {"limit", k.occupancy.limit}}},
                           {"total", of(k.total)},
                           {"lines", std::move(lines)}});
        if (k.timing) kernels.back()["timing"] = of(*k.timing);
    }
    Json buffers = Json::array();
    for (const BufferCounts& b : all.buffers)
        buffers.push_back({{"name", b.name},
                           {"bytes", b.bytes},
                           {"read_bytes", b.read_bytes},
                           {"stored_bytes", b.stored_bytes}});
    // Names come from the submission and need not be UTF-8.
    return Json{{"kernels", std::move(kernels)},
                {"host", members_of(all.host)},
                {"buffers", std::move(buffers)},
                {"distinct_bytes", all.distinct_bytes}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

// Chosen: counts have a depth of 6 and objects of some 20 keys.
constexpr JsonLimits limits{.depth = 16, .keys = 100};

void read(const Json& from, const char* key, std::uint64_t& to) {
    const auto at = from.find(key);
    to = at == from.end() ? 0 : number_of<std::uint64_t>(*at);
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

template <class T>
void read_members(const Json& from, T& to) {
    for_each_member(to, [&](const char* key, std::uint64_t& n) { read(from, key, n); });
}

TimingCounts timing_of(const Json& from) {
    TimingCounts t;
    read_members(from, t);
    for_each_atomic(t, [&](const char* key, AtomicLoad& a) {
        if (const auto at = from.find(key); at != from.end()) read_members(*at, a);
    });
    return t;
}

}  // namespace

Result<DeviceCounts> counts_from_json(std::string_view text) {
    const auto unreadable = [](const std::string& why) {
        return Error{.kind = ErrorKind::harness,
                     .message = "the emulator's counts cannot be read: " + clean(why, 300, false)};
    };
    DeviceCounts all;
    try {
        const auto document = parse_json<Json>(text, limits);
        for (const Json& from : document.at("kernels")) {
            KernelCounts k;
            k.kernel = from.at("kernel").get<std::string>();
            read(from, "launches", k.launches);
            read(from, "blocks", k.blocks);
            read(from, "threads", k.threads);
            k.grid = triple_of<std::uint32_t>(from.at("grid"));
            k.block = triple_of<std::uint32_t>(from.at("block"));
            read(from, "shared_bytes", k.shared_bytes);
            read(from, "distinct_global_bytes", k.distinct_global_bytes);
            read(from, "rewritten_global_bytes", k.rewritten_global_bytes);
            read(from, "most_global_bytes", k.most_global_bytes);
            read(from, "most_atomics_on_one_address", k.most_atomics_on_one_address);
            const Json& occupancy = from.at("occupancy");
            k.occupancy = {number_of<std::uint32_t>(occupancy.at("resident_warps")),
                           number_of<std::uint32_t>(occupancy.at("max_warps")),
                           occupancy.at("limit").get<std::string>()};
            k.total = counts_of(from.at("total"));
            for (const Json& line : from.at("lines")) {
                const Line at{line.at("file").get<std::string>(), number_of<int>(line.at("line"))};
                k.lines[at] = counts_of(line);
                if (const auto timing = line.find("timing"); timing != line.end())
                    read_members(*timing, k.line_timing[at]);
            }
            if (const auto timing = from.find("timing"); timing != from.end())
                k.timing = timing_of(*timing);
            all.kernels.push_back(std::move(k));
        }
        read_members(document.at("host"), all.host);
        read(document, "distinct_bytes", all.distinct_bytes);
        const auto buffers = document.find("buffers");
        for (const Json& from : buffers == document.end() ? Json::array() : *buffers) {
            BufferCounts b;
            b.name = from.at("name").get<std::string>();
            read(from, "bytes", b.bytes);
            read(from, "read_bytes", b.read_bytes);
            read(from, "stored_bytes", b.stored_bytes);
            all.buffers.push_back(std::move(b));
        }
    } catch (const JsonRefused& refused) {
        return unreadable(refused.why);
    } catch (const Json::exception& error) {
        return unreadable(error.what());
    }
    return all;
}

}  // namespace cugrade::emulator

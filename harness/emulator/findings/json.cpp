#include "emulator/findings/json.hpp"

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/printable.hpp"

namespace cugrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json of(const Place& p) { return {{"file", p.file}, {"line", p.line}, {"column", p.column}}; }

Json of(const std::vector<Place>& places) {
    Json all = Json::array();
    for (const Place& one : places) all.push_back(of(one));
    return all;
}

}  // namespace

std::string to_json(const FindingList& list) {
    Json findings = Json::array();
    for (const Finding& f : list.all) {
        Json one{{"kind", name_of(f.kind)}, {"message", f.message}, {"kernel", f.kernel},
                 {"block", f.block},        {"thread", f.thread},   {"place", of(f.place)},
                 {"buffer", f.buffer},      {"count", f.count}};
        if (!f.without_data.empty()) one["without_data"] = f.without_data;
        if (f.second) one["second"] = of(*f.second);
        if (!f.callers.empty()) one["callers"] = of(f.callers);
        if (!f.second_callers.empty()) one["second_callers"] = of(f.second_callers);
        findings.push_back(std::move(one));
    }
    // Names come from the submission and need not be UTF-8.
    return Json{{"findings", std::move(findings)}, {"dropped", list.dropped}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

namespace {

// Chosen: findings have a depth of 6 and objects of 12 keys.
constexpr JsonLimits limits{.depth = 16, .keys = 100};

Place place_of(const Json& from) {
    return {from.at("file").get<std::string>(), number_of<int>(from.at("line")),
            number_of<int>(from.at("column"))};
}

std::vector<Place> places_of(const Json& object, const char* key) {
    std::vector<Place> all;
    if (const auto found = object.find(key); found != object.end())
        for (const Json& one : *found) all.push_back(place_of(one));
    return all;
}

}  // namespace

Result<FindingList> findings_from_json(std::string_view text) {
    const auto unreadable = [](const std::string& why) {
        return Error{
            .kind = ErrorKind::harness,
            .message = "the emulator's findings cannot be read: " + clean(why, 300, false)};
    };
    FindingList list;
    try {
        const auto document = parse_json<Json>(text, limits);
        list.dropped = number_of<std::uint64_t>(document.at("dropped"));
        for (const Json& from : document.at("findings")) {
            Finding f;
            const auto word = from.at("kind").get<std::string>();
            const auto kind = finding_kind(word);
            if (!kind) return unreadable("there is no kind " + word);
            f.kind = *kind;
            f.message = from.at("message").get<std::string>();
            f.without_data = from.value("without_data", "");
            f.kernel = from.at("kernel").get<std::string>();
            f.block = triple_of<std::uint32_t>(from.at("block"));
            f.thread = triple_of<std::uint32_t>(from.at("thread"));
            f.place = place_of(from.at("place"));
            f.buffer = from.at("buffer").get<std::string>();
            f.count = number_of<std::uint64_t>(from.at("count"));
            if (const auto second = from.find("second"); second != from.end())
                f.second = place_of(*second);
            f.callers = places_of(from, "callers");
            f.second_callers = places_of(from, "second_callers");
            list.all.push_back(std::move(f));
        }
    } catch (const JsonRefused& refused) {
        return unreadable(refused.why);
    } catch (const Json::exception& error) {
        return unreadable(error.what());
    }
    return list;
}

}  // namespace cugrade::emulator

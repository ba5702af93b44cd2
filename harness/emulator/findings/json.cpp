#include "emulator/findings/json.hpp"

#include <nlohmann/json.hpp>

namespace cugrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json of(const Place& p) { return {{"file", p.file}, {"line", p.line}, {"column", p.column}}; }

Place place_of(const Json& from) {
    return {from.at("file").get<std::string>(), from.at("line").get<int>(),
            from.at("column").get<int>()};
}

}  // namespace

std::string to_json(const FindingList& list) {
    Json findings = Json::array();
    for (const Finding& f : list.all) {
        Json one{{"kind", name_of(f.kind)}, {"message", f.message}, {"kernel", f.kernel},
                 {"block", f.block},        {"thread", f.thread},   {"place", of(f.place)},
                 {"buffer", f.buffer},      {"count", f.count}};
        if (f.second) one["second"] = of(*f.second);
        findings.push_back(std::move(one));
    }
    // Names come from the submission and need not be UTF-8.
    return Json{{"findings", std::move(findings)}, {"dropped", list.dropped}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

Result<FindingList> findings_from_json(std::string_view text) {
    const auto unreadable = [](const std::string& why) {
        return Error{.kind = ErrorKind::harness,
                     .message = "the emulator's findings cannot be read: " + why};
    };
    FindingList list;
    try {
        const Json document = Json::parse(text);
        list.dropped = document.at("dropped").get<std::uint64_t>();
        for (const Json& from : document.at("findings")) {
            Finding f;
            const auto word = from.at("kind").get<std::string>();
            const auto kind = finding_kind(word);
            if (!kind) return unreadable("there is no kind " + word);
            f.kind = *kind;
            f.message = from.at("message").get<std::string>();
            f.kernel = from.at("kernel").get<std::string>();
            f.block = from.at("block").get<std::array<std::uint32_t, 3>>();
            f.thread = from.at("thread").get<std::array<std::uint32_t, 3>>();
            f.place = place_of(from.at("place"));
            f.buffer = from.at("buffer").get<std::string>();
            f.count = from.at("count").get<std::uint64_t>();
            if (const auto second = from.find("second"); second != from.end())
                f.second = place_of(*second);
            list.all.push_back(std::move(f));
        }
    } catch (const Json::exception& error) {
        return unreadable(error.what());
    }
    return list;
}

}  // namespace cugrade::emulator

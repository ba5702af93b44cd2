#include "cluster/plan.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "seal/hex.hpp"
#include "seal/private_file.hpp"

namespace cugrade::cluster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t code_digits = 64;
constexpr std::size_t most_of_a_plan = 64 << 20;  // chosen: 100,000 submissions
constexpr JsonLimits limits{.depth = 8, .keys = 64};
constexpr std::string_view plan_purpose = "cluster plan";

Error makes_no_sense(const char* what, const char* why) {
    return {.message = fmt::format("{} makes no sense: {}", what, why),
            .remedy = "both sides have to be the same cugrade"};
}

/// A path may have any bytes, and JSON holds UTF-8.
std::string digits_of(const fs::path& path) {
    const std::string& bytes = path.native();
    return seal::to_hex(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

/// Parses and reads; whatever is missing or of another type is an Error.
template <class T, class Read>
Result<T> read_json(std::string_view text, const char* what, Read&& read) {
    try {
        return read(parse_json<json>(text, limits));
    } catch (const JsonRefused& refused) {
        return makes_no_sense(what, refused.why.c_str());
    } catch (const json::exception& error) {
        return makes_no_sense(what, error.what());
    }
}

json to_json(const PlanOptions& options) {
    return {{"cugrade", options.cugrade},
            {"backend", options.backend},
            {"ptx_arch", options.ptx_arch},
            {"also_build", options.also_build},
            {"tasks", options.tasks},
            {"timing", options.timing},
            {"isolation", options.isolation},
            {"policy", options.policy},
            {"secret_file", options.secret_file},
            {"secret_code", options.secret_code},
            {"signed_by", options.signed_by},
            {"emulator_threads", options.emulator_threads},
            {"gpu_arch", options.gpu_arch}};
}

PlanOptions options_of(const json& from) {
    return {.cugrade = from.at("cugrade").get<std::string>(),
            .backend = from.at("backend").get<std::string>(),
            .ptx_arch = number_of<int>(from.at("ptx_arch")),
            .also_build = from.at("also_build").get<std::vector<int>>(),
            .tasks = from.at("tasks").get<std::vector<std::string>>(),
            .timing = from.at("timing").get<bool>(),
            .isolation = from.at("isolation").get<std::string>(),
            .policy = from.at("policy").get<std::string>(),
            .secret_file = from.at("secret_file").get<std::string>(),
            .secret_code = from.at("secret_code").get<std::string>(),
            .signed_by = from.at("signed_by").get<std::string>(),
            .emulator_threads = number_of<int>(from.at("emulator_threads")),
            .gpu_arch = number_of<int>(from.at("gpu_arch"))};
}

}  // namespace

Status write_coded(const fs::path& path, const seal::Key& key, std::string_view purpose,
                   std::initializer_list<std::string_view> place, std::string_view text) {
    std::string parts;
    for (const std::string_view part : place) parts += fmt::format("{}\n", part);
    std::string whole = key.mac(purpose, {parts, text});
    whole += '\n';
    whole += text;
    return seal::write_private(path, whole);
}

Result<std::string> read_coded(const fs::path& path, const seal::Key& key, std::string_view purpose,
                               std::initializer_list<std::string_view> place,
                               std::size_t most_bytes) {
    auto whole = seal::read_private(path, most_bytes);
    if (!whole) return whole;
    std::string parts;
    for (const std::string_view part : place) parts += fmt::format("{}\n", part);
    const std::string_view all(*whole);
    if (all.size() <= code_digits || all[code_digits] != '\n' ||
        !key.made(all.substr(0, code_digits), purpose, {parts, all.substr(code_digits + 1)}))
        return Error{.message = "this grader has not written this file for this place",
                     .file = path.string(),
                     .remedy = "all nodes have to see the same grader's key: docs/cluster.md"};
    return std::string(all.substr(code_digits + 1));
}

Status Plan::write(const fs::path& path, const seal::Key& key) const {
    json out{{"run", run}, {"options", to_json(options)}, {"items", json::array()}};
    for (const PlanItem& item : items)
        out["items"].push_back({item.assignment, item.student, digits_of(item.source)});
    std::string text;
    try {
        text = out.dump();
    } catch (const json::exception&) {
        return Error{.kind = ErrorKind::usage,
                     .message = "the path of the policy or of the secret's file is no UTF-8",
                     .remedy = "give them other names"};
    }
    if (text.size() > most_of_a_plan - code_digits - 1)
        return Error{.message = "the plan of this batch is too large",
                     .file = path.string(),
                     .remedy = "grade the class in several batches"};
    return write_coded(path, key, plan_purpose, {}, text);
}

Result<Plan> Plan::read(const fs::path& path, const seal::Key& key) {
    const auto text = read_coded(path, key, plan_purpose, {}, most_of_a_plan);
    if (!text) return text.error();
    return read_json<Plan>(*text, "the plan", [](const json& from) {
        Plan out{.run = from.at("run").get<std::string>(),
                 .options = options_of(from.at("options")),
                 .items = {}};
        for (const json& item : from.at("items")) {
            const auto source = seal::from_hex(item.at(2).get<std::string>());
            if (!source) throw JsonRefused{"a path is expected"};
            out.items.push_back({.assignment = item.at(0).get<std::string>(),
                                 .student = item.at(1).get<std::string>(),
                                 .source = *source});
        }
        return out;
    });
}

std::string text_of(const Graded& graded, std::string_view inputs) {
    const json out{
        {"inputs", std::string(inputs)},
        {"report", graded.report ? report::write_json(*graded.report, {}) : std::string()},
        {"facts", graded.facts},
        {"problem", graded.problem},
        {"of_the_course", graded.of_the_course}};
    // A problem may quote bytes that are no text.
    return out.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<Outcome> read_outcome(std::string_view text) {
    std::string report;
    auto out = read_json<Outcome>(text, "the result", [&](const json& from) {
        report = from.at("report").get<std::string>();
        return Outcome{.graded = {.report = {},
                                  .facts = from.at("facts").get<std::string>(),
                                  .problem = from.at("problem").get<std::string>(),
                                  .of_the_course = from.at("of_the_course").get<bool>()},
                       .inputs = from.at("inputs").get<std::string>()};
    });
    if (!out || report.empty()) return out;
    auto read = report::read_report(report);
    if (!read) return read.error();
    out->graded.report = *std::move(read);
    return out;
}

}  // namespace cugrade::cluster

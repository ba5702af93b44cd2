#include "report/seal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/seeds.hpp"
#include "report/formats.hpp"

namespace cugrade::report {
namespace {

using Tree = nlohmann::ordered_json;
using Sections = std::vector<ReportSeal::Section>;

constexpr const char* purpose = "report";

ReportSeal::Section section(std::string name, const Tree& value) {
    const nlohmann::json sorted = nlohmann::json::parse(value.dump());
    return {std::move(name), datasets::sha256(sorted.dump())};
}

/// In the order of the report. A task without a name, as no report has one, goes by its number.
Sections sections_of(const Tree& report) {
    Sections out;
    for (const auto& [key, value] : report.items()) {
        if (key == "seal") continue;
        if (key != "tasks" || !value.is_array()) {
            out.push_back(section(key, value));
            continue;
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            const bool named =
                value[i].is_object() && value[i].contains("name") && value[i]["name"].is_string();
            out.push_back(section(
                "tasks." + (named ? value[i]["name"].get<std::string>() : std::to_string(i)),
                value[i]));
        }
    }
    return out;
}

/// What the code and the signature cover.
std::string text_of(const Sections& sections) {
    Tree out = Tree::array();
    for (const auto& one : sections) out.push_back(Tree::array({one.name, one.sha256}));
    return "cugrade report 1\n" + out.dump();
}

/// Why the list of sections cannot be believed; empty if it can.
std::string why_not_believed(const ReportSeal& seal, const Trusted& trusted) {
    const std::string text = text_of(seal.sections);
    if (trusted.course) {
        if (seal.signature.empty()) return "it is not signed";
        if (trusted.course->signed_this(seal.signature, text)) return "";
        return seal.public_key == trusted.course->hex()
                   ? "its signature does not fit: the seal was changed"
                   : "it is signed with another key than this public key";
    }
    if (!trusted.key) return "there is no key to verify it with";
    if (trusted.key->made(seal.mac, purpose, {text})) return "";
    return seal.key_id == trusted.key->id() ? "its code does not fit: the seal was changed"
                                            : "it was sealed with another key than this grader's";
}

const ReportSeal::Section* find(const Sections& sections, const std::string& name) {
    const auto it = std::ranges::find(sections, name, &ReportSeal::Section::name);
    return it == sections.end() ? nullptr : &*it;
}

std::vector<std::string> differences(const Sections& then, const Sections& now) {
    std::vector<std::string> out;
    for (const auto& one : then) {
        const auto* there = find(now, one.name);
        if (there == nullptr)
            out.push_back(fmt::format("`{}` was taken out", one.name));
        else if (there->sha256 != one.sha256)
            out.push_back(fmt::format("`{}` was changed", one.name));
    }
    for (const auto& one : now)
        if (find(then, one.name) == nullptr) out.push_back(fmt::format("`{}` was added", one.name));
    if (out.empty() && then.size() != now.size()) out.emplace_back("a task was doubled");
    return out;
}

}  // namespace

Report sealed(Report report, const Sealer& sealer) {
    report = presentable(std::move(report));
    report.seal.reset();
    ReportSeal seal{.sections = sections_of(to_tree(report)),
                    .key_id = sealer.key.id(),
                    .mac = {},
                    .public_key = {},
                    .signature = {}};
    const std::string text = text_of(seal.sections);
    seal.mac = sealer.key.mac(purpose, {text});
    if (sealer.signing) {
        seal.public_key = sealer.signing->public_hex();
        seal.signature = sealer.signing->sign(text);
    }
    report.seal = std::move(seal);
    return report;
}

namespace {

/// YAML has comments, tags, anchors and directives, which are no values, so no seal is on them. Each
/// has a character that cugrade writes in texts only. The first of them that is there more often than
/// in the values; 0: none is.
char mark_without_value(std::string_view text, const Tree& tree) {
    const std::string values = tree.dump();
    for (const char mark : {'#', '%', '&', '*', '!'})
        if (std::ranges::count(text, mark) > std::ranges::count(values, mark)) return mark;
    return '\0';
}

}  // namespace

Result<std::vector<std::string>> what_was_changed(std::string_view text, const Trusted& trusted) {
    const auto tree = read_tree(text);
    if (!tree) return tree.error();
    const auto version = tree->find("schema_version");
    if (version == tree->end()) {
        return Error{.kind = ErrorKind::usage,
                     .message = "not a report of cugrade: the key is missing",
                     .key = "schema_version",
                     .remedy = "give a report in JSON or YAML, as cugrade wrote it"};
    }
    if (!tree->contains("seal")) return std::vector<std::string>{"it has no seal"};
    // Only the seal is decoded: the rest may have been changed into anything.
    ReportSeal seal;
    if (auto status = seal_from_tree((*tree)["seal"], seal); !status)
        return std::vector<std::string>{"its seal was changed: " + status.error().message};
    if (const std::string why = why_not_believed(seal, trusted); !why.empty())
        return std::vector<std::string>{why};
    auto changes = differences(seal.sections, sections_of(*tree));
    if (const char mark = mark_without_value(text, *tree); mark != '\0')
        changes.push_back(fmt::format("a `{}` was added that belongs to no value{}", mark,
                                      mark == '#' ? ": a comment" : ""));
    return changes;
}

}  // namespace cugrade::report

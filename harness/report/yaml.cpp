// YAML of the same tree as JSON. yaml-cpp's emitter does not quote texts such as `123`, `yes` or
// `1e5`, which would read back as something else, so texts are quoted here unless they can only be
// texts, under YAML 1.1 (which many readers still follow) and 1.2 alike.

#include <algorithm>
#include <array>
#include <cctype>

#include <yaml-cpp/yaml.h>

#include "report/formats.hpp"

namespace cugrade::report {
namespace {

using Tree = nlohmann::ordered_json;

constexpr std::size_t max_flow = 72;  // longer maps and lists take a line per entry

bool is_block(const std::string& text) {
    return text.ends_with('\n') && text.front() != ' ' && text.front() != '\t' &&
           text.front() != '\n';
}

bool is_flow(const Tree& tree) {
    return std::ranges::all_of(
               tree,
               [](const Tree& item) {
                   return item.is_primitive() &&
                          !(item.is_string() &&
                            item.get_ref<const std::string&>().find('\n') != std::string::npos);
               }) &&
           tree.dump().size() <= max_flow;
}

void emit(YAML::Emitter& out, const Tree& tree) {
    if (tree.is_object()) {
        if (is_flow(tree)) out << YAML::Flow;
        out << YAML::BeginMap;
        for (const auto& [key, value] : tree.items()) {
            out << YAML::Key << key << YAML::Value;
            emit(out, value);
        }
        out << YAML::EndMap;
    } else if (tree.is_array()) {
        if (is_flow(tree)) out << YAML::Flow;
        out << YAML::BeginSeq;
        for (const auto& item : tree) emit(out, item);
        out << YAML::EndSeq;
    } else if (tree.is_string()) {
        const auto& text = tree.get_ref<const std::string&>();
        if (is_block(text))
            out << YAML::Literal << text.substr(0, text.size() - 1);
        else if (is_plain(text))
            out << text;
        else
            out << YAML::DoubleQuoted << text;
    } else if (tree.is_null()) {
        out << YAML::Null;
    } else {
        auto number = tree.dump();
        // YAML 1.1 takes 1e-05 for a text and 1.0e-05 for a number.
        if (const auto e = number.find('e');
            e != std::string::npos && number.find('.') == std::string::npos)
            number.insert(e, ".0");
        out << number;
    }
}

}  // namespace

bool is_plain(const std::string& text) {
    static constexpr std::array<std::string_view, 9> words{"true", "false", "yes", "no", "on",
                                                           "off",  "null",  "y",   "n"};
    const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 && c < 0x80; };
    if (text.empty() || !letter(static_cast<unsigned char>(text.front())) || text.back() == ' ')
        return false;
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (std::ranges::find(words, lower) != words.end()) return false;
    return std::ranges::all_of(text, [&](unsigned char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' ||
               c == ' ' || c == '-';
    });
}

std::string write_yaml(const Report& report, const Style&) {
    YAML::Emitter out;
    emit(out, to_tree(presentable(report)));
    return std::string(out.c_str()) + "\n";
}

}  // namespace cugrade::report

// The way from the text of a report back to its structure. A report may come from anybody, so what
// two readers could understand in two ways is refused: a key that is there twice, YAML that means a
// text to one version and a number to another.

#include <set>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "report/formats.hpp"

namespace cugrade::report {
namespace {

using Tree = nlohmann::ordered_json;

constexpr int max_depth = 32;                 // chosen: a report has 8
constexpr std::size_t max_bytes = 256 << 20;  // chosen: far above any report

struct Refused {
    std::string why;
};

Tree from_json(std::string_view text) {
    std::vector<std::set<std::string>> keys;
    return Tree::parse(text, [&](int depth, Tree::parse_event_t event, Tree& parsed) {
        if (depth > max_depth) throw Refused{"it is nested too deeply"};
        if (event == Tree::parse_event_t::object_start) keys.emplace_back();
        if (event == Tree::parse_event_t::object_end) keys.pop_back();
        if (event == Tree::parse_event_t::key &&
            !keys.back().insert(parsed.get<std::string>()).second)
            throw Refused{fmt::format("the key `{}` is there twice", parsed.get<std::string>())};
        return true;
    });
}

/// A scalar without quotes: null, a number, or a text that needs none.
Tree from_plain(const std::string& text) {
    if (text == "~") return nullptr;
    if (is_plain(text)) return text;
    Tree number = Tree::parse(text);
    if (!number.is_number()) throw Refused{fmt::format("`{}` lacks quotes", text)};
    return number;
}

Tree from_yaml(const YAML::Node& node, int depth) {
    if (depth > max_depth) throw Refused{"it is nested too deeply"};
    switch (node.Type()) {
        case YAML::NodeType::Map: {
            Tree out = Tree::object();
            for (const auto& member : node) {
                const auto key = member.first.as<std::string>();
                if (out.contains(key))
                    throw Refused{fmt::format("the key `{}` is there twice", key)};
                out[key] = from_yaml(member.second, depth + 1);
            }
            return out;
        }
        case YAML::NodeType::Sequence: {
            Tree out = Tree::array();
            for (const auto& item : node) out.push_back(from_yaml(item, depth + 1));
            return out;
        }
        case YAML::NodeType::Scalar:
            return node.Tag() == "!" ? Tree(node.Scalar()) : from_plain(node.Scalar());
        case YAML::NodeType::Null: return nullptr;
        case YAML::NodeType::Undefined: break;
    }
    throw Refused{"it is no YAML of a report"};
}

}  // namespace

Result<Tree> read_tree(std::string_view text) {
    std::string why;
    try {
        if (text.size() > max_bytes)
            throw Refused{fmt::format("it has more than {} bytes", max_bytes)};
        const auto first = text.find_first_not_of(" \t\r\n");
        Tree tree = first != std::string_view::npos && text[first] == '{'
                        ? from_json(text)
                        : from_yaml(YAML::Load(std::string(text)), 0);
        if (!tree.is_object()) throw Refused{"an object is expected"};
        (void)tree.dump();  // refuses what is no UTF-8
        return tree;
    } catch (const Refused& refused) {
        why = refused.why;
    } catch (const nlohmann::json::exception& error) {
        why = error.what();
    } catch (const YAML::Exception& error) {
        why = error.what();
    }
    return Error{.kind = ErrorKind::configuration,
                 .message = "not a report of cugrade: " + why,
                 .remedy = "give a report in JSON or YAML, as cugrade wrote it"};
}

}  // namespace cugrade::report

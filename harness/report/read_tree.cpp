// The way from the text of a report back to its structure. A report may come from anybody, so what
// two readers could understand in two ways is refused: a key that is there twice, YAML that means a
// text to one version and a number to another.

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/yaml_document.hpp"
#include "report/formats.hpp"

namespace cugrade::report {
namespace {

using Tree = nlohmann::ordered_json;

// Chosen: a report has a depth of 8 and objects of some 30 keys, and is far below these sizes,
// which bound the memory that reading takes.
constexpr JsonLimits limits{.depth = 32, .keys = 1000};
constexpr std::size_t max_bytes = 64 << 20;
constexpr std::size_t max_yaml_bytes = 16 << 20;

/// A scalar without quotes: null, a number, or a text that needs none.
Tree from_plain(const std::string& text) {
    if (text == "~") return nullptr;
    if (is_plain(text)) return text;
    Tree number = Tree::parse(text);
    if (!number.is_number()) throw JsonRefused{fmt::format("`{}` lacks quotes", text)};
    return number;
}

/// Aliases let a short text stand for any number of values. This one has taken `bytes` more.
void take(std::size_t bytes, std::size_t& left) {
    if (bytes > left) throw JsonRefused{"it repeats itself by aliases"};
    left -= bytes;
}

/// `left`: for how many more bytes of text values may stand.
Tree from_yaml(const YAML::Node& node, int depth, std::size_t& left) {
    if (depth > limits.depth) throw JsonRefused{"it is nested too deeply"};
    take(1 + (node.IsScalar() ? node.Scalar().size() : 0), left);
    switch (node.Type()) {
        case YAML::NodeType::Map: {
            Tree out = Tree::object();
            for (const auto& member : node) {
                const auto key = member.first.as<std::string>();
                take(key.size(), left);
                if (out.contains(key))
                    throw JsonRefused{fmt::format("the key `{}` is there twice", key)};
                if (out.size() == limits.keys) throw JsonRefused{"it has too many keys"};
                out[key] = from_yaml(member.second, depth + 1, left);
            }
            return out;
        }
        case YAML::NodeType::Sequence: {
            Tree out = Tree::array();
            for (const auto& item : node) out.push_back(from_yaml(item, depth + 1, left));
            return out;
        }
        case YAML::NodeType::Scalar:
            return node.Tag() == "!" ? Tree(node.Scalar()) : from_plain(node.Scalar());
        case YAML::NodeType::Null: return nullptr;
        case YAML::NodeType::Undefined: break;
    }
    throw JsonRefused{"it is no YAML of a report"};
}

Tree from_yaml(const std::string& text) {
    if (text.size() > max_yaml_bytes)
        throw JsonRefused{fmt::format("it has more than {} bytes of YAML", max_yaml_bytes)};
    // An escape of two bytes may stand for three, and a missing value for none.
    std::size_t left = 2 * text.size() + 1;
    const YamlDocument document = load_yaml(text);
    if (!document.rest.is_null()) throw JsonRefused{"something follows it"};
    return from_yaml(document.root, 0, left);
}

}  // namespace

Result<Tree> read_tree(std::string_view text) {
    std::string why;
    try {
        if (text.size() > max_bytes)
            throw JsonRefused{fmt::format("it has more than {} bytes", max_bytes)};
        const auto first = text.find_first_not_of(" \t\r\n");
        Tree tree = first != std::string_view::npos && text[first] == '{'
                        ? parse_json<Tree>(text, limits)
                        : from_yaml(std::string(text));
        if (!tree.is_object()) throw JsonRefused{"an object is expected"};
        (void)tree.dump();  // refuses what is no UTF-8
        return tree;
    } catch (const JsonRefused& refused) {
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

// yaml-cpp is lenient where a grading policy must not be: it takes a key twice, converts text to
// numbers and back, and ends a file silently at byte 4. Here every node is read through Value,
// which knows its place in the file, and anything unexpected is a Fault.
//
// Tags tell how a scalar was written: yaml-cpp gives "?" to a plain one and "!" to a quoted one.

#include "config/yaml.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/closest.hpp"
#include "core/yaml_document.hpp"

namespace cugrade::config {
namespace {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr int max_depth = 32;  // chosen: these files have a depth of 8
// A double holds 2^53 as well, but also takes 2^53 + 1 for it.
constexpr std::int64_t max_exact = (std::int64_t{1} << 53) - 1;

[[noreturn]] void fail_at(const std::string& file, const YAML::Mark& mark, std::string path,
                          std::string message, std::string remedy) {
    throw Fault{Error{.kind = ErrorKind::configuration,
                      .message = std::move(message),
                      .file = file,
                      .line = mark.is_null() ? 0 : mark.line + 1,
                      .column = mark.is_null() ? 0 : mark.column + 1,
                      .key = std::move(path),
                      .remedy = std::move(remedy)}};
}

[[noreturn]] void fail_file(const std::string& file, std::string message, std::string remedy) {
    fail_at(file, YAML::Mark::null_mark(), "", std::move(message), std::move(remedy));
}

YAML::Mark first_indenting_tab(std::string_view text) {
    YAML::Mark place;
    for (std::size_t at = 0; at < text.size(); ++place.line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
        if (const std::size_t tab = indent.find('\t'); tab != std::string_view::npos) {
            place.column = static_cast<int>(tab);
            return place;
        }
        at = end + 1;
    }
    return YAML::Mark::null_mark();
}

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || text.empty()) return std::nullopt;
    // A number out of a double's range reads as infinite, so the caller's range check rejects it.
    if (error == std::errc::result_out_of_range) return HUGE_VAL;
    return value;
}

bool is_infinite_or_nan(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.starts_with('+') || lower.starts_with('-')) lower.erase(0, 1);
    if (lower.starts_with('.')) lower.erase(0, 1);
    return lower == "inf" || lower == "nan" || lower == "infinity";
}

bool is_boolean(std::string_view text) { return text == "true" || text == "false"; }

/// Refuses aliases that make more of the document than is written: by themselves they would let a
/// few lines stand for any number of values. `left`: how many values there may be.
void check_aliases(const std::string& file, const YAML::Node& node, int depth, std::size_t& left) {
    if (left-- == 0 || depth > max_depth)
        fail_at(file, node.Mark(), "",
                "the file is nested too deeply, or repeats itself by aliases",
                "write out what *NAME stands for");
    if (node.IsSequence())
        for (const auto& item : node) check_aliases(file, item, depth + 1, left);
    if (node.IsMap())
        for (const auto& pair : node) {
            check_aliases(file, pair.first, depth + 1, left);
            check_aliases(file, pair.second, depth + 1, left);
        }
}

template <class Words>
std::string listed(const Words& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

bool is_identifier(std::string_view text) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && letter(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void Value::fail(std::string message, std::string remedy) const {
    fail_at(*file_, mark_, path_, std::move(message), std::move(remedy));
}

bool Value::is_quoted() const { return node_.Tag() == "!"; }

void Value::wrong_type(std::string_view wanted) const {
    std::string got = "a map";
    if (node_.IsNull())
        got = "nothing";
    else if (node_.IsSequence())
        got = "a list";
    else if (node_.IsScalar())
        got = is_quoted() ? fmt::format("the text \"{}\"", node_.Scalar())
                          : fmt::format("`{}`", node_.Scalar());
    fail(fmt::format("{} is expected here, not {}", wanted, got),
         fmt::format("write {} here{}", wanted,
                     is_quoted() && !wanted.ends_with("text") ? ", without quotes" : ""));
}

std::string Value::scalar() const {
    if (!node_.IsScalar()) wrong_type("a single value");
    const std::string tag = node_.Tag();
    if (tag != "?" && tag != "!" && !tag.empty())
        fail(fmt::format("the tag {} is not used in these files", tag), "remove the tag");
    return node_.Scalar();
}

std::string Value::text() const {
    if (!node_.IsScalar()) wrong_type("a text");
    auto text = scalar();
    if (text.empty()) fail("this text is empty", "write a text here");
    if (!is_quoted() && (parse_number(text) || is_boolean(text)))
        fail(fmt::format("a text is expected here, not `{}`", text),
             "put it in double quotes if it is meant as a text");
    return text;
}

std::string Value::identifier() const {
    auto word = text();
    if (!is_identifier(word))
        fail(fmt::format("`{}` is not a name", word),
             "use letters, digits and underscores, and do not begin with a digit");
    return word;
}

double Value::number(double low, double high) const {
    if (!node_.IsScalar() || is_quoted()) wrong_type("a number");
    const auto written = scalar();
    const auto value = parse_number(written);
    if (is_infinite_or_nan(written) || (value && !std::isfinite(*value)))
        fail(fmt::format("{} is not a finite number that a double can hold", written),
             fmt::format("write a number from {} to {}", low, high));
    if (!value) wrong_type("a number");
    if (*value < low || *value > high)
        fail(fmt::format("{} is out of range", written),
             fmt::format("write a number from {} to {}", low, high));
    return *value;
}

std::int64_t Value::integer(std::int64_t low, std::int64_t high) const {
    low = std::max(low, -max_exact);
    high = std::min(high, max_exact);
    if (!node_.IsScalar() || is_quoted()) wrong_type("a whole number");
    if (!parse_number(scalar()) && !is_infinite_or_nan(scalar())) wrong_type("a whole number");
    const double value = number(static_cast<double>(low), static_cast<double>(high));
    if (value != std::floor(value))
        fail(fmt::format("{} is not a whole number", scalar()),
             fmt::format("write a whole number from {} to {}", low, high));
    return static_cast<std::int64_t>(value);
}

bool Value::boolean() const {
    if (!node_.IsScalar() || is_quoted() || !is_boolean(scalar())) wrong_type("true or false");
    return scalar() == "true";
}

std::uint64_t Value::bytes() const {
    constexpr std::string_view wanted = "a size such as 64MiB";
    if (!node_.IsScalar() || is_quoted()) wrong_type(wanted);
    const std::string written = scalar();
    std::uint64_t value = 0;
    const char* last = written.data() + written.size();
    const auto [end, error] = std::from_chars(written.data(), last, value);
    if (end == written.data()) wrong_type(wanted);
    constexpr std::array<std::pair<std::string_view, int>, 5> units{
        {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
    const auto* unit = std::ranges::find(units, std::string_view(end, last),
                                         &std::pair<std::string_view, int>::first);
    if (unit == units.end())
        fail(fmt::format("`{}` is not a size", written),
             "write a whole number of bytes, or one followed by KiB, MiB or GiB");
    // 2^50 bytes are beyond every machine, and far from overflow.
    if (error != std::errc{} || value == 0 || value > (std::uint64_t{1} << 50) >> unit->second)
        fail(fmt::format("{} is out of range", written), "write a size from 1 to 1048576GiB");
    return value << unit->second;
}

std::string Value::choice(std::initializer_list<std::string_view> words) const {
    if (!node_.IsScalar()) wrong_type(fmt::format("one of {}", listed(words)));
    const auto word = scalar();
    if (std::ranges::find(words, word) == words.end()) {
        const auto meant = closest(word, {words.begin(), words.end()});
        fail(fmt::format("`{}` is not known here{}", word,
                         meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant)),
             fmt::format("{}: {}", words.size() == 1 ? "the only value is" : "use one of",
                         listed(words)));
    }
    return word;
}

std::vector<Value> Value::list() const {
    if (!node_.IsSequence()) wrong_type("a list");
    std::vector<Value> out;
    for (const auto& item : node_)
        out.push_back(child(item, item.Mark(), fmt::format("{}[{}]", path_, out.size())));
    if (out.empty()) fail("this list is empty", "give at least one element, or leave the key out");
    return out;
}

Map Value::map() const {
    if (!node_.IsMap()) wrong_type("a map of keys and values");
    Map out(*this);
    std::map<std::string, int> lines;
    for (const auto& pair : node_) {
        if (!pair.first.IsScalar())
            child(pair.first, pair.first.Mark(), path_)
                .fail("this key is not a single word", "write keys as plain words");
        const auto key = pair.first.Scalar();
        const auto path = path_.empty() ? key : path_ + "." + key;
        const auto name = child(pair.first, pair.first.Mark(), path);
        // A key without a value has the mark of whatever follows: point at the key.
        const auto mark = pair.second.IsNull() ? pair.first.Mark() : pair.second.Mark();
        if (const auto [first, is_new] = lines.emplace(key, mark.line + 1); !is_new)
            name.fail(
                fmt::format("the key `{}` is given twice, first in line {}", key, first->second),
                "remove one of the two");
        out.entries_.push_back({key, name, child(pair.second, mark, path)});
    }
    return out;
}

Map Value::map(const std::vector<std::string>& known) const {
    auto out = map();
    out.only(known);
    return out;
}

void Map::only(const std::vector<std::string>& known) const {
    for (const auto& entry : entries_) {
        if (std::ranges::find(known, entry.key) != known.end()) continue;
        const auto meant = closest(entry.key, known);
        entry.name.fail(
            fmt::format("unknown key `{}`{}", entry.key,
                        meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant)),
            fmt::format("remove it; the keys here are {}", listed(known)));
    }
}

const Value* Map::find(std::string_view key) const {
    const auto it = std::ranges::find(entries_, key, &Entry::key);
    return it == entries_.end() ? nullptr : &it->value;
}

const Value& Map::at(std::string_view key) const {
    if (const auto* value = find(key)) return *value;
    whole_.fail(fmt::format("the key `{}` is missing", key), fmt::format("add `{}:` here", key));
}

void check_schema_version(const Map& map) {
    const auto& version = map.at("schema_version");
    if (const auto number = version.integer(1, 1000000); number != 1)
        version.fail(fmt::format("version {} of this format is not known to this cugrade", number),
                     "write `schema_version: 1`, or install a newer cugrade");
}

Value read_yaml(const std::filesystem::path& path, std::string* bytes) {
    const auto name = path.string();
    std::error_code status;
    if (std::filesystem::is_directory(path, status))
        fail_file(name, "this is a folder, not a file", "give the path of a YAML file");
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        const int why = errno;
        fail_file(name, fmt::format("cannot open the file: {}", std::strerror(why)),
                  why == EACCES && path.filename() == "assignment.yaml"
                      ? "it is for others: a course's hidden cases are for those who grade, "
                        "who are in the file's group (`ls -l`), and students work where "
                        "they are not installed"
                      : "check the path and the permissions");
    }
    std::string text(max_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad())
        fail_file(name, fmt::format("cannot read the file: {}", std::strerror(errno)),
                  "check the disk and the permissions");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_file_bytes)
        fail_file(name, "the file is larger than 1 MiB", "this is hardly a configuration file");

    YAML::Mark place;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if ((code < 32 && c != '\n' && c != '\r' && c != '\t') || code == 127)
            fail_at(name, place, "", fmt::format("control character {:#04x}", code),
                    "remove it; only text, spaces and line ends belong in the file");
        ++place.column;
        if (c == '\n') {
            ++place.line;
            place.column = 0;
        }
    }

    YamlDocument document;
    try {
        document = load_yaml(text);
    } catch (const YAML::Exception& error) {
        // The parser's own message about a tab would not help.
        if (const YAML::Mark tab = first_indenting_tab(text); !tab.is_null())
            fail_at(name, tab, "", "a tab in the indentation", "YAML is indented with spaces only");
        fail_at(name, error.mark, "", fmt::format("not YAML: {}", error.msg),
                "check indentation, brackets and quotes in this line and the one above");
    }
    if (document.root.IsNull() && document.rest.is_null())
        fail_file(name, "the file is empty", "see docs/ for what belongs into it");
    if (const auto at = document.rest; !at.is_null()) {
        const auto begin = std::min(static_cast<std::size_t>(at.pos), text.size());
        if (text.compare(begin, 3, "---") != 0)
            fail_at(name, at, "", "not YAML: nothing can follow what is in front of this",
                    "check indentation, brackets and quotes in this line and the one above");
        fail_at(name, at, "", "a second document begins here",
                "remove the line `---` and what follows it");
    }
    std::size_t left = 2 * text.size();  // a value has a byte, or one in front of it
    check_aliases(name, document.root, 0, left);
    if (bytes != nullptr) *bytes = text;
    const auto mark = document.root.Mark();
    return {document.root, mark, std::make_shared<const std::string>(name), ""};
}

}  // namespace cugrade::config

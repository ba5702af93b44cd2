// A strict view of a YAML file: every complaint carries file, line, column, key and remedy.
//
// Inside config/ a complaint unwinds as the exception Fault and becomes a Result at the loaders'
// surface, so that the code which reads a file is a list of what it expects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "core/error.hpp"

namespace cugrade::config {

struct Fault {
    Error error;
};

class Map;

/// One node of a file. All readers throw Fault.
class Value {
public:
    /// Message: one sentence without the place, which is added.
    [[noreturn]] void fail(std::string message, std::string remedy) const;

    /// A text; a plain number or boolean is not one.
    [[nodiscard]] std::string text() const;
    /// A scalar as it is written, number or text; quoted or not.
    [[nodiscard]] std::string scalar() const;
    /// A text of letters, digits and underscores that does not begin with a digit.
    [[nodiscard]] std::string identifier() const;
    /// A finite number in [low, high].
    [[nodiscard]] double number(double low, double high) const;
    /// A whole number in [low, high]; less than 2^53 in magnitude, so that a double
    /// holds it exactly.
    [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
    [[nodiscard]] bool boolean() const;
    /// Bytes: a whole number of at least 1, or one followed by B, KiB, MiB or GiB.
    [[nodiscard]] std::uint64_t bytes() const;
    /// One of `words`.
    [[nodiscard]] std::string choice(std::initializer_list<std::string_view> words) const;
    [[nodiscard]] bool is_list() const { return node_.IsSequence(); }
    /// The elements of a list that is not empty.
    [[nodiscard]] std::vector<Value> list() const;
    /// A map with any keys, each a scalar, none twice.
    [[nodiscard]] Map map() const;
    /// A map with keys out of `known` only.
    [[nodiscard]] Map map(const std::vector<std::string>& known) const;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    friend class Map;
    friend Value read_yaml(const std::filesystem::path&, std::string*);
    Value(YAML::Node node, YAML::Mark mark, std::shared_ptr<const std::string> file,
          std::string path)
        : node_(std::move(node)), mark_(mark), file_(std::move(file)), path_(std::move(path)) {}

    [[nodiscard]] Value child(const YAML::Node& node, const YAML::Mark& mark,
                              std::string path) const {
        return {node, mark, file_, std::move(path)};
    }
    [[noreturn]] void wrong_type(std::string_view wanted) const;
    [[nodiscard]] bool is_quoted() const;

    YAML::Node node_;
    YAML::Mark mark_;
    std::shared_ptr<const std::string> file_;
    std::string path_;  ///< "tasks[0].cases[2].n"; empty at the top
};

/// The entries of a map, in the order of the file.
class Map {
public:
    struct Entry {
        std::string key;
        Value name;  ///< the key itself, for complaints about it
        Value value;
    };

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const Value* find(std::string_view key) const;
    /// Throws for a missing key.
    [[nodiscard]] const Value& at(std::string_view key) const;
    [[nodiscard]] const Value& value() const { return whole_; }
    /// Throws for the first key that is not in `known`, naming the closest one that is.
    void only(const std::vector<std::string>& known) const;

private:
    friend class Value;
    explicit Map(Value whole) : whole_(std::move(whole)) {}
    Value whole_;
    std::vector<Entry> entries_;
};

/// The one document of a file. Throws Fault for a file that cannot be read, is empty, has a syntax
/// error, control characters or more than one document. `bytes`, if given, gets the file's
/// contents.
[[nodiscard]] Value read_yaml(const std::filesystem::path&, std::string* bytes = nullptr);

/// `schema_version: 1` must be there.
void check_schema_version(const Map&);

/// True for letters, digits and underscores, not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view);

/// Runs `read` and turns a Fault into the error of its Result.
template <class F>
auto guarded(F&& read) -> Result<decltype(read())> {
    try {
        return read();
    } catch (const Fault& fault) {
        return fault.error;
    }
}

}  // namespace cugrade::config

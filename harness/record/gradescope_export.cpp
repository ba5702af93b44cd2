#include "record/gradescope_export.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/utc.hpp"
#include "core/yaml_document.hpp"

namespace cugrade::record {
namespace {

constexpr const char* remedy = "give the file as Gradescope has exported it, or remove it";

/// What is wrong, on the way out of the reader.
struct Wrong {
    Error error;
};

class ExportReader {
public:
    explicit ExportReader(const std::string& file) : file_(file) {}

    std::vector<ExportedSubmission> read(std::string_view text) const {
        refuse_control_characters(text);
        const YAML::Node root = parsed(std::string(text));
        std::vector<ExportedSubmission> out;
        if (root.IsNull()) return out;
        if (!root.IsMap()) fail(root.Mark(), "", "this is no map from submissions to submitters");
        std::map<std::string, int> lines;
        for (const auto& entry : root) {
            const YAML::Mark mark = entry.first.Mark();
            if (!entry.first.IsScalar() || entry.first.Scalar().empty())
                fail(mark, "", "the name of a folder is expected here");
            ExportedSubmission next = submission(entry.first.Scalar(), mark, entry.second);
            if (const auto [same, is_new] = lines.try_emplace(next.name, next.line); !is_new)
                fail(mark, next.name,
                     fmt::format("this submission is in line {}, too", same->second));
            out.push_back(std::move(next));
        }
        return out;
    }

private:
    /// yaml-cpp takes some for the end of the file, and says nothing.
    void refuse_control_characters(std::string_view text) const {
        YAML::Mark mark;
        for (const char c : text) {
            if (c == '\n') ++mark.line;
            const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
            if (is_control && c != '\n' && c != '\r' && c != '\t')
                fail(mark, "", "a control character is in this line");
        }
    }

    [[nodiscard]] YAML::Node parsed(const std::string& text) const {
        try {
            const YamlDocument document = load_yaml(text);
            if (!document.rest.is_null()) fail(document.rest, "", "something follows the document");
            return document.root;
        } catch (const YAML::Exception& error) {
            fail(error.mark, "", "this is no YAML: " + error.msg);
        }
    }

    [[nodiscard]] ExportedSubmission submission(const std::string& name, const YAML::Mark& mark,
                                                const YAML::Node& value) const {
        if (!value.IsMap()) fail(mark, name, "a map with `:submitters:` is expected here");
        ExportedSubmission out{.name = name, .line = mark.line + 1, .submitters = {}};
        const YAML::Node submitters = value[":submitters"];
        if (!submitters) fail(mark, name, "the key `:submitters:` is missing");
        if (!submitters.IsSequence())
            fail(submitters.Mark(), name + ".:submitters", "a list of submitters is expected here");
        for (const auto& one : submitters) out.submitters.push_back(submitter(name, one));
        if (const YAML::Node at = value[":created_at"]; at && !at.IsNull())
            out.created_at = time(name, at);
        return out;
    }

    [[nodiscard]] Submitter submitter(const std::string& name, const YAML::Node& value) const {
        const std::string key = name + ".:submitters";
        if (!value.IsMap())
            fail(value.Mark(), key, "a map with `:name:`, `:sid:` and `:email:` is expected here");
        const auto text = [&](const char* of) -> std::string {
            const YAML::Node found = value[of];
            if (!found || found.IsNull()) return "";
            if (!found.IsScalar())
                fail(found.Mark(), key + "." + of, "a single value is expected here");
            return found.Scalar();
        };
        Submitter out{.name = text(":name"), .sid = text(":sid"), .email = text(":email")};
        if (id_of(out).empty())
            fail(value.Mark(), key, "a submitter has neither `:sid:` nor `:email:` nor `:name:`");
        return out;
    }

    [[nodiscard]] std::int64_t time(const std::string& name, const YAML::Node& value) const {
        const YAML::Node at = value.IsMap() ? value["utc"] : value;
        const std::string key = name + ".:created_at";
        if (!at || !at.IsScalar()) fail(value.Mark(), key, "a time is expected here");
        const auto out = unix_time(at.Scalar());
        if (!out)
            fail(at.Mark(), key,
                 fmt::format("`{}` is no time with a zone", printable(at.Scalar())));
        return *out;
    }

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& key,
                           std::string message) const {
        throw Wrong{{.kind = ErrorKind::configuration,
                     .message = std::move(message),
                     .file = file_,
                     .line = mark.is_null() ? 0 : mark.line + 1,
                     .key = printable(key),
                     .remedy = remedy}};
    }

    const std::string& file_;
};

}  // namespace

Result<std::vector<ExportedSubmission>> read_gradescope_export(std::string_view text,
                                                               const std::string& file) {
    try {
        return ExportReader(file).read(text);
    } catch (const Wrong& wrong) {
        return wrong.error;
    }
}

}  // namespace cugrade::record

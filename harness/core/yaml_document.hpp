// Reads YAML that somebody else wrote by yaml-cpp, for the rooms that use that library.
#pragma once

#include <sstream>
#include <string>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace cugrade {

struct YamlDocument {
    YAML::Node root;
    /// Where something follows that is no part of it: another document, or what is not YAML. Null:
    /// nothing does.
    YAML::Mark rest = YAML::Mark::null_mark();
};

/// The first document of a text. YAML::LoadAll() would tell of others, but in yaml-cpp up to 0.8 it
/// never returns if a comma follows a document. Throws YAML::Exception.
[[nodiscard]] inline YamlDocument load_yaml(const std::string& text) {
    class Starts final : public YAML::EventHandler {
    public:
        YAML::Mark last = YAML::Mark::null_mark();
        void OnDocumentStart(const YAML::Mark& mark) override { last = mark; }
        void OnDocumentEnd() override {}
        void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
        void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
        void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                      const std::string&) override {}
        void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                             YAML::EmitterStyle::value) override {}
        void OnSequenceEnd() override {}
        void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                        YAML::EmitterStyle::value) override {}
        void OnMapEnd() override {}
    } starts;
    std::istringstream in(text);
    YAML::Parser parser(in);
    YamlDocument out{.root = YAML::Load(text)};
    if (parser.HandleNextDocument(starts) && parser.HandleNextDocument(starts))
        out.rest = starts.last;
    return out;
}

}  // namespace cugrade

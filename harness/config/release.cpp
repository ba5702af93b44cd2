// Theory of operation. The file is read as a tree and written again, so what is not copied on
// purpose (comments, hidden cases, keys that nobody has declared public) cannot slip through. The
// text that results is read by the strict reader, as a student's cugrade will read it, and each
// case must come out as it is in the original.
#include "config/release.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/load.hpp"
#include "config/yaml.hpp"
#include "core/files.hpp"

namespace cugrade::config {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> public_keys{"schema_version", "id", "title", "forbidden",
                                                      "tasks"};
constexpr std::array<std::string_view, 8> public_task_keys{
    "name", "title", "function", "arguments", "cases", "model", "moves", "dynamic_parallelism"};

/// Writes a node in the style in which it was read. yaml-cpp marks quoted scalars with the tag "!",
/// which its own writer would print.
void write(YAML::Emitter& out, const YAML::Node& node) {
    const bool flow = node.Style() == YAML::EmitterStyle::Flow;
    if (node.IsMap()) {
        out << (flow ? YAML::Flow : YAML::Block) << YAML::BeginMap;
        for (const auto& entry : node) {
            out << YAML::Key << entry.first.Scalar() << YAML::Value;
            write(out, entry.second);
        }
        out << YAML::EndMap;
    } else if (node.IsSequence()) {
        out << (flow ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
        for (const auto& item : node) write(out, item);
        out << YAML::EndSeq;
    } else {
        if (node.Tag() == "!") out << YAML::DoubleQuoted;
        out << node.Scalar();
    }
}

std::string text_of(std::string_view heading, const YAML::Node& root) {
    YAML::Emitter out;
    write(out, root);
    return fmt::format("# {}\n{}\n", heading, out.c_str());
}

template <class Keys>
void require_public(const YAML::Node& map, const Keys& known, const fs::path& file) {
    for (const auto& entry : map)
        if (std::ranges::find(known, entry.first.Scalar()) == known.end())
            throw Fault{Error{.kind = ErrorKind::configuration,
                              .message = "cugrade does not know whether students may see this key",
                              .file = file.string(),
                              .line = entry.first.Mark().line + 1,
                              .key = entry.first.Scalar(),
                              .remedy = "remove the key, or make it public in "
                                        "harness/config/release.cpp"}};
}

/// The number of cases that an entry stands for: its lists of parameters have so many combinations.
int count(const YAML::Node& entry) {
    std::size_t out = 1;
    for (const auto& part : entry)
        if (part.second.IsSequence()) out *= part.second.size();
    return static_cast<int>(out);
}

/// Replaces each run of hidden cases by `{withheld: N}`. Returns how many they are.
int withhold(YAML::Node task) {
    YAML::Node kept(YAML::NodeType::Sequence);
    kept.SetStyle(task["cases"].Style());
    int total = 0, run = 0;
    const auto end_run = [&] {
        if (run == 0) return;
        YAML::Node placeholder;
        placeholder.SetStyle(YAML::EmitterStyle::Flow);
        placeholder["withheld"] = run;
        kept.push_back(placeholder);
        run = 0;
    };
    for (const auto& entry : task["cases"]) {
        const auto visibility = entry["visibility"];
        if (entry["withheld"]) {
            run += entry["withheld"].as<int>();
        } else if (visibility && visibility.Scalar() == "hidden") {
            run += count(entry);
            total += count(entry);
        } else {
            end_run();
            kept.push_back(entry);
        }
    }
    end_run();
    task["cases"] = kept;
    return total;
}

bool same(const CaseSpec& a, const CaseSpec& b) {
    return a.id == b.id && a.visibility == b.visibility && a.needs_gpu == b.needs_gpu &&
           a.timed == b.timed && a.params == b.params &&
           std::ranges::equal(a.data, b.data, [](const auto& x, const auto& y) {
               return x.first == y.first && x.second.generator == y.second.generator &&
                      x.second.numbers == y.second.numbers && x.second.file == y.second.file;
           });
}

/// A case of `task` that is not hidden and that `released` lacks or has otherwise; 0: none.
int lost_case(const TaskSpec& task, const TaskSpec& released) {
    for (const auto& [all, kept] :
         {std::pair(&task.cases, &released.cases), std::pair(&task.model, &released.model)})
        for (const CaseSpec& spec : *all)
            if (spec.visibility == Visibility::open &&
                std::ranges::none_of(*kept, [&](const CaseSpec& k) { return same(spec, k); }))
                return spec.id;
    return 0;
}

void add_files(const std::vector<CaseSpec>& cases, std::set<std::string>& files) {
    for (const CaseSpec& spec : cases)
        for (const auto& [argument, data] : spec.data)
            if (!data.file.empty()) files.insert(data.file);
}

/// Reads the text as a student's cugrade will, in a folder of the same name with the same data.
Result<AssignmentSpec> read_back(const AssignmentSpec& original, const std::string& yaml,
                                 const std::set<std::string>& files) {
    const auto temporary = TemporaryFolder::make("release");
    if (!temporary) return temporary.error();
    const fs::path folder = temporary->path() / original.id;
    std::error_code error;
    fs::create_directories(folder, error);
    for (const std::string& file : files) {
        fs::create_directories((folder / file).parent_path(), error);
        fs::copy_file(original.folder / file, folder / file, error);
        if (error) return cannot("copy", original.folder / file, error.value());
    }
    std::ofstream(folder / "assignment.yaml") << yaml;
    return load_assignment(folder);
}

PublicAssignment release(const AssignmentSpec& original) {
    const fs::path file = original.folder / "assignment.yaml";
    for (const TaskSpec& task : original.tasks)
        if (const CaseSpec* timed = task.timed_case();
            timed != nullptr && timed->visibility == Visibility::hidden)
            throw Fault{
                Error{.kind = ErrorKind::configuration,
                      .message = fmt::format("the timed case of {} is hidden, and without it a "
                                             "student's cugrade can judge no speed",
                                             task.name),
                      .file = file.string(),
                      .key = task.name,
                      .remedy = "remove `visibility: hidden` from the timed case"}};
    YAML::Node root = YAML::LoadFile(file.string());
    require_public(root, public_keys, file);
    PublicAssignment out{.id = original.id, .yaml = {}, .files = {}};
    for (YAML::Node task : root["tasks"]) {
        require_public(task, public_task_keys, file);
        out.withheld += withhold(task);
    }
    out.yaml = text_of(
        "Signatures and public cases. {withheld: N} keeps the places of hidden ones.", root);
    std::set<std::string> files;
    for (const TaskSpec& task : original.tasks) {
        std::vector<CaseSpec> open = task.cases;
        std::erase_if(open, [](const auto& c) { return c.visibility == Visibility::hidden; });
        out.public_cases += static_cast<int>(open.size());
        add_files(open, files);
        add_files(task.model, files);
    }
    out.files.assign(files.begin(), files.end());
    const auto released = read_back(original, out.yaml, files);
    if (!released) throw Fault{released.error()};
    for (std::size_t i = 0; i < original.tasks.size(); ++i)
        if (const int id = lost_case(original.tasks[i], released->tasks.at(i)); id != 0)
            throw Fault{Error{.message = fmt::format("case {} of {} comes out otherwise than it is",
                                                     id, original.tasks[i].name),
                              .file = file.string(),
                              .remedy = "report this as a bug of cugrade"}};
    return out;
}

}  // namespace

Result<PublicAssignment> public_assignment(const fs::path& folder) {
    const auto original = load_assignment(folder);
    if (!original) return original.error();
    return guarded([&] { return release(*original); });
}

Result<std::string> public_policy(const fs::path& file, const std::string& id) {
    return guarded([&] {
        (void)read_yaml(file);  // its errors have line and remedy
        YAML::Node root = YAML::LoadFile(file.string());
        YAML::Node kept;
        for (const char* key : {"schema_version", "defaults"})
            if (root[key]) kept[key] = root[key];
        if (!root["assignments"] || !root["assignments"].IsMap() || !root["assignments"][id])
            throw Fault{Error{.kind = ErrorKind::usage,
                              .message = fmt::format("the policy does not grade `{}`", id),
                              .file = file.string(),
                              .key = "assignments",
                              .remedy = "add the assignment with its points, or name another "
                                        "policy with --policy"}};
        YAML::Node only;
        only[id] = root["assignments"][id];
        kept["assignments"] = only;
        return text_of(fmt::format("Points and limits of {}.", id), kept);
    });
}

}  // namespace cugrade::config

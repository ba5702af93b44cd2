// Any text is what each reader of the grader's files takes it for, or is refused with the place and
// a remedy. What is accepted can be written again and then says the same.
//
// The files: assignment.yaml (its id has to be `fuzz`), grading.yaml, a device's profile,
// cluster.yaml, a report in JSON or YAML, a key, a public key of a course.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/replay_command.hpp"
#include "config/cluster.hpp"
#include "config/load.hpp"
#include "config/release.hpp"
#include "input.hpp"
#include "report/formats.hpp"
#include "report/seal.hpp"
#include "seal/key.hpp"
#include "seal/signature.hpp"

namespace {

using namespace cugrade;
namespace fs = std::filesystem;

/// A folder of an assignment, in memory.
class Folder {
public:
    Folder() {
        std::string name = "/dev/shm/cugrade-fuzz-XXXXXX";
        fuzz::require(mkdtemp(name.data()) != nullptr);
        top_ = name;
        fs::create_directory(path());
        write("data.npy", "bytes");  // what a case may name
        // Reading back what students get makes a folder for each input.
        ::setenv("TMPDIR", top_.c_str(), 1);
    }
    ~Folder() {
        std::error_code error;
        fs::remove_all(top_, error);
    }
    [[nodiscard]] fs::path path() const { return top_ / "fuzz"; }
    fs::path write(const char* name, std::string_view text) const {
        std::ofstream out(path() / name, std::ios::binary);
        out << text << std::flush;
        if (!out) {  // no defect: somebody has removed the folder, or there is no room
            std::perror((path() / name).c_str());
            std::_Exit(1);
        }
        return path() / name;
    }

private:
    fs::path top_;
};

/// Every complaint about a file's content has its line, except about the file as a whole.
void require_place(const Error& error) {
    fuzz::require(!error.message.empty() && !error.remedy.empty() && !error.file.empty());
    fuzz::require(error.line > 0 || error.message.starts_with("the file is "));
    fuzz::require(error.kind == ErrorKind::configuration);
}

void read_assignment(const Folder& folder, std::string_view text) {
    folder.write("assignment.yaml", text);
    const auto spec = config::load_assignment(folder.path());
    if (!spec) return require_place(spec.error());
    for (const TaskSpec& task : spec->tasks)
        for (const auto* cases : {&task.cases, &task.model})
            for (const CaseSpec& one : *cases)
                for (const ArgumentSpec& argument : task.arguments)
                    for (const std::string& dimension : argument.shape)
                        fuzz::require(one.params.contains(dimension) || std::stod(dimension) >= 1);
    // Writes it for students and reads that back, case by case.
    const auto released = config::public_assignment(folder.path());
    if (!released)
        fuzz::require(released.error().remedy != "report this as a bug of cugrade" &&
                      released.error().message.find("the timed case of") == 0);
}

void read_policy(const Folder& folder, std::string_view text) {
    static const auto specs = config::load_assignments(CUGRADE_SOURCE_DIR "/assignments");
    fuzz::require(specs.ok());
    const auto policy = config::load_policy(folder.write("grading.yaml", text), *specs);
    if (!policy) return require_place(policy.error());
    for (const auto& [id, graded] : policy->assignments) {
        const auto shown = config::public_policy(folder.path() / "grading.yaml", id);
        fuzz::require(shown.ok());
        const auto again = config::load_policy(folder.write("public.yaml", *shown), *specs);
        fuzz::require(again.ok() && again->assignments.size() == 1);
        for (const auto& [name, task] : graded.tasks)
            fuzz::require(std::isfinite(task.points()) &&
                          again->assignments.at(id).tasks.at(name).points() == task.points());
    }
}

void read_report(std::string_view text) {
    static const seal::Key key = *seal::Key::from_hex(std::string(64, '1'));
    const auto found = report::read_tree(text);
    fuzz::require_reason(found);
    if (!found) return;
    if (found->contains("seal"))
        fuzz::require_reason(report::what_was_changed(text, {.key = key, .course = std::nullopt}));
    const auto read = report::from_tree(*found);
    fuzz::require_reason(read);
    if (!read) return;
    const Report shown = report::presentable(*read);
    const auto tree = report::to_tree(shown);
    for (const auto& format : report::formats()) {
        const bool is_read_back = format.name == "yaml" || format.name == "json";
        // Tables take longest, and some of the others hold one.
        if (!is_read_back && text.size() % 4 != 0) continue;
        const std::string written = format.write(*read, {.unicode = false});
        if (!is_read_back) continue;
        const auto again = report::read_report(written);
        fuzz::require(again.ok() && report::to_tree(report::presentable(*again)) == tree);
    }
    fuzz::require_reason(cli::replay_command(*read));
    if (text.size() % 4 != 1) return;
    const auto intact = report::what_was_changed(
        report::write_json(report::sealed(*read, {.key = key, .signing = {}}), {}),
        {.key = key, .course = std::nullopt});
    fuzz::require(intact.ok() && intact->empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Folder folder;
    const std::string_view text = fuzz::text_of(data, size);
    // Parsing YAML takes most of the time, so a reader mostly gets what has one of its own keys.
    const auto is_for = [&](std::string_view key) {
        return size % 16 == 0 || text.find(key) != std::string_view::npos;
    };
    if (is_for("function")) read_assignment(folder, text);
    if (is_for("assignments")) read_policy(folder, text);
    if (is_for("sources")) {
        folder.write("device.yaml", text);
        const auto device = config::load_device(folder.path(), "device");
        if (!device) require_place(device.error());
    }
    if (is_for("cpus")) {
        const auto cluster = config::load_cluster(folder.write("cluster.yaml", text));
        if (!cluster) require_place(cluster.error());
    }
    read_report(text);
    fuzz::require_reason(seal::Key::from_hex(text));
    if (text.starts_with("-----"))
        fuzz::require_reason(seal::PublicKey::read(folder.write("course.pub", text)));
    return 0;
}

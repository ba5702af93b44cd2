#include "cli/batch_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/choices.hpp"
#include "core/ascii.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "handin/archive_name.hpp"
#include "record/alike.hpp"
#include "record/gradescope_export.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> out;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        out.push_back(it->path());
    if (error) {
        Error why = cannot("read", folder, error.value());
        why.kind = ErrorKind::usage;
        if (why.remedy.empty()) why.remedy = "give the folder or archive of the submissions";
        return why;
    }
    std::ranges::sort(out);
    return out;
}

/// A link to a folder does not count: it may lead to files that are not the student's.
bool is_folder(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(fs::symlink_status(path, error));
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// A link to an archive does not count, as none to a folder does.
bool is_archive(const fs::path& path) {
    std::error_code error;
    return handin::kind_of(path.filename().string()) == handin::ArchiveName::opened &&
           fs::is_regular_file(fs::symlink_status(path, error));
}

bool is_online_text(const fs::path& path) {
    return path.filename().string().find("_assignsubmission_onlinetext") != std::string::npos;
}

bool is_submission(const fs::path& path) {
    return !is_hidden(path) && !is_online_text(path) &&
           (is_folder(path) || path.extension() == ".cu" || is_archive(path));
}

std::string why_not(const fs::path& entry) {
    std::error_code error;
    if (is_online_text(entry)) return "what was written into a text field of Moodle";
    if (is_hidden(entry)) return "hidden; if it is a submission, give it a name without the dot";
    if (fs::is_symlink(fs::symlink_status(entry, error)))
        return "a link, and none is followed; put there what it leads to";
    std::string extension = entry.extension().string();
    std::ranges::transform(extension, extension.begin(), to_small);
    if (extension == ".cu") return "nvcc wants .cu in small letters";
    return handin::kind_of(entry.filename().string()) == handin::ArchiveName::other
               ? "an archive; unpack it into a folder of this name"
               : "not a .cu file";
}

/// Whether the entry is no submission. The plan then reports it, but for what hides for good
/// reasons: .git, .DS_Store, and the ._x.cu that macOS puts beside x.cu.
bool passed_over(const fs::path& entry, BatchPlan& plan) {
    if (is_submission(entry)) return false;
    const std::string name = entry.filename().string();
    if (!is_hidden(entry) || (name.ends_with(".cu") && !name.starts_with("._")))
        plan.passed_over.push_back(entry.string() + ": " + why_not(entry));
    return true;
}

bool holds_source(const std::vector<fs::path>& entries) {
    return std::ranges::any_of(entries, [](const fs::path& entry) {
        return !is_folder(entry) && entry.extension() == ".cu";
    });
}

/// What systems put beside a student's files.
bool is_left_behind(const fs::path& entry) {
    return is_hidden(entry) || entry.filename() == "__MACOSX";
}

/// The folder in which the sources lie: of an archive that was unpacked, or of a project with its
/// sources in src/, mostly one below. The folder itself if it has some, or where nobody can tell.
fs::path folder_of_sources(const fs::path& folder) {
    constexpr int deepest = 4;
    fs::path at = folder;
    for (int depth = 0; depth < deepest; ++depth) {
        auto entries = entries_of(at);
        if (!entries) return folder;
        if (holds_source(*entries)) return at;
        std::erase_if(*entries, [](const fs::path& entry) {
            return !is_folder(entry) || is_left_behind(entry);
        });
        if (entries->size() != 1) return folder;
        at = entries->front();
    }
    return folder;
}

/// Moodle puts what a student handed in into a folder. If that is one archive and nothing else, the
/// archive; else the entry itself.
fs::path archive_in(const fs::path& entry) {
    if (!is_folder(entry)) return entry;
    auto entries = entries_of(entry);
    if (!entries) return entry;
    std::erase_if(*entries, is_left_behind);
    return entries->size() == 1 && is_archive(entries->front()) ? entries->front() : entry;
}

/// What a roster says of an item; `shown` is for the list of those who are not in it.
void set_student(record::Named named, const std::string& shown, BatchItem& item, BatchPlan& plan) {
    item.is_late = named.is_late;
    item.participant = named.participant;
    if (named.student != nullptr) {
        item.student = safe_name(named.student->id);
        item.listed = named.student;
    } else {
        if (named.needs_column && !plan.fault_of_roster)
            plan.fault_of_roster = Error{.kind = ErrorKind::usage,
                                         .message = "nobody can tell whose this is",
                                         .file = shown,
                                         .key = "--roster",
                                         .remedy = named.problem};
        plan.unlisted.push_back(shown + (named.problem.empty() ? "" : ": " + named.problem));
    }
}

/// What the hand-in is called.
std::string name_of(const fs::path& entry) {
    const std::string file = entry.filename().string();
    if (is_folder(entry)) return file;
    return is_archive(entry) ? handin::stem_of(file) : entry.stem().string();
}

/// What is handed in, as if its name were the student's.
BatchItem item_of(const fs::path& entry, const AssignmentSpec& assignment) {
    const fs::path source = archive_in(entry);
    BatchItem out{safe_name(name_of(entry)), &assignment, source, entry};
    out.is_archive = is_archive(source);
    if (!out.is_archive) out.source = source_of(source);
    return out;
}

using Exported = std::vector<record::ExportedSubmission>;

/// A link does not count: it may lead to a file that nobody has exported.
bool is_metadata(const fs::path& entry) {
    std::error_code error;
    return entry.filename() == record::gradescope_metadata &&
           fs::is_regular_file(fs::symlink_status(entry, error));
}

/// What Gradescope's metadata in this folder say; nothing if there are none.
Result<Exported> exported_in(const fs::path& folder) {
    const fs::path file = folder / record::gradescope_metadata;
    if (!is_metadata(file)) return Exported{};
    const auto text = read_file(file);
    if (!text) return text.error();
    return record::read_gradescope_export(*text, file.string());
}

/// What the metadata say of an entry; null: nothing.
const record::ExportedSubmission* find(const Exported& exported, const fs::path& entry) {
    const auto found =
        std::ranges::find(exported, entry.filename().string(), &record::ExportedSubmission::name);
    return found == exported.end() ? nullptr : &*found;
}

/// "Ada Lovelace, 5107, ada@example.edu", as far as it is told.
std::string text_of(const record::Submitter& who) {
    std::string out;
    for (const std::string& one : {who.name, who.sid, who.email})
        if (!one.empty()) out += (out.empty() ? "" : ", ") + printable(one);
    return out;
}

/// What the names in a folder of hand-ins mean.
struct Naming {
    const record::Roster* roster = nullptr;
    Exported exported;
    std::string hidden;  ///< record::word_for_hidden_names()
};

/// Of an entry that nothing but its name tells about.
std::vector<BatchItem> named_items(BatchItem whole, const Naming& naming, BatchPlan& plan) {
    const std::string name = name_of(whole.entry);
    if (const auto moodle = record::moodle_name(name); moodle && moodle->name == naming.hidden) {
        whole.student = safe_name(moodle->name + " " + moodle->number);
        whole.participant = moodle->number;
        return {whole};
    }
    if (naming.roster == nullptr) return {whole};
    record::Named named = naming.roster->whose(name);
    const auto members = named.student == nullptr ? naming.roster->members(name)
                                                  : std::vector<const record::Student*>();
    if (members.empty()) {
        set_student(std::move(named), whole.entry.string(), whole, plan);
        return {whole};
    }
    std::vector<BatchItem> out;
    for (const record::Student* member : members)
        set_student({.student = member}, whole.entry.string(), out.emplace_back(whole), plan);
    return out;
}

/// One item for each submitter of a group, with the same source; and one where nobody is named.
std::vector<BatchItem> items_of(const fs::path& entry, const AssignmentSpec& assignment,
                                const Naming& naming, BatchPlan& plan) {
    const record::ExportedSubmission* known = find(naming.exported, entry);
    BatchItem whole = item_of(entry, assignment);
    if (known != nullptr) whole.handed_in_at = known->created_at;
    if (known == nullptr || known->submitters.empty())
        return named_items(std::move(whole), naming, plan);
    std::vector<BatchItem> out;
    for (const record::Submitter& who : known->submitters) {
        BatchItem& item = out.emplace_back(whole);
        item.student = safe_name(record::id_of(who));
        if (naming.roster != nullptr)
            set_student(naming.roster->whose(who), entry.string() + ": " + text_of(who), item,
                        plan);
    }
    return out;
}

void tell_absent(const Exported& exported, const std::vector<fs::path>& entries,
                 const fs::path& folder, BatchPlan& plan) {
    for (const record::ExportedSubmission& one : exported)
        if (std::ranges::none_of(entries, [&](const fs::path& entry) {
                return entry.filename().string() == one.name;
            }))
            plan.absent.push_back(fmt::format("{} ({}:{})", printable(one.name),
                                              (folder / record::gradescope_metadata).string(),
                                              one.line));
}

void add_item(BatchItem next, const fs::path& entry, BatchPlan& plan) {
    const auto first = std::ranges::find_if(plan.items, [&](const BatchItem& item) {
        return item.student == next.student && item.assignment == next.assignment;
    });
    if (first == plan.items.end())
        plan.items.push_back(std::move(next));
    else if (first->source != next.source)  // else Gradescope names somebody twice
        first->problem = fmt::format("two submissions: {} and {}; remove one of them",
                                     first->source.string(), entry.string());
}

Status add_submissions(const fs::path& folder, const AssignmentSpec& assignment,
                       const record::Roster* roster, BatchPlan& plan) {
    auto entries = entries_of(folder);
    if (!entries) return entries.error();
    auto exported = exported_in(folder);
    if (!exported) return exported.error();
    std::vector<std::string> names;
    for (const fs::path& entry : *entries)
        if (is_submission(entry)) names.push_back(name_of(entry));
    const Naming naming{roster, *std::move(exported), record::word_for_hidden_names(names)};
    for (const fs::path& entry : *entries) {
        if (is_metadata(entry) || passed_over(entry, plan)) continue;
        for (BatchItem& next : items_of(entry, assignment, naming, plan))
            add_item(std::move(next), entry, plan);
    }
    if (plan.fault_of_roster) return *plan.fault_of_roster;
    tell_absent(naming.exported, *entries, folder, plan);
    return Done{};
}

/// Of each assignment that somebody handed in: the students of the roster who did not.
std::vector<Missing> missing_of(const std::vector<BatchItem>& items, const record::Roster& roster) {
    std::vector<Missing> out;
    for (auto first = items.begin(); first != items.end();) {
        const AssignmentSpec* assignment = first->assignment;
        const auto next = std::find_if(first, items.end(), [&](const BatchItem& item) {
            return item.assignment != assignment;
        });
        for (const record::Student& student : roster.students())
            if (std::none_of(first, next,
                             [&](const BatchItem& item) { return item.listed == &student; }))
                out.push_back({safe_name(student.id), assignment, &student});
        first = next;
    }
    return out;
}

/// Pairs of an assignment's students whose names are the same but for case or Unicode
/// normalisation.
std::vector<std::string> alike_students(const std::vector<BatchItem>& items) {
    std::map<std::pair<std::string_view, std::string>, std::string_view> seen;
    std::vector<std::string> out;
    for (const BatchItem& item : items) {
        const auto [first, is_new] =
            seen.try_emplace({item.assignment->id, record::as_read(item.student)}, item.student);
        if (!is_new)
            out.push_back(fmt::format("{} and {} ({}): rename one if they are one student",
                                      first->second, item.student, item.assignment->id));
    }
    return out;
}

/// The error of a folder without submissions.
Error nothing_in(const fs::path& folder, const BatchPlan& plan) {
    if (!plan.left_out.empty())
        return {.kind = ErrorKind::usage,
                .message = "no submission of an assignment that is graded",
                .file = folder.string(),
                .remedy = plan.left_out.front()};
    const std::string found =
        plan.passed_over.empty() ? "" : " (there is " + plan.passed_over.front() + ")";
    return {.kind = ErrorKind::usage,
            .message = "no submission: no .cu file, no folder and no archive" + found,
            .file = folder.string(),
            .remedy = "give the folder in which the submissions lie"};
}

}  // namespace

fs::path source_of(fs::path entry) {
    if (!is_folder(entry)) return entry;
    entry = folder_of_sources(entry);
    const auto submission = read_submission(entry);
    if (!submission || !submission->problem.empty() || submission->files.size() != 1) return entry;
    const fs::path file = entry / submission->files[0].name;
    std::error_code error;
    return fs::exists(file, error) ? file : entry;  // it may be compiled under another name
}

Result<BatchPlan> plan_batch(const fs::path& folder, const std::vector<AssignmentSpec>& assignments,
                             const AssignmentSpec* assignment, const std::vector<LeftOut>& left_out,
                             const record::Roster* roster) {
    auto out = plan_watch(folder, assignments, assignment, left_out, roster);
    if (!out || !out->items.empty()) return out;
    return nothing_in(folder, *out);
}

Result<BatchPlan> plan_watch(const fs::path& folder, const std::vector<AssignmentSpec>& assignments,
                             const AssignmentSpec* assignment, const std::vector<LeftOut>& left_out,
                             const record::Roster* roster) {
    BatchPlan out;
    auto entries = entries_of(folder);
    if (!entries) return entries.error();
    const auto belongs = [&](const fs::path& entry) {
        return is_folder(entry) && find_assignment(assignments, entry.filename().string()).ok();
    };
    const auto why_left_out = [&](const fs::path& entry) {
        const auto found = std::ranges::find(left_out, entry.filename().string(), &LeftOut::id);
        return is_folder(entry) && found != left_out.end() ? &*found : nullptr;
    };
    const bool mixed =
        assignment == nullptr && std::ranges::any_of(*entries, [&](const fs::path& entry) {
            return belongs(entry) || why_left_out(entry) != nullptr;
        });
    if (mixed) {
        for (const fs::path& entry : *entries) {
            if (passed_over(entry, out)) continue;
            if (is_archive(entry)) {
                out.passed_over.push_back(entry.string() +
                                          ": an archive beside folders of assignments; hand-ins "
                                          "lie in one of these");
                continue;
            }
            if (const LeftOut* why = why_left_out(entry)) {
                out.left_out.push_back(entry.string() + ": " + why->why.text());
                out.broken |= why->is_broken();
                continue;
            }
            const auto named = find_assignment(assignments, entry.filename().string());
            if (!named || !is_folder(entry)) {
                Error error = unknown("assignment", entry.filename().string(), ids_of(assignments));
                error.file = entry.string();
                error.remedy += "; beside folders of assignments there must be nothing else";
                return error;
            }
            if (auto status = add_submissions(entry, **named, roster, out); !status)
                return status.error();
        }
    } else {
        if (assignment == nullptr) {
            auto inferred = infer_assignment(assignments, folder, left_out);
            if (!inferred) return inferred.error();
            assignment = *inferred;
        }
        if (auto status = add_submissions(folder, *assignment, roster, out); !status)
            return status.error();
    }
    std::ranges::sort(out.items, [](const BatchItem& a, const BatchItem& b) {
        return std::tie(a.assignment->id, a.student) < std::tie(b.assignment->id, b.student);
    });
    out.alike = alike_students(out.items);
    if (roster != nullptr) out.missing = missing_of(out.items, *roster);
    return out;
}

std::vector<record::Entry> entries_of(const BatchPlan& plan) {
    std::vector<record::Entry> out;
    for (const BatchItem& item : plan.items)
        out.push_back(
            {.assignment = item.assignment->id,
             .student = item.student,
             .listed = item.listed != nullptr ? std::optional(*item.listed) : std::nullopt,
             .participant = item.participant,
             .handed_in = {.at = item.handed_in_at, .extension = {}}});
    for (const Missing& one : plan.missing)
        out.push_back({.assignment = one.assignment->id,
                       .student = one.student,
                       .listed = *one.listed,
                       .is_missing = true});
    return out;
}

}  // namespace cugrade::cli

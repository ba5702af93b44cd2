#include "cli/class_tables.hpp"

#include <string_view>
#include <utility>

#include "cli/failure.hpp"
#include "core/files.hpp"
#include "record/times.hpp"

namespace cugrade::cli {
namespace {

std::string text_of(const std::string& file) {
    auto text = read_file(file);
    if (text) return *std::move(text);
    Error error = text.error();
    error.kind = ErrorKind::usage;
    throw Failure(std::move(error));
}

std::vector<record::Time> times_of(const std::string& file, std::string_view column) {
    if (file.empty()) return {};
    return value_of(record::read_times(text_of(file), file, column));
}

}  // namespace

std::optional<record::Roster> read_roster(const std::string& file) {
    if (file.empty()) return std::nullopt;
    return value_of(record::Roster::read(text_of(file), file));
}

void set_times(std::vector<record::Entry>& entries, const std::string& submitted,
               const std::string& extensions) {
    const auto came = times_of(submitted, "submitted_at");
    const auto extended = times_of(extensions, "until");
    for (record::Entry& entry : entries) {
        if (const auto* time = record::find(came, entry.student, entry.assignment))
            entry.handed_in.at = time->at;
        if (const auto* time = record::find(extended, entry.student, entry.assignment)) {
            entry.handed_in.extension = {.until = time->at, .reason = time->reason};
        }
    }
}

}  // namespace cugrade::cli

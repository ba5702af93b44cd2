#include "record/chosen_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "core/printable.hpp"
#include "record/alike.hpp"
#include "record/csv.hpp"
#include "record/tables.hpp"

namespace cugrade::record {
namespace {

const CsvColumns of_names{.table = "a table of chosen names",
                          .columns = {"id", "name"},
                          .required = {"id", "name"},
                          .example = "id,name"};

std::size_t characters(std::string_view text) {
    std::size_t out = 0;
    for (std::size_t at = 0; at < text.size(); ++out) (void)next_code_point(text, at);
    return out;
}

/// The line of the first byte that is no UTF-8; 0: there is none.
int line_that_is_no_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        if (!next_code_point(text, at))
            return 1 + static_cast<int>(std::ranges::count(text.substr(0, begin), '\n'));
    }
    return 0;
}

/// Without spaces at the ends, and with one between words: browsers show no others.
std::string with_single_spaces(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c != ' ')
            out += c;
        else if (!out.empty() && !out.ends_with(' '))
            out += ' ';
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

class NamesReader {
public:
    NamesReader(const std::string& file, const std::vector<Entry>& entries)
        : file_(file), has_roster_(has_roster(entries)) {
        for (const Entry& entry : entries) {
            students_.insert(entry.student);
            know(entry.student);
            if (!entry.listed) continue;
            for (const auto field :
                 {&Student::id, &Student::name, &Student::lms_id, &Student::email})
                know((*entry.listed).*field);
        }
    }

    Result<ChosenNames> read(std::string_view text) {
        if (const int line = line_that_is_no_utf8(text); line > 0)
            return wrong(line, "the table is not UTF-8", "save it as CSV in UTF-8");
        const auto rows = read_csv(text, file_);
        if (!rows) return rows.error();
        if (rows->empty()) return wrong(0, "the table is empty", "begin it with the line id,name");
        if (auto status = check_columns(rows->front(), of_names, file_); !status)
            return status.error();
        const std::size_t id = *column_of(rows->front(), "id"),
                          name = *column_of(rows->front(), "name");
        for (std::size_t r = 1; r < rows->size(); ++r) {
            const CsvRow& row = (*rows)[r];
            if (auto status = add(row.line, row.fields[id], row.fields[name]); !status)
                return status.error();
        }
        return std::move(out_);
    }

private:
    /// What staff call a student: students may not read it on the leaderboard.
    void know(const std::string& text) {
        if (!text.empty()) of_staff_.insert(as_read(with_single_spaces(text)));
    }

    Status add(int line, const std::string& id, const std::string& written) {
        if (id.empty()) return wrong(line, "a name without an id", "fill in the column `id`");
        const std::string student = safe_name(id);
        if (const auto [same, is_new] = ids_.try_emplace(student, line); !is_new)
            return wrong(
                line, fmt::format("the id {} is that of line {}, too", printable(id), same->second),
                "give each student one line");
        const bool is_known = students_.contains(student);
        if (!is_known && has_roster_)
            return wrong(line, fmt::format("nobody in the class has the id {}", printable(id)),
                         "correct the id, or remove the line");
        const std::string name = with_single_spaces(written);
        if (name.empty()) return Done{};
        if (auto status = check(line, name); !status) return status;
        if (is_known)
            out_.of[student] = name;
        else
            out_.nobodys.push_back(student);
        return Done{};
    }

    Status check(int line, const std::string& name) {
        if (printable(name) != name)
            return wrong(line,
                         fmt::format("the name {} has characters that do not show what they are",
                                     printable(name)),
                         "let the student choose a name without control characters and marks of "
                         "direction");
        if (characters(name) > longest_chosen_name)
            return wrong(
                line, fmt::format("the name {} has {} characters", name, characters(name)),
                fmt::format("let the student choose one of {} at most", longest_chosen_name));
        const std::string as_seen = as_read(name);
        if (as_seen == anonymous_name)
            return wrong(line, fmt::format("nobody may be called {}", name),
                         "let the student choose another name, or leave it out");
        if (of_staff_.contains(as_seen))
            return wrong(line,
                         fmt::format("{} is the id, name, number or email of a student", name),
                         "let the student choose another name: all students may read it");
        if (const auto [same, is_new] = names_.try_emplace(as_seen, line); !is_new)
            return wrong(line,
                         fmt::format("the name {} is that of line {}, too, or looks like it", name,
                                     same->second),
                         "let one of the students choose another name");
        return Done{};
    }

    [[nodiscard]] Error wrong(int line, std::string message, std::string remedy) const {
        return {.kind = ErrorKind::configuration,
                .message = std::move(message),
                .file = file_,
                .line = line,
                .remedy = std::move(remedy)};
    }

    const std::string& file_;
    bool has_roster_;
    std::set<std::string> students_;    ///< Entry::student
    std::set<std::string> of_staff_;    ///< as_read()
    std::map<std::string, int> ids_;    ///< of the table, and their lines
    std::map<std::string, int> names_;  ///< as_read(), and their lines
    ChosenNames out_;
};

}  // namespace

Result<ChosenNames> read_chosen_names(std::string_view text, const std::string& file,
                                      const std::vector<Entry>& entries) {
    return NamesReader(file, entries).read(text);
}

}  // namespace cugrade::record

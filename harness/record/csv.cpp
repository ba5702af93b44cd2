#include "record/csv.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ascii.hpp"
#include "core/printable.hpp"

namespace cugrade::record {
namespace {

class Reader {
public:
    Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    }

    Result<std::vector<CsvRow>> rows() {
        std::vector<CsvRow> out;
        if (const int line = first_not_utf8(); line > 0)
            return wrong(line, "it is not UTF-8",
                         "save the table as CSV UTF-8: names would be other ones");
        while (at_ < text_.size()) {
            CsvRow row{.line = line_, .fields = {}};
            do {
                auto field = read_field();
                if (!field) return field.error();
                row.fields.push_back(*std::move(field));
            } while (take(','));
            end_line();
            if (row.fields.size() == 1 && row.fields[0].empty()) continue;
            if (!out.empty() && row.fields.size() != out[0].fields.size())
                return wrong(row.line,
                             fmt::format("{} fields, and there are {} columns", row.fields.size(),
                                         out[0].fields.size()),
                             "put fields with a comma in double quotes");
            out.push_back(std::move(row));
        }
        return out;
    }

private:
    /// A line number; 0: all is UTF-8.
    [[nodiscard]] int first_not_utf8() const {
        int line = 1;
        for (std::size_t at = 0; at < text_.size();) {
            const auto point = next_code_point(text_, at);
            if (!point) return line;
            if (*point == U'\n') ++line;
        }
        return 0;
    }

    Result<std::string> read_field() {
        if (!take('"')) {
            const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
            std::string field(text_.substr(at_, end - at_));
            at_ = end;
            return field;
        }
        const int begin = line_;
        std::string field;
        while (at_ < text_.size()) {
            if (take('"')) {
                if (!take('"')) return after_quotes(std::move(field));
                field += '"';
                continue;
            }
            if (text_[at_] == '\n') ++line_;
            field += text_[at_++];
        }
        return wrong(begin, "a double quote is not closed", "close it, or write it twice");
    }

    Result<std::string> after_quotes(std::string field) const {
        if (at_ == text_.size() || std::string_view(",\r\n").find(text_[at_]) != std::string::npos)
            return field;
        return wrong(line_, "text follows a closing double quote",
                     "write a double quote within a field twice");
    }

    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void end_line() {
        (void)take('\r');
        (void)take('\n');
        ++line_;
    }

    [[nodiscard]] Error wrong(int line, std::string message, std::string remedy) const {
        return wrong_table(file_, line, std::move(message), std::move(remedy));
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

bool is_known_in_small_letters(const CsvColumns& known, std::string name) {
    std::ranges::transform(name, name.begin(), to_small);
    return std::ranges::find(known.columns, name) != known.columns.end();
}

}  // namespace

bool is_formula(std::string_view text) {
    return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
}

std::string csv_field(std::string_view text) {
    std::string out(text);
    if (is_formula(text)) out.insert(0, 1, '\'');
    if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
    std::string quoted = "\"";
    for (const char c : out) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

Error wrong_table(const std::string& file, int line, std::string message, std::string remedy) {
    return {.kind = ErrorKind::configuration,
            .message = std::move(message),
            .file = file,
            .line = line,
            .remedy = std::move(remedy)};
}

std::optional<std::size_t> column_of(const CsvRow& names, std::string_view name) {
    const auto found = std::ranges::find(names.fields, name);
    if (found == names.fields.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.fields.begin());
}

Status check_columns(const CsvRow& names, const CsvColumns& known, const std::string& file) {
    const auto wrong = [&](std::string message, std::string remedy) {
        return wrong_table(file, names.line, std::move(message), std::move(remedy));
    };
    for (std::size_t i = 0; i < names.fields.size(); ++i) {
        const std::string& name = names.fields[i];
        if (std::ranges::find(known.columns, name) == known.columns.end())
            return wrong(fmt::format("unknown column `{}`", printable(name)),
                         name.find(';') != std::string::npos ? "separate columns by commas"
                         : is_known_in_small_letters(known, name)
                             ? "write it in small letters"
                             : fmt::format("the columns of {} are {}; leave out what else there is",
                                           known.table, fmt::join(known.columns, ", ")));
        if (column_of(names, name) != i)
            return wrong(fmt::format("two columns `{}`", name), "remove one");
    }
    for (const std::string_view name : known.required)
        if (!column_of(names, name))
            return wrong(
                fmt::format("there is no column `{}`", name),
                fmt::format("begin the file with a line of names, such as {}", known.example));
    return Done{};
}

Result<std::vector<CsvRow>> read_csv(std::string_view text, const std::string& file) {
    return Reader(text, file).rows();
}

}  // namespace cugrade::record

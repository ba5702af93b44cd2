#include "record/record.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <initializer_list>
#include <iterator>
#include <mutex>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "record/attempts.hpp"

namespace cugrade::record {
namespace {

namespace fs = std::filesystem;

/// Tells a database of cugrade's from others: "cugr".
constexpr int application_id = 0x63756772;
constexpr int longest_wait_ms = 10000;

/// What each version adds to the one before it. A new database goes through all of them, so an old
/// one ends like a new one; what was released is never changed here.
constexpr const char* steps[] = {
    R"(
CREATE TABLE grading(
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  submission_sha256 TEXT NOT NULL,
  inputs TEXT NOT NULL,
  graded_at TEXT NOT NULL,
  report TEXT NOT NULL,
  facts TEXT NOT NULL,
  problem TEXT NOT NULL,
  mac TEXT NOT NULL);
CREATE INDEX grading_of ON grading(assignment, student, attempt);
CREATE TABLE entry(
  place INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  is_listed INTEGER NOT NULL,
  id TEXT NOT NULL, name TEXT NOT NULL, lms_id TEXT NOT NULL, section TEXT NOT NULL, email TEXT NOT NULL,
  participant TEXT NOT NULL,
  is_missing INTEGER NOT NULL,
  handed_in_at INTEGER,
  extended_until INTEGER,
  extended_because TEXT NOT NULL);
CREATE TABLE decision(
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  points REAL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  mac TEXT NOT NULL);
)",
    R"(
ALTER TABLE grading ADD COLUMN handed_in_at INTEGER;
CREATE TABLE rules(
  assignment TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  possible REAL NOT NULL,
  deadline INTEGER,
  late_per_day REAL, late_days INTEGER, late_grace INTEGER,
  attempts TEXT NOT NULL,
  inputs TEXT NOT NULL);
)"};
constexpr int version = static_cast<int>(std::size(steps));

using Parts = std::initializer_list<std::string_view>;

/// Calls use(purpose, parts) with all that a line's code covers. Version 1 had no times: a line
/// without one has the code that it had there.
template <class F>
auto covered(const Grading& g, F use) {
    const std::string attempt = std::to_string(g.attempt);
    if (!g.handed_in_at)
        return use("grading", Parts{g.assignment, g.student, attempt, g.submission_sha256, g.inputs,
                                    g.graded_at, g.report, g.facts, g.problem});
    return use("grading",
               Parts{g.assignment, g.student, attempt, g.submission_sha256, g.inputs, g.graded_at,
                     g.report, g.facts, g.problem, std::to_string(*g.handed_in_at)});
}
template <class F>
auto covered(const Decision& d, F use) {
    return use("decision", Parts{d.assignment, d.student,
                                 d.points ? fmt::format("{}", *d.points) : std::string(), d.reason,
                                 d.author, d.decided_at});
}

std::string code(const seal::Key& key, const auto& line) {
    return covered(line, [&](const char* purpose, Parts parts) { return key.mac(purpose, parts); });
}
bool is_code(const seal::Key& key, std::string_view mac, const auto& line) {
    return covered(line,
                   [&](const char* purpose, Parts parts) { return key.made(mac, purpose, parts); });
}

/// One statement. Its text values are bound by reference: they have to outlive each step.
class Statement {
public:
    Statement(sqlite3* database, const char* text) {
        sqlite3_prepare_v2(database, text, -1, &statement_, nullptr);
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;

    Statement& text(std::string_view value) {
        // Names of students may be no UTF-8; SQLite keeps and compares the bytes.
        sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(), SQLITE_STATIC,
                            SQLITE_UTF8);
        return *this;
    }
    Statement& number(std::int64_t value) {
        sqlite3_bind_int64(statement_, ++bound_, value);
        return *this;
    }
    template <class T>
    Statement& number(const std::optional<T>& value) {
        if constexpr (std::is_same_v<T, double>) {
            if (value) sqlite3_bind_double(statement_, bound_ + 1, *value);
        } else {
            if (value) sqlite3_bind_int64(statement_, bound_ + 1, *value);
        }
        if (!value) sqlite3_bind_null(statement_, bound_ + 1);
        ++bound_;
        return *this;
    }
    /// True: there is a row.
    bool step() {
        result_ = statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_);
        return result_ == SQLITE_ROW;
    }
    /// For another step with other values.
    Statement& again() {
        sqlite3_reset(statement_);
        bound_ = 0;
        return *this;
    }
    [[nodiscard]] bool is_done() const { return result_ == SQLITE_DONE; }

    std::string text_at(int column) {
        const void* data = sqlite3_column_blob(statement_, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
    }
    std::int64_t number_at(int column) { return sqlite3_column_int64(statement_, column); }
    template <class T>
    std::optional<T> number_if_any(int column) {
        if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
        if constexpr (std::is_same_v<T, double>)
            return sqlite3_column_double(statement_, column);
        else
            return number_at(column);
    }

private:
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
    int result_ = SQLITE_OK;
};

}  // namespace

struct Record::Database {
    sqlite3* handle = nullptr;
    fs::path file;
    std::mutex mutex;  ///< a transaction is one thread's

    ~Database() { sqlite3_close(handle); }

    [[nodiscard]] Error fault() const {
        const int code = sqlite3_errcode(handle);
        Error error{.message = fmt::format("the record of the class: {}", sqlite3_errmsg(handle)),
                    .file = file.string()};
        if (code == SQLITE_FULL || code == SQLITE_IOERR)
            error.remedy = "make room on the disk; what is graded already is safe";
        else if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
            error.remedy = "put back a copy of the file, or give another --out";
        else if (code == SQLITE_BUSY)
            error.remedy = "wait for the other program that writes it";
        else if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
            error.remedy = "see whether you may write there";
        return error;
    }

    [[nodiscard]] Status execute(const char* text) const {
        if (sqlite3_exec(handle, text, nullptr, nullptr, nullptr) != SQLITE_OK) return fault();
        return Done{};
    }

    /// Executes a statement that yields no rows.
    [[nodiscard]] Status execute(Statement& statement) const {
        statement.step();
        if (!statement.is_done()) return fault();
        return Done{};
    }

    [[nodiscard]] Result<std::int64_t> pragma(const char* text) const {
        Statement statement(handle, text);
        if (!statement.step()) return fault();
        return statement.number_at(0);
    }

    /// Runs `write` in one transaction, which is undone if it fails.
    template <class F>
    [[nodiscard]] Status transaction(F write) {
        const std::lock_guard lock(mutex);
        if (auto begun = execute("BEGIN IMMEDIATE"); !begun) return begun;
        Status status = write();
        if (status) status = execute("COMMIT");
        if (!status) (void)execute("ROLLBACK");
        return status;
    }

    /// Takes the steps that the database lacks, all or none.
    [[nodiscard]] Status bring_up_to_date() {
        if (const auto made = pragma("PRAGMA user_version"); made && *made == version)
            return Done{};
        return transaction([&]() -> Status {
            // Another process may have been faster.
            const auto made = pragma("PRAGMA user_version");
            if (!made) return made.error();
            for (auto step = *made; step < version; ++step)
                if (auto status = execute(steps[step]); !status) return status;
            return execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                       application_id, version)
                               .c_str());
        });
    }

    [[nodiscard]] Status check() const {
        const auto whose = pragma("PRAGMA application_id");
        if (!whose) return whose.error();
        const auto made = pragma("PRAGMA user_version");
        if (!made) return made.error();
        const auto refused = [&](const char* why, const char* remedy) {
            return Error{
                .kind = ErrorKind::usage, .message = why, .file = file.string(), .remedy = remedy};
        };
        if (*made != 0 && *whose != application_id)
            return refused("a database of another program", "give another --out");
        if (*made > version)
            return refused("the record of a newer cugrade", "use that one, or give another --out");
        return Done{};
    }
};

Record::Record(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Record::Record(Record&&) noexcept = default;
Record::~Record() = default;

std::string report_file(std::string_view assignment, std::string_view student,
                        std::string_view extension) {
    return fmt::format("reports/{}/{}{}", assignment, student, extension);
}

fs::path record_file(const fs::path& folder) { return folder / "record.db"; }

Result<Record> Record::open(const fs::path& folder) {
    const fs::path file = record_file(folder);
    // The reports of a whole class are in it, so it is the grader's alone.
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
    return open_file(file);
}

Result<Record> Record::existing(const fs::path& folder) {
    const fs::path file = record_file(folder);
    std::error_code error;
    if (!fs::exists(file, error))
        return Error{.kind = ErrorKind::usage,
                     .message = "there is no record of a class (record.db)",
                     .file = folder.string(),
                     .remedy = "give the folder that `cugrade batch --out` has written"};
    return open_file(file);
}

Result<Record> Record::open_file(const fs::path& file) {
    auto database = std::make_unique<Database>();
    database->file = file;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(file.c_str(), &database->handle, flags, nullptr) != SQLITE_OK)
        return database->fault();
    sqlite3_busy_timeout(database->handle, longest_wait_ms);
    // Where files cannot be shared in memory, as on network file systems, SQLite keeps its older
    // journal, which is as safe. FULL: a commit is on the disk before it is told.
    for (const char* text : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"})
        if (auto status = database->execute(text); !status) return status.error();
    if (auto status = database->check(); !status) return status.error();
    if (auto status = database->bring_up_to_date(); !status) return status.error();
    return Record(std::move(database));
}

Result<std::vector<int>> Record::add(const seal::Key& key, std::vector<Grading> gradings,
                                     const std::vector<Rules>* rules) {
    sqlite3* handle = database_->handle;
    std::vector<int> numbers;
    const Status status = database_->transaction([&]() -> Status {
        Statement same(handle,
                       "SELECT max(attempt) FROM grading WHERE assignment = ? AND student = ? AND "
                       "submission_sha256 = ?");
        Statement last(handle,
                       "SELECT max(attempt) FROM grading WHERE assignment = ? AND student = ?");
        Statement insert(handle,
                         "INSERT INTO grading(assignment, student, attempt, submission_sha256, "
                         "inputs, graded_at, report, facts, problem, mac, handed_in_at) "
                         "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        for (Grading& g : gradings) {
            // Handing in again what was there before is the newest attempt, too.
            if (!same.again().text(g.assignment).text(g.student).text(g.submission_sha256).step() ||
                !last.again().text(g.assignment).text(g.student).step())
                return database_->fault();
            const std::int64_t newest = last.number_at(0), found = same.number_at(0);
            if (g.attempt == 0)
                g.attempt = static_cast<int>(found != 0 && found == newest ? newest : newest + 1);
            numbers.push_back(g.attempt);
            const std::string mac = code(key, g);
            insert.again()
                .text(g.assignment)
                .text(g.student)
                .number(g.attempt)
                .text(g.submission_sha256)
                .text(g.inputs)
                .text(g.graded_at)
                .text(g.report)
                .text(g.facts)
                .text(g.problem)
                .text(mac)
                .number(g.handed_in_at);
            if (auto added = database_->execute(insert); !added) return added;
        }
        return rules != nullptr ? put_rules(*rules) : Done{};
    });
    if (!status) return status.error();
    return numbers;
}

Result<std::vector<Record::Kept>> Record::attempts(const seal::Key& key) const {
    Statement rows(database_->handle,
                   "SELECT assignment, student, attempt, submission_sha256, inputs, graded_at, "
                   "report, facts, problem, mac, handed_in_at FROM grading WHERE id IN (SELECT "
                   "max(id) FROM grading GROUP BY assignment, student, attempt) "
                   "ORDER BY assignment, student, attempt");
    std::vector<Kept> out;
    while (rows.step()) {
        Grading g{.assignment = rows.text_at(0),
                  .student = rows.text_at(1),
                  .submission_sha256 = rows.text_at(3),
                  .inputs = rows.text_at(4),
                  .graded_at = rows.text_at(5),
                  .report = rows.text_at(6),
                  .facts = rows.text_at(7),
                  .problem = rows.text_at(8),
                  .attempt = static_cast<int>(rows.number_at(2)),
                  .handed_in_at = rows.number_if_any<std::int64_t>(10)};
        const bool is_ours = is_code(key, rows.text_at(9), g);
        out.push_back({std::move(g), is_ours});
    }
    if (!rows.is_done()) return database_->fault();
    return out;
}

Status Record::decide(const seal::Key& key, const Decision& d) {
    return database_->transaction([&]() -> Status {
        Statement insert(database_->handle,
                         "INSERT INTO decision(assignment, student, points, reason, author, "
                         "decided_at, mac) VALUES(?, ?, ?, ?, ?, ?, ?)");
        const std::string mac = code(key, d);
        insert.text(d.assignment)
            .text(d.student)
            .number(d.points)
            .text(d.reason)
            .text(d.author)
            .text(d.decided_at)
            .text(mac);
        return database_->execute(insert);
    });
}

Result<std::vector<Decision>> Record::decisions(const seal::Key& key) const {
    Statement rows(database_->handle,
                   "SELECT assignment, student, points, reason, author, decided_at, mac FROM "
                   "decision WHERE id IN (SELECT max(id) FROM decision GROUP BY assignment, "
                   "student) ORDER BY assignment, student");
    std::vector<Decision> out;
    while (rows.step()) {
        Decision d{.assignment = rows.text_at(0),
                   .student = rows.text_at(1),
                   .points = rows.number_if_any<double>(2),
                   .reason = rows.text_at(3),
                   .author = rows.text_at(4),
                   .decided_at = rows.text_at(5)};
        if (!is_code(key, rows.text_at(6), d))
            return Error{.message = fmt::format("the decision about {} ({}) was not written by the "
                                                "grader with this key",
                                                printable(d.student), d.assignment),
                         .file = database_->file.string(),
                         .remedy =
                             "work as the user who graded, with the same key "
                             "(CUGRADE_KEY_FILE); if that key is lost, decide again with "
                             "`cugrade override`"};
        out.push_back(std::move(d));
    }
    if (!rows.is_done()) return database_->fault();
    return out;
}

Status Record::set_class(const std::vector<Entry>& entries, const std::vector<Rules>& rules) {
    return database_->transaction([&]() -> Status {
        if (auto status = database_->execute("DELETE FROM entry"); !status) return status;
        Statement insert(database_->handle,
                         "INSERT INTO entry(assignment, student, is_listed, id, name, lms_id, "
                         "section, email, participant, is_missing, handed_in_at, "
                         "extended_until, extended_because) "
                         "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        const Student nobody;
        for (const Entry& entry : entries) {
            const Student& student = entry.listed ? *entry.listed : nobody;
            insert.again()
                .text(entry.assignment)
                .text(entry.student)
                .number(entry.listed ? 1 : 0)
                .text(student.id)
                .text(student.name)
                .text(student.lms_id)
                .text(student.section)
                .text(student.email)
                .text(entry.participant)
                .number(entry.is_missing ? 1 : 0)
                .number(entry.handed_in.at)
                .number(entry.handed_in.extension.until)
                .text(entry.handed_in.extension.reason);
            if (auto status = database_->execute(insert); !status) return status;
        }
        return put_rules(rules);
    });
}

/// Within a transaction.
Status Record::put_rules(const std::vector<Rules>& all) {
    if (auto status = database_->execute("DELETE FROM rules"); !status) return status;
    Statement insert(database_->handle,
                     "INSERT INTO rules(assignment, title, possible, deadline, late_per_day, "
                     "late_days, late_grace, attempts, inputs) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Rules& one : all) {
        const std::optional<LatePolicy>& late = one.hand_ins.late;
        insert.again()
            .text(one.assignment)
            .text(one.title)
            .number(std::optional(one.possible))
            .number(one.hand_ins.deadline)
            .number(late ? std::optional(late->per_day) : std::nullopt)
            .number(late ? std::optional<std::int64_t>(late->days) : std::nullopt)
            .number(late ? std::optional(late->grace_s) : std::nullopt)
            .text(name(one.hand_ins.attempts))
            .text(one.inputs);
        if (auto status = database_->execute(insert); !status) return status;
    }
    return Done{};
}

Result<std::vector<Rules>> Record::rules() const {
    Statement rows(database_->handle,
                   "SELECT assignment, title, possible, deadline, late_per_day, late_days, "
                   "late_grace, attempts, inputs FROM rules ORDER BY assignment");
    std::vector<Rules> out;
    while (rows.step()) {
        Rules one{.assignment = rows.text_at(0),
                  .title = rows.text_at(1),
                  .possible = rows.number_if_any<double>(2).value_or(0),
                  .hand_ins = {.deadline = rows.number_if_any<std::int64_t>(3)},
                  .inputs = rows.text_at(8)};
        if (const auto per_day = rows.number_if_any<double>(4))
            one.hand_ins.late = LatePolicy{.per_day = *per_day,
                                           .days = static_cast<int>(rows.number_at(5)),
                                           .grace_s = rows.number_at(6)};
        const std::string rule = rows.text_at(7);
        for (const Attempts attempts : {Attempts::best, Attempts::last, Attempts::last_in_time})
            if (rule == name(attempts)) one.hand_ins.attempts = attempts;
        out.push_back(std::move(one));
    }
    if (!rows.is_done()) return database_->fault();
    return out;
}

Result<std::vector<Entry>> Record::entries() const {
    Statement rows(database_->handle,
                   "SELECT assignment, student, is_listed, id, name, lms_id, section, email, "
                   "participant, (SELECT problem FROM grading WHERE grading.assignment = "
                   "entry.assignment AND grading.student = entry.student ORDER BY grading.attempt "
                   "DESC, grading.id DESC LIMIT 1), is_missing, handed_in_at, extended_until, "
                   "extended_because "
                   "FROM entry ORDER BY place");
    std::vector<Entry> out;
    while (rows.step()) {
        Entry entry{.assignment = rows.text_at(0),
                    .student = rows.text_at(1),
                    .listed = std::nullopt,
                    .participant = rows.text_at(8),
                    .problem = rows.text_at(9),
                    .is_missing = rows.number_at(10) != 0,
                    .handed_in = {.at = rows.number_if_any<std::int64_t>(11),
                                  .extension = {.until = rows.number_if_any<std::int64_t>(12),
                                                .reason = rows.text_at(13)}}};
        if (rows.number_at(2) != 0)
            entry.listed = Student{.id = rows.text_at(3),
                                   .name = rows.text_at(4),
                                   .lms_id = rows.text_at(5),
                                   .section = rows.text_at(6),
                                   .email = rows.text_at(7)};
        out.push_back(std::move(entry));
    }
    if (!rows.is_done()) return database_->fault();
    return out;
}

}  // namespace cugrade::record

// The one description of the keys of a report, for both directions: `describe` names the members of
// each type in order, a Writer makes a tree of them and a Reader fills them from one. Keys must
// agree with docs/report.schema.json, which a test compares.

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "core/json.hpp"
#include "report/formats.hpp"
#include "report/not_judged.hpp"

namespace cugrade::report {
namespace {

using Tree = nlohmann::ordered_json;

struct Fault {
    std::string message;
    std::string key;
};

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

// --- tree from values

template <class T>
Tree encode(T& value);

class Writer {
public:
    explicit Writer(Tree& out) : out_(out) { out_ = Tree::object(); }

    template <class T>
    void required(const char* key, T& value) {
        out_[key] = encode(value);
    }
    /// Left out if empty or 0.
    template <class T>
    void optional(const char* key, T& value) {
        if constexpr (requires { value.has_value(); }) {
            if (value) required(key, *value);
        } else if constexpr (requires { value.empty(); }) {
            if (!value.empty()) required(key, value);
        } else if (value != T{}) {
            required(key, value);
        }
    }
    /// A value that is written as a word; `from` undoes `to`, or yields nothing. The empty word is
    /// left out.
    template <class T, class To, class From>
    void word(const char* key, T& value, To to, From) {
        std::string text(to(value));
        optional(key, text);
    }
    template <class F>
    void group(const char* key, F members) {
        Writer inner(out_[key]);
        members(inner);
    }

private:
    Tree& out_;
};

// --- values from a tree

template <class T>
void decode(const Tree& tree, const std::string& path, T& value);

class Reader {
public:
    Reader(const Tree& in, std::string path) : in_(in), path_(std::move(path)) {
        if (!in_.is_object()) throw Fault{"an object is expected", path_};
    }

    template <class T>
    void required(const char* key, T& value) {
        decode(at(key), path_to(key), value);
    }
    template <class T>
    void optional(const char* key, T& value) {
        if (!in_.contains(key)) return;
        if constexpr (requires { value.has_value(); })
            required(key, value.emplace());
        else
            required(key, value);
    }
    template <class T, class To, class From>
    void word(const char* key, T& value, To, From from) {
        std::string text;
        optional(key, text);
        auto read = from(text);
        if (!read && !in_.contains(key)) throw Fault{"the key is missing", path_to(key)};
        if (!read) throw Fault{fmt::format("`{}` is not a value of this key", text), path_to(key)};
        value = *std::move(read);
    }
    template <class F>
    void group(const char* key, F members) {
        Reader inner(at(key), path_to(key));
        members(inner);
    }

private:
    [[nodiscard]] std::string path_to(const char* key) const {
        return path_.empty() ? key : path_ + "." + key;
    }
    [[nodiscard]] const Tree& at(const char* key) const {
        const auto it = in_.find(key);
        if (it == in_.end()) throw Fault{"the key is missing", path_to(key)};
        return *it;
    }
    const Tree& in_;
    std::string path_;
};

// --- the keys

template <class Archive>
void word(Archive& a, const char* key, Verdict& verdict) {
    a.word(
        key, verdict, [](Verdict v) { return name(v); }, verdict_from_name);
}

template <class Archive>
void word(Archive& a, const char* key, Visibility& visibility) {
    a.word(
        key, visibility, [](Visibility v) { return v == Visibility::hidden ? "hidden" : "public"; },
        [](std::string_view text) -> std::optional<Visibility> {
            if (text == "public") return Visibility::open;
            if (text == "hidden") return Visibility::hidden;
            return std::nullopt;
        });
}

/// No speedup, one that was measured, or one that was modelled.
template <class Archive>
void word(Archive& a, const char* key, std::optional<TimingOutcome>& timing) {
    using Basis = TimingOutcome::Basis;
    using Timing = std::optional<TimingOutcome>;
    a.word(
        key, timing,
        [](const Timing& t) {
            return !t ? "none" : t->basis == Basis::measured ? "measured" : "modelled";
        },
        [](std::string_view text) -> std::optional<Timing> {
            if (text == "none") return Timing{};
            if (text != "measured" && text != "modelled") return std::nullopt;
            Timing t{TimingOutcome{}};
            t->basis = text == "measured" ? Basis::measured : Basis::modelled;
            return t;
        });
}

/// Why there is no speedup; left out if empty.
template <class Archive>
void word(Archive& a, const char* key, NotJudged& why) {
    a.word(
        key, why, [](const NotJudged& w) { return text(w); },
        [](std::string_view said) { return std::optional(not_judged_from(said)); });
}

/// As text, because a number in JSON is exact up to 2^53 only; 0 is no seed.
template <class Archive>
void seed_word(Archive& a, const char* key, std::uint64_t& seed) {
    a.word(
        key, seed,
        [](std::uint64_t value) { return value == 0 ? "" : fmt::format("{:#018x}", value); },
        [](std::string_view text) -> std::optional<std::uint64_t> {
            std::uint64_t value = 0;
            if (text.empty()) return value;
            if (!text.starts_with("0x")) return std::nullopt;
            const auto* last = text.data() + text.size();
            const auto [end, error] = std::from_chars(text.data() + 2, last, value, 16);
            if (error != std::errc{} || end != last) return std::nullopt;
            return value;
        });
}

template <class Archive>
void describe(Archive& a, Score& s) {
    a.required("earned", s.earned);
    a.required("judged", s.judged);
    a.required("possible", s.possible);
}

template <class Archive>
void describe(Archive& a, SourceLocation& l) {
    a.required("file", l.file);
    a.optional("line", l.line);
    a.optional("column", l.column);
}

template <class Archive>
void describe(Archive& a, Mismatch& m) {
    a.required("argument", m.argument);
    a.required("index", m.index);
    a.optional("coordinates", m.coordinates);
    a.required("expected", m.expected);
    a.required("got", m.got);
}

template <class Archive>
void describe(Archive& a, CheckerFinding& f) {
    a.required("kind", f.kind);
    a.required("message", f.message);
    a.word(
        "severity", f.warning, [](bool warning) { return warning ? "warning" : "error"; },
        [](std::string_view text) -> std::optional<bool> {
            if (text == "warning") return true;
            if (text == "error") return false;
            return std::nullopt;
        });
    a.optional("location", f.location);
    a.optional("second_location", f.second_location);
}

template <class Archive>
void describe(Archive& a, CaseOutcome& c) {
    a.required("id", c.id);
    word(a, "visibility", c.visibility);
    word(a, "verdict", c.verdict);
    a.required("message", c.message);
    a.optional("description", c.description);
    a.optional("pattern", c.pattern);
    a.optional("mismatch_count", c.mismatch_count);
    a.optional("element_count", c.element_count);
    a.optional("mismatches", c.mismatches);
    a.optional("location", c.location);
    a.optional("findings", c.findings);
    seed_word(a, "seed", c.seed);
    a.optional("data_sha256", c.data_sha256);
    a.optional("seconds", c.seconds);
}

template <class Archive>
void describe(Archive& a, SourceLine& l) {
    a.required("file", l.file);
    a.required("line", l.line);
    a.required("text", l.text);
}

template <class Archive>
void describe(Archive& a, Cause& c) {
    a.required("id", c.id);
    a.optional("file", c.location.file);
    a.optional("line", c.location.line);
    a.optional("column", c.location.column);
    a.optional("end_line", c.end_line);
    a.optional("second_location", c.second);
    a.word(
        "proof", c.proof, [](Proof p) { return name(p); }, proof_from_name);
    a.required("cases", c.cases);
    a.optional("explains", c.explains);
    a.required("sentence", c.sentence);
    a.optional("instance", c.instance);
    a.required("advice", c.advice);
    a.optional("evidence", c.evidence);
    a.optional("excerpt", c.excerpt);
}

template <class Archive>
void describe(Archive& a, TimingSample& s) {
    a.required("baseline_us", s.baseline_us);
    a.required("submission_us", s.submission_us);
    a.optional("baseline_claim_us", s.baseline_claim_us);
    a.optional("submission_claim_us", s.submission_claim_us);
    a.optional("outside_us", s.outside_us);
}

template <class Archive>
void describe(Archive& a, Measure& m) {
    a.required("metric", m.metric);
    a.required("value", m.value);
    a.required("max", m.max);
    a.optional("location", m.location);
}

template <class Archive>
void describe(Archive& a, TechniqueReport& t) {
    describe(a, t.score);
    a.optional("measures", t.measures);
}

template <class Archive>
void describe(Archive& a, TaskReport& t) {
    a.required("name", t.name);
    a.required("title", t.title);
    a.required("score", t.score);
    word(a, "verdict", t.verdict);
    a.optional("causes", t.outcome.causes);
    a.required("cases", t.outcome.cases);
    a.required("correctness", t.correctness);
    a.group("performance", [&](auto& p) {
        describe(p, t.performance);
        p.required("credit", t.credit);
        p.optional("next_tier", t.next_tier);
        word(p, "basis", t.outcome.timing);
        word(p, "note", t.outcome.untimed);
        if (auto& timing = t.outcome.timing) {
            p.required("speedup", timing->speedup);
            p.required("low", timing->low);
            p.required("high", timing->high);
            p.optional("modelled_on", timing->modelled_on);
            p.optional("limited_by", timing->limited_by);
            p.required("baseline_us", timing->baseline_us);
            p.required("submission_us", timing->submission_us);
            p.optional("baseline_alone_us", timing->baseline_alone_us);
            p.optional("baseline_claim_us", timing->baseline_claim_us);
            p.optional("submission_claim_us", timing->submission_claim_us);
            p.optional("outside_us", timing->outside_us);
            p.optional("boundary", timing->boundary);
            p.optional("measured_on", timing->measured_on);
            p.optional("calls", timing->calls);
            p.optional("baseline_calls", timing->baseline_calls);
            p.optional("empty_us", timing->empty_us);
            p.optional("baseline_empty_us", timing->baseline_empty_us);
            p.optional("dropped", timing->dropped);
            p.optional("dropped_because", timing->dropped_because);
            p.optional("samples", timing->samples);
        }
    });
    a.optional("technique", t.technique);
    a.optional("gpu_seconds", t.outcome.gpu_s);
}

template <class Archive>
void describe(Archive& a, Phase& p) {
    a.required("name", p.name);
    a.required("seconds", p.seconds);
}

template <class Archive>
void describe(Archive& a, ReportSeal::Section& s) {
    a.required("name", s.name);
    a.required("sha256", s.sha256);
}

template <class Archive>
void describe(Archive& a, ReportSeal& s) {
    a.required("sections", s.sections);
    a.required("key_id", s.key_id);
    a.required("mac", s.mac);
    a.optional("public_key", s.public_key);
    a.optional("signature", s.signature);
}

template <class Archive>
void describe(Archive& a, Report& r) {
    int version = Report::schema_version;
    a.required("schema_version", version);
    if (version != Report::schema_version)
        throw Fault{fmt::format("version {} of the report format is not known", version),
                    "schema_version"};
    a.required("assignment", r.assignment);
    a.required("title", r.assignment_title);
    a.group("submission", [&](auto& s) {
        s.required("file", r.submission_file);
        s.required("sha256", r.submission_sha256);
        s.optional("student", r.student);
    });
    a.required("backend", r.provenance.backend);
    a.required("score", r.score);
    word(a, "verdict", r.verdict);
    a.required("tasks", r.tasks);
    a.optional("compile_output", r.compile_output);
    a.optional("notes", r.notes);
    a.required("seconds", r.seconds);
    a.required("phases", r.phases);
    a.group("environment", [&](auto& e) {
        e.required("device", r.provenance.device);
        e.optional("driver", r.provenance.driver);
        e.required("toolkit", r.provenance.toolkit);
        e.required("cugrade", r.provenance.cugrade_version);
        e.required("policy_sha256", r.policy_sha256);
        e.required("started", r.provenance.started);
    });
    a.required("replay", r.replay);
    a.optional("seal", r.seal);
}

// --- one value

template <class T>
Tree encode(T& value) {
    Tree out;
    if constexpr (std::is_same_v<T, double>) {
        constexpr double exact = 9007199254740992;  // 2^53
        if (!std::isfinite(value)) return nullptr;
        if (value == std::floor(value) && std::abs(value) <= exact)
            return static_cast<std::int64_t>(value);  // "70", not "70.0"
        out = value;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        out = value;
    } else if constexpr (is_vector<T>::value) {
        out = Tree::array();
        for (auto& item : value) out.push_back(encode(item));
    } else {
        Writer writer(out);
        describe(writer, value);
    }
    return out;
}

template <class T>
void decode(const Tree& tree, const std::string& path, T& value) {
    if constexpr (std::is_same_v<T, double>) {
        if (!tree.is_number() && !tree.is_null()) throw Fault{"a number is expected", path};
        value = tree.is_null() ? std::numeric_limits<double>::quiet_NaN() : tree.get<double>();
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (!tree.is_number_integer()) throw Fault{"a whole number is expected", path};
        const auto number = whole_number<T>(tree);
        if (!number) throw Fault{"the number is out of range", path};
        value = *number;
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (!tree.is_string()) throw Fault{"a text is expected", path};
        value = tree.get<std::string>();
    } else if constexpr (is_vector<T>::value) {
        if (!tree.is_array()) throw Fault{"a list is expected", path};
        value.resize(tree.size());
        for (std::size_t i = 0; i < value.size(); ++i)
            decode(tree[i], fmt::format("{}[{}]", path, i), value[i]);
    } else {
        Reader reader(tree, path);
        describe(reader, value);
    }
}

}  // namespace

Tree to_tree(Report report) { return encode(report); }

Result<Report> from_tree(const Tree& tree) {
    try {
        Report report;
        decode(tree, "", report);
        for (auto& task : report.tasks) {
            task.outcome.name = task.name;
            for (auto& c : task.outcome.cases)
                if (c.verdict == Verdict::skipped) c.not_judged = not_judged_from(c.message);
        }
        return report;
    } catch (const Fault& fault) {
        return Error{.kind = ErrorKind::configuration,
                     .message = "not a report of cugrade: " + fault.message,
                     .key = fault.key,
                     .remedy = "grade the submission again"};
    }
}

Status seal_from_tree(const Tree& tree, ReportSeal& seal) {
    try {
        decode(tree, "seal", seal);
        return Done{};
    } catch (const Fault& fault) {
        return Error{.message = fmt::format("{} (at {})", fault.message, fault.key)};
    }
}

Result<Report> read_report(std::string_view text) {
    const auto tree = read_tree(text);
    if (!tree) return tree.error();
    return from_tree(*tree);
}

}  // namespace cugrade::report

#include "build/build_dependencies.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// An #include may name a system header by up to this many last parts of its path.
constexpr int named_parts = 4;

std::string state_of_system_file(const fs::path& file) {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error);
    return error ? "gone" : fmt::format("{} {}", bytes, time.time_since_epoch().count());
}

std::string state_of_own_file(const fs::path& file) {
    const auto content = read_file(file);
    return content ? datasets::sha256(*content) : "gone";
}

/// The first part of folder/name that does not exist; empty if all of it exists.
std::string first_missing(const fs::path& folder, const fs::path& name) {
    std::error_code error;
    fs::path path = folder;
    for (const fs::path& part : name) {
        path /= part;
        if (!fs::exists(path, error)) return path.string();
    }
    return {};
}

}  // namespace

std::vector<std::string> prerequisites(std::string_view makefile) {
    std::vector<std::string> out;
    const std::size_t colon = std::min(makefile.find(':'), makefile.size());
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) out.push_back(std::move(word));
        word.clear();
    };
    for (std::size_t i = colon + 1; i < makefile.size(); ++i) {
        const char c = makefile[i];
        const char next = i + 1 < makefile.size() ? makefile[i + 1] : '\n';
        if (c == '\\' && next == '\n') {
            end_word();
            ++i;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            word += next;
            ++i;
        } else if (c == '\n') {
            break;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            end_word();
        } else {
            word += c;
        }
    }
    end_word();
    return out;
}

bool Dependencies::is_system(const std::string& file) const {
    const std::string plain = fs::path(file).lexically_normal().string();
    return std::ranges::any_of(system_, [&](const std::string& s) { return plain.starts_with(s); });
}

void Dependencies::add(const std::vector<std::string>& files) {
    files_.insert(files.begin(), files.end());
}

void Dependencies::look_for_gaps() {
    std::set<fs::path> folders(folders_.begin(), folders_.end());
    for (const std::string& file : files_)
        if (!is_system(file)) {
            const fs::path folder = fs::path(file).parent_path();
            folders.insert(folder.empty() ? fs::path(".") : folder);
        }
    for (const std::string& file : files_) {
        const fs::path path(file);
        std::set<fs::path> names;
        fs::path name;
        fs::path rest = path;
        for (int parts = 0; parts < named_parts && rest.has_filename(); ++parts) {
            name = name.empty() ? rest.filename() : rest.filename() / name;
            names.insert(name);
            if (!rest.has_parent_path() || rest.parent_path() == rest) break;
            rest = rest.parent_path();
        }
        for (const fs::path& folder : folders)
            for (const fs::path& one : names)
                if (std::string missing = first_missing(folder, one); !missing.empty())
                    absent_.insert(std::move(missing));
    }
}

std::string Dependencies::state() const {
    std::string out;
    for (const std::string& file : files_)
        out += fmt::format("{}\n{}\n", file,
                           is_system(file) ? state_of_system_file(file) : state_of_own_file(file));
    std::error_code error;
    for (const std::string& path : absent_)
        out += fmt::format("{}\n{}\n", path, fs::exists(path, error) ? "there" : "missing");
    return out;
}

std::string Dependencies::text() const {
    std::string out;
    for (const std::string& file : files_) out += "+" + file + "\n";
    for (const std::string& path : absent_) out += "-" + path + "\n";
    return out;
}

void Dependencies::from_text(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.starts_with('+')) files_.emplace(line.substr(1));
        if (line.starts_with('-')) absent_.emplace(line.substr(1));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string Dependencies::unclear(fs::file_time_type start) const {
    constexpr std::array<std::string_view, 6> words{"__has_include", "__DATE__", "__TIME__",
                                                    "__TIMESTAMP__", ".incbin",  "#embed"};
    for (const std::string& file : files_) {
        if (is_system(file)) continue;
        std::error_code error;
        if (file.find('\n') != std::string::npos) return "a name with a line break";
        if (fs::last_write_time(file, error) >= start && !error)
            return fmt::format("{} was written meanwhile", file);
        const auto content = read_file(file);
        if (!content) return fmt::format("{} cannot be read", file);
        for (const std::string_view word : words)
            if (content->find(word) != std::string::npos)
                return fmt::format("{} has {}", file, word);
    }
    return {};
}

}  // namespace cugrade

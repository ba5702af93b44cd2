#include "cluster/run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "cluster/plan.hpp"
#include "core/utc.hpp"
#include "seal/private_file.hpp"

namespace cugrade::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_of_a_claim = 4 << 10;
constexpr std::size_t most_of_a_result = 64 << 20;  // chosen: reports have less than 1 MiB
constexpr std::string_view claim_purpose = "cluster claim";
constexpr std::string_view result_purpose = "cluster result";
constexpr std::string_view died = ".died-";
constexpr std::string_view refused = ".refused-";

/// The number at the begin of a file's name, and what follows it. Nothing for other files.
struct Numbered {
    std::size_t number = 0;
    std::string_view rest;
};
std::optional<Numbered> numbered(std::string_view name) {
    Numbered out;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out.number);
    if (error != std::errc{} || name.front() == '+') return std::nullopt;
    out.rest = name.substr(static_cast<std::size_t>(end - name.data()));
    return out;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        out.push_back(it->path().filename().string());
    return out;
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Status make_private(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error) fs::permissions(folder, fs::perms::owner_all, error);
    if (error)
        return Error{.message = "cannot make the folder: " + error.message(),
                     .file = folder.string()};
    return Done{};
}

}  // namespace

Status Stage::make() const {
    for (const fs::path& folder : {claims(), results_folder()})
        if (auto made = make_private(folder); !made) return made;
    return Done{};
}

Result<bool> Stage::claim(std::size_t item, const Worker& worker) const {
    const std::string number = std::to_string(item);
    const std::string text = fmt::format("{}\n{}\n{} process {} since {}\n", worker.task,
                                         worker.start, host_name(), ::getpid(), utc_now());
    const Status written =
        write_coded(claims() / number, key_, claim_purpose, {run_, name_, number}, text);
    if (written) return true;
    if (seal::is_there_already(written.error())) return false;
    return written.error();
}

bool Stage::is_claimed(std::size_t item) const {
    std::error_code error;
    return fs::exists(claims() / std::to_string(item), error);
}

std::set<std::size_t> Stage::taken() const {
    std::set<std::size_t> out;
    for (const fs::path& folder : {claims(), results_folder()})
        for (const std::string& name : names_in(folder))
            if (const auto file = numbered(name); file && file->rest.empty())
                out.insert(file->number);
    return out;
}

std::map<std::size_t, Stage::Claim> Stage::open_claims() const {
    const std::vector<std::size_t> with_result = results();
    const std::set<std::size_t> ended(with_result.begin(), with_result.end());
    std::map<std::size_t, Claim> out;
    for (const std::string& name : names_in(claims())) {
        const auto file = numbered(name);
        if (!file || !file->rest.empty() || ended.contains(file->number)) continue;
        // One that cannot be believed is nobody's, so it will be freed.
        Claim claim;
        if (const auto text = read_coded(claims() / name, key_, claim_purpose, {run_, name_, name},
                                         most_of_a_claim)) {
            std::istringstream in(*text);
            std::getline(in, claim.worker.task);
            in >> claim.worker.start;
            in.ignore();
            std::getline(in, claim.where);
        } else if (std::error_code error; !fs::exists(claims() / name, error)) {
            continue;  // freed meanwhile
        }
        out.emplace(file->number, std::move(claim));
    }
    return out;
}

void Stage::free(std::size_t item) const {
    const std::string number = std::to_string(item);
    std::error_code gone;
    fs::rename(claims() / number,
               claims() / fmt::format("{}{}{}", number, died, seal::random_hex(8)), gone);
}

std::map<std::size_t, int> Stage::deaths() const {
    std::map<std::size_t, int> out;
    for (const std::string& name : names_in(claims()))
        if (const auto file = numbered(name); file && file->rest.starts_with(died))
            ++out[file->number];
    return out;
}

Status Stage::leave(std::size_t item, std::string_view text) const {
    const std::string number = std::to_string(item);
    Status written =
        write_coded(results_folder() / number, key_, result_purpose, {run_, name_, number}, text);
    if (!written && seal::is_there_already(written.error())) return Done{};
    return written;
}

bool Stage::has_result(std::size_t item) const {
    std::error_code error;
    return fs::exists(results_folder() / std::to_string(item), error);
}

std::vector<std::size_t> Stage::results() const {
    std::vector<std::size_t> out;
    for (const std::string& name : names_in(results_folder()))
        if (const auto file = numbered(name); file && file->rest.empty())
            out.push_back(file->number);
    std::ranges::sort(out);
    return out;
}

Result<std::string> Stage::result(std::size_t item) const {
    const std::string number = std::to_string(item);
    return read_coded(results_folder() / number, key_, result_purpose, {run_, name_, number},
                      most_of_a_result);
}

void Stage::refuse(std::size_t item) const {
    const std::string number = std::to_string(item);
    std::error_code gone;
    fs::rename(results_folder() / number,
               results_folder() / fmt::format("{}{}{}", number, refused, seal::random_hex(8)),
               gone);
    free(item);
}

fs::path cluster_folder(const fs::path& out) { return out / ".cluster"; }
fs::path plan_file(const fs::path& run) { return run / "plan"; }
fs::path log_folder(const fs::path& run) { return run / "log"; }

}  // namespace cugrade::cluster

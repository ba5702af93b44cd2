#include "emulator/observe/unread_stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cugrade::emulator {
namespace {

constexpr std::uint64_t word_bytes = 4;
/// Chosen: what the smallest failing case of a task stores. More is not followed.
constexpr std::size_t most_words = std::size_t{1} << 20;

}  // namespace

void UnreadStores::launch_started(const Launch& launch) { numbers_[&launch] = ++launches_; }

std::uint32_t UnreadStores::site_of(const Warp& w, const Ins* i) {
    const Program& program = *w.launch->program;
    const std::uint32_t launch = numbers_[w.launch];
    const auto [known, is_new] =
        site_of_.try_emplace(std::uint64_t{launch} << 32 | program.index_of(i));
    if (!is_new) return known->second;
    Site site{demangled(w.launch->kernel->source->name), launch, place_of(program, i)};
    const auto same = std::ranges::find_if(sites_, [&](const Site& one) {
        return one.launch == site.launch && one.place.same_line(site.place);
    });
    known->second = static_cast<std::uint32_t>(same - sites_.begin());
    if (same == sites_.end()) sites_.push_back(std::move(site));
    return known->second;
}

void UnreadStores::accessed(const Warp& w, const Ins* i, const Access& a) {
    if (a.space != ptx::Space::global) return;
    const std::uint32_t site = site_of(w, i);
    for_lanes(a.mask, [&](std::uint32_t l) {
        const std::uint64_t first = a.address[l] / word_bytes;
        const std::uint64_t last = (a.address[l] + a.bytes - 1) / word_bytes;
        for (std::uint64_t at = first; at <= last; ++at) {
            if (a.kind == Access::Kind::store) {
                if (words_.size() < most_words || words_.contains(at)) words_[at] = {site, false};
            } else if (const auto word = words_.find(at); word != words_.end()) {
                word->second.is_read = true;
                readers_[at] = site;
            }
        }
        return true;
    });
}

void UnreadStores::read(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t at = address / word_bytes; at * word_bytes < address + bytes; ++at)
        if (const auto word = words_.find(at); word != words_.end()) word->second.is_read = true;
}

std::vector<Finding> UnreadStores::findings(const OwnAllocation& allocation_of) const {
    struct Stored {
        std::size_t all = 0, unread = 0;
    };
    std::map<std::pair<std::uint64_t, std::uint32_t>, Stored> by_site;
    std::map<std::uint64_t, std::map<std::uint32_t, std::size_t>> readers;
    for (const auto& [at, word] : words_) {
        const auto allocation = allocation_of(at * word_bytes);
        if (!allocation) continue;
        Stored& stored = by_site[{*allocation, word.site}];
        ++stored.all;
        if (!word.is_read) ++stored.unread;
        if (const auto reader = readers_.find(at); reader != readers_.end())
            ++readers[*allocation][reader->second];
    }
    std::vector<Finding> all;
    for (const auto& [key, stored] : by_site) {
        const auto& [allocation, number] = key;
        // Three of four. Chosen: of a scan's block sums, all but the last are read.
        if (stored.unread < 2 || 4 * stored.unread < 3 * stored.all) continue;
        const Site& site = sites_[number];
        Finding f;
        f.kind = FindingKind::unread_stores;
        f.kernel = site.kernel;
        f.place = site.place;
        f.count = stored.unread;
        // Of another kernel: what it reads of the same memory, it may have too little of.
        std::size_t most = 0;
        for (const auto& [reader, words] : readers[allocation])
            if (sites_[reader].kernel != site.kernel && words > most) {
                most = words;
                f.second = sites_[reader].place;
            }
        f.message = fmt::format(
            "{} of {} words that {} stores in memory of the program's own are read by nobody",
            stored.unread, stored.all, site.place.text());
        all.push_back(std::move(f));
    }
    std::ranges::sort(all, std::ranges::greater{}, &Finding::count);
    return all;
}

}  // namespace cugrade::emulator

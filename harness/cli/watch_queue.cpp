#include "cli/watch_queue.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cugrade::cli {

std::vector<record::Who> WatchQueue::look(const std::vector<Seen>& all, Time now,
                                          std::vector<LandedCopy>& gone) {
    std::set<record::Who> there;
    std::vector<record::Who> landed;
    for (const Seen& one : all) {
        there.insert(one.who);
        State& state = states_[one.who];
        if (state.stamp != one.stamp)
            state = {.stamp = one.stamp, .changed_at = one.changed_at, .since = now};
        if (state.has_landed || now - state.since < settle_) continue;
        state.has_landed = true;
        landed.push_back(one.who);
    }
    const auto is_gone = [&](const record::Who& who) { return !there.contains(who); };
    std::erase_if(states_, [&](const auto& one) { return is_gone(one.first); });
    const auto first = std::stable_partition(
        waiting_.begin(), waiting_.end(), [&](const LandedCopy& one) { return !is_gone(one.who); });
    for (auto it = first; it != waiting_.end(); ++it) {
        newest_.erase(it->who);
        gone.push_back(std::move(*it));
    }
    waiting_.erase(first, waiting_.end());
    return landed;
}

void WatchQueue::land_later(const record::Who& who, Time now) {
    State& state = states_[who];
    state.has_landed = false;
    state.since = now;
}

bool WatchQueue::is_landing() const {
    return std::ranges::any_of(states_, [](const auto& one) { return !one.second.has_landed; });
}

bool WatchQueue::is_landing_until(std::int64_t until) const {
    return std::ranges::any_of(states_, [&](const auto& one) {
        return !one.second.has_landed && one.second.changed_at <= until;
    });
}

std::size_t WatchQueue::unfinished(std::optional<std::int64_t> until) const {
    std::set<record::Who> who;
    for (const auto& [of, state] : states_)
        if (!state.has_landed && (!until || state.changed_at <= *until)) who.insert(of);
    for (const LandedCopy& one : waiting_) who.insert(one.who);
    return who.size();
}

std::vector<LandedCopy> WatchQueue::put(LandedCopy copy) {
    if (const auto newest = newest_.find(copy.who);
        newest != newest_.end() && newest->second.sha256 == copy.sha256) {
        // It keeps the time at which this content came first. Files are not those of both.
        if (newest->second.source == copy.source) return {};
        return {std::move(copy)};
    }
    std::vector<LandedCopy> replaced;
    std::erase_if(waiting_, [&](LandedCopy& one) {
        const bool goes = one.who == copy.who && one.lateness >= copy.lateness;
        if (goes) replaced.push_back(std::move(one));
        return goes;
    });
    newest_[copy.who] = {copy.sha256, copy.source};
    waiting_.push_back(std::move(copy));
    return replaced;
}

void WatchQueue::is_graded(const record::Who& who, const std::string& sha256) {
    graded_.insert(who);
    // A newer copy may wait.
    if (const auto newest = newest_.find(who);
        newest == newest_.end() || newest->second.sha256 == sha256)
        newest_[who] = {sha256, {}};
}

void WatchQueue::has_failed(const record::Who& who) {
    if (std::ranges::find(waiting_, who, &LandedCopy::who) == waiting_.end()) newest_.erase(who);
}

std::vector<LandedCopy> WatchQueue::next(std::size_t most) {
    std::vector<std::size_t> order;
    std::set<record::Who> first_of;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
        if (first_of.insert(waiting_[i].who).second) order.push_back(i);
    const auto turn = [&](std::size_t i) {
        return std::tuple(graded_.contains(waiting_[i].who), waiting_[i].landed_at);
    };
    std::ranges::stable_sort(order, {}, turn);
    order.resize(std::min(order.size(), most));
    std::vector<LandedCopy> out;
    for (const std::size_t i : order) out.push_back(waiting_[i]);
    std::ranges::sort(order, std::greater<>());
    for (const std::size_t i : order) waiting_.erase(waiting_.begin() + static_cast<long>(i));
    return out;
}

void WatchQueue::put_back(LandedCopy copy) { waiting_.insert(waiting_.begin(), std::move(copy)); }

void Pace::add(std::size_t gradings, double seconds) {
    constexpr double of_older = 0.7;  // chosen: some rounds count, and the first do not for long
    gradings_ = gradings_ * of_older + static_cast<double>(gradings);
    seconds_ = seconds_ * of_older + seconds;
}

std::optional<double> Pace::seconds_for(std::size_t gradings) const {
    if (gradings_ <= 0) return std::nullopt;
    return seconds_ / gradings_ * static_cast<double>(gradings);
}

std::string waiting_text(std::size_t waiting, const Pace& pace) {
    std::string text =
        waiting == 1 ? std::string("1 hand-in waits") : fmt::format("{} hand-ins wait", waiting);
    if (const auto seconds = pace.seconds_for(waiting))
        text += *seconds < 60 ? fmt::format(", about {:.0f} s", std::ceil(*seconds))
                              : fmt::format(", about {:.0f} min", std::ceil(*seconds / 60));
    return text;
}

}  // namespace cugrade::cli

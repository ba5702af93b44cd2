// The grader's side of the sandbox. Theory of operation:
//
// A Channel is a supervisor and the socket to it. A command's whole description goes through that
// socket; nothing secret or long appears on a command line. From then on the supervisor does
// everything: it starts the command, drains its output, watches the limits and ends the tree. The
// grader needs no thread and no timer per command: the Answer waits in the socket until `wait`
// reads it. With an enclosure the channel is used again after that. A submission's first channel is to
// the supervisor of a maker of enclosures (maker.hpp), where the machine allows one; each enclosure's
// supervisor is a copy of that one, with a channel of its own.
//
// The socket is also the leash. Its other end sees end-of-file when `kill` shuts it down or when
// the grader is gone for whatever reason, SIGKILL included, and that ends the tree.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <future>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "core/files.hpp"
#include "sandbox/calls.hpp"
#include "sandbox/channel.hpp"
#include "sandbox/enclosure.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/users.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;

/// How long an enclosure may take to be made on a machine that is busy.
constexpr std::chrono::seconds longest_making{60};

// ---- Enclosures ------------------------------------------------------------------------------

class OwnEnclosure final : public sandbox::Enclosure {
public:
    OwnEnclosure(std::shared_ptr<Channel> channel, process::Descriptor folder)
        : channel_(std::move(channel)), folder_(std::move(folder)) {}

    Result<std::unique_ptr<Process>> start(const Command& command, const Limits& limits) override {
        if (!is_idle()) return harness_error("the sandbox cannot take another command", EBUSY);
        return start_on(channel_, command, limits);
    }
    Status make_folder(const fs::path& name) override { return put("/dev/null", name / ""); }

    Status put(const fs::path& file, const fs::path& name) override {
        const process::Descriptor content(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        if (!content.is_open()) return cannot("read", file, errno);
        auto job = job_of({}, name.string(), {}, {});
        if (!job) return job.error();
        job->request.kind = wire::Kind::put;
        if (auto sent = channel_->send(*job, {content.get()}); !sent) return sent;
        wire::Answer answer;
        std::vector<process::Descriptor> none;
        if (!channel_->receive(&answer, sizeof answer, Clock::now() + longest_making, none))
            return harness_error("cannot put a file into the sandbox", EPIPE);
        if (answer.exit_code != 0) return cannot("put into the sandbox", file, answer.exit_code);
        return Done{};
    }
    bool is_idle() const override { return channel_->state == Channel::State::idle; }
    bool is_over() const override { return channel_->state == Channel::State::over; }
    const process::Descriptor& folder() const override { return folder_; }

private:
    std::shared_ptr<Channel> channel_;
    process::Descriptor folder_;
};

/// The error for what bubblewrap has said.
Error no_enclosure(const std::string& why) {
    Error error{.kind = ErrorKind::harness, .message = "no sandbox can be made: " + why};
    // A namespace, a map of users, a mount, the loopback device: the machine allows none of them.
    const auto says = [&why](const char* text) { return why.find(text) != std::string::npos; };
    if (!says("amespace") && !says("ermission denied") && !says("not permitted")) return error;
    const auto is = [](const char* file, char value) {
        char text[8] = {};
        return read_file(file, text, sizeof text) > 0 && text[0] == value;
    };
    if (is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        error.remedy =
            "AppArmor keeps programs from making user namespaces here: let bubblewrap make them, "
            "as docs/security.md says";
    else if (is("/proc/sys/user/max_user_namespaces", '0'))
        error.remedy = "let users make namespaces: sysctl user.max_user_namespaces=10000";
    else if (is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        error.remedy = "let users make namespaces: sysctl kernel.unprivileged_userns_clone=1";
    else
        error.remedy =
            "allow the container to make namespaces and mounts; within a plain chroot the kernel "
            "makes none; docs/security.md says what is needed";
    return error;
}

class OwnKeeper final : public Keeper {
public:
    OwnKeeper(fs::path libexec, std::optional<User> user)
        : libexec_(std::move(libexec)), user_(std::move(user)) {}

    std::optional<uid_t> own_user() const override {
        return user_ ? std::optional(user_->id()) : std::nullopt;
    }

    Result<std::unique_ptr<Enclosure>> enclose(const View& view) override {
        if (auto begun = take_begun(view)) return finish_enclosing(view, std::move(begun));
        auto channel = begin_to_enclose(view);
        if (!channel) return channel.error();
        return finish_enclosing(view, *std::move(channel));
    }

    Status prepare(const View& view, int count) override {
        const std::lock_guard lock(mutex_);
        const auto there = std::ranges::count(begun_, view, &Begun::view) +
                           std::ranges::count(kept_, view, &Kept::view);
        for (auto i = there; i < count; ++i) {
            auto channel = begin_to_enclose(view);
            if (!channel) return channel.error();
            begun_.push_back({view, *std::move(channel)});
        }
        return Done{};
    }

    Result<std::unique_ptr<Process>> start(const View& view, const Command& command,
                                           const Limits& limits) override {
        {
            const std::lock_guard lock(mutex_);
            std::erase_if(kept_, [](const Kept& one) { return one.enclosure->is_over(); });
            for (Kept& one : kept_)
                if (one.view == view && one.enclosure->is_idle())
                    return one.enclosure->start(command, limits);
        }
        auto made = enclose(view);
        if (!made) return made.error();
        auto process = (*made)->start(command, limits);
        keep(view, *std::move(made));
        return process;
    }

    void keep(const View& view, std::unique_ptr<Enclosure> made) {
        const std::lock_guard lock(mutex_);
        kept_.push_back({view, std::move(made)});
    }

private:
    struct Begun {
        View view;
        std::shared_ptr<Channel> channel;
    };
    struct Kept {
        View view;
        std::unique_ptr<Enclosure> enclosure;
    };

    /// What prepare() has begun with this view; null: nothing.
    std::shared_ptr<Channel> take_begun(const View& view) {
        const std::lock_guard lock(mutex_);
        const auto same = std::ranges::find(begun_, view, &Begun::view);
        if (same == begun_.end()) return nullptr;
        auto channel = std::move(same->channel);
        begun_.erase(same);
        return channel;
    }

    /// Tells a supervisor what to make. It is made while the caller does something else.
    Result<std::shared_ptr<Channel>> begin_to_enclose(const View& view) {
        const auto& filter = filter_for(view.calls);
        if (!filter) return filter.error();
        if (can_copy) {
            auto mounts = mounts_by_maker(view, own_user());
            if (!mounts) return mounts.error();
            auto channel = *mounts ? begin_by_maker(view, **mounts, *filter) : nullptr;
            if (channel) return channel;
        }
        return begin_by_bubblewrap(view, *filter);
    }

    Result<std::shared_ptr<Channel>> begin_by_bubblewrap(const View& view, const Filter& filter) {
        const auto command = enclosure_command(view, libexec_ / "sandbox-init", own_user());
        if (!command) return command.error();
        return start_bubblewrap(*command, &filter);
    }

    /// Null: it cannot be.
    std::shared_ptr<Channel> begin_by_maker(const View& view, const Mounts& mounts,
                                            const Filter& filter) {
        const auto maker = maker_of_all();
        if (maker == nullptr || mounts.descriptors.size() >= wire::max_fds) return nullptr;
        auto job = job_of(as_strings(mounts.all), view.folder, {}, {});
        auto channel = Channel::open_by(maker);
        if (!job || !channel) return nullptr;
        job->request.kind = wire::Kind::enclose;
        job->request.keeps_files = view.keeps_files ? 1 : 0;
        job->request.exec_from = filter.exec_from;
        job->filter = filter.instructions;
        std::vector<int> fds;
        for (const process::Descriptor& file : mounts.descriptors) fds.push_back(file.get());
        return (*channel)->send(*job, fds) ? *std::move(channel) : nullptr;
    }

    /// The channel to the supervisor of this submission's maker (maker.hpp), which is begun when it is
    /// first needed. Null: it cannot be.
    std::shared_ptr<Channel> maker_of_all() {
        const std::lock_guard lock(maker_mutex_);
        if (maker_ != nullptr) return maker_;
        const auto command = maker_command(libexec_ / "sandbox-init", own_user());
        if (!command) return nullptr;
        auto begun = start_bubblewrap(*command, nullptr);
        if (begun) maker_ = *std::move(begun);
        return maker_;
    }

    /// `filter`: for the commands of an enclosure; null for a maker.
    Result<std::shared_ptr<Channel>> start_bubblewrap(const EnclosureCommand& command,
                                                      const Filter* filter) {
        auto job = job_of(command.arguments, command.arguments.front(), "/", {});
        if (!job) return job.error();
        job->request.kind = wire::Kind::enclose;
        if (filter != nullptr) {
            job->request.exec_from = filter->exec_from;
            job->filter = filter->instructions;
        }
        std::vector<int> fds;
        if (command.descriptors.size() + 1 >= wire::max_fds)
            return Error{.kind = ErrorKind::harness, .message = "a sandbox with too many files"};
        for (const process::Descriptor& file : command.descriptors) {
            job->request.fd_targets[fds.size()] = first_descriptor + static_cast<int>(fds.size());
            fds.push_back(file.get());
        }
        if (user_) {
            job->request.user = user_->id();
            job->request.fd_targets[fds.size()] = wire::held;
            fds.push_back(user_->lock());
        }
        auto channel = Channel::open(libexec_ / "supervisor");
        if (!channel) return channel.error();
        if (auto sent = (*channel)->send(*job, fds); !sent) return sent.error();
        return channel;
    }

    /// What a maker cannot make, bubblewrap may. No maker of this process is asked again then.
    Result<std::unique_ptr<Enclosure>> finish_enclosing(const View& view,
                                                        std::shared_ptr<Channel> channel) {
        const bool is_by_maker = channel->is_of_copy();
        auto made = receive_enclosure(std::move(channel));
        if (made || !is_by_maker) return made;
        auto begun = begin_by_bubblewrap(view, *filter_for(view.calls));
        if (!begun) return begun.error();
        made = receive_enclosure(*std::move(begun));
        if (made) can_copy = false;
        return made;
    }

    static Result<std::unique_ptr<Enclosure>> receive_enclosure(std::shared_ptr<Channel> channel) {
        wire::Answer answer;
        std::vector<process::Descriptor> came;
        if (!channel->receive(&answer, sizeof answer, Clock::now() + longest_making, came))
            return Error{.kind = ErrorKind::harness,
                         .message = "the supervisor of a sandbox ended or hung"};
        answer.message[sizeof answer.message - 1] = '\0';
        if (answer.end != End::exited || came.size() != (channel->is_of_copy() ? 2 : 1))
            return no_enclosure(answer.message);
        if (channel->is_of_copy()) channel->set_copy(std::move(came.back()));
        channel->set_root(answer.init);
        return std::unique_ptr<Enclosure>(
            std::make_unique<OwnEnclosure>(std::move(channel), std::move(came.front())));
    }

    /// Whether a maker can make enclosures on this machine, as far as it is known.
    static inline std::atomic<bool> can_copy = true;

    fs::path libexec_;
    std::optional<User> user_;
    std::mutex mutex_;
    std::vector<Begun> begun_;
    std::vector<Kept> kept_;
    std::mutex maker_mutex_;
    std::shared_ptr<Channel> maker_;
};

}  // namespace

std::string find_program(const std::string& name, std::string_view path) {
    if (name.find('/') != std::string::npos) return name;
    while (!path.empty()) {
        const std::size_t colon = path.find(':');
        const fs::path candidate = fs::path(path.substr(0, colon)) / name;
        std::error_code error;
        if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error))
            return candidate;
        path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    }
    return name;
}

Result<std::unique_ptr<Process>> start(const fs::path& supervisor, const Command& command,
                                       const Limits& limits) {
    auto channel = Channel::open(supervisor);
    if (!channel) return channel.error();
    return start_on(*std::move(channel), command, limits);
}

Result<Outcome> run(const fs::path& supervisor, const Command& command, const Limits& limits) {
    auto process = start(supervisor, command, limits);
    if (!process) return process.error();
    return (*process)->wait();
}

namespace {

using MadeKeeper = Result<std::unique_ptr<Keeper>>;

/// Exchanges what was begun ahead of its use, which is for the first that asks.
std::future<MadeKeeper> exchange_ahead(std::future<MadeKeeper> begun) {
    static std::mutex mutex;
    static std::future<MadeKeeper> ahead;
    const std::lock_guard lock(mutex);
    return std::exchange(ahead, std::move(begun));
}

MadeKeeper make_keeper(const fs::path& libexec) {
    auto user = User::take();
    if (!user) return user.error();
    auto keeper = std::make_unique<OwnKeeper>(libexec, *std::move(user));
    static std::atomic<bool> can = false;
    if (!can) {
        auto tried = keeper->enclose(runner_view());
        if (!tried) return tried.error();
        keeper->keep(runner_view(), *std::move(tried));  // a runner takes it
        can = true;
    }
    return std::unique_ptr<Keeper>(std::move(keeper));
}

}  // namespace

MadeAhead::MadeAhead(const fs::path& libexec) {
    (void)exchange_ahead(std::async(std::launch::async, make_keeper, libexec));
}

MadeAhead::~MadeAhead() { (void)exchange_ahead({}); }

Result<std::unique_ptr<Keeper>> Keeper::make(const fs::path& libexec) {
    std::future<MadeKeeper> begun = exchange_ahead({});
    return begun.valid() ? begun.get() : make_keeper(libexec);
}

Result<Isolated> isolate(const fs::path& libexec, Isolation wanted) {
    if (wanted == Isolation::off) return Isolated{};
    auto keeper = Keeper::make(libexec);
    if (keeper) return Isolated{*std::move(keeper), {}};
    if (wanted == Isolation::if_possible) return Isolated{nullptr, keeper.error().message};
    Error error = keeper.error();
    error.remedy += error.remedy.empty() ? "" : "; ";
    error.remedy += "or grade with --sandbox off, if you trust all submissions";
    return error;
}

}  // namespace cugrade::sandbox

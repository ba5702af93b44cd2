// What the grader and the process of the oracles say to each other, on one UNIX socket: the process
// first says which oracles it has, and then each request gets one reply. One description of each
// type serves both directions. Both ends are the same build, so numbers are sent as they lie in
// memory.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/case_data.hpp"
#include "core/clock.hpp"

namespace cugrade::oracle {

inline constexpr int connection = 3;  ///< the descriptor that the process inherits

/// The other end is gone, or sends more than there can be.
struct Broken {};

/// The other end took too long.
struct Late {};

/// When an exchange has to be over; nothing: never. The grader always sets one, the process of the
/// oracles never: it ends when the grader does.
using Deadline = std::optional<Clock::time_point>;

/// Waits until the socket can be read or written.
inline void wait_for(int socket, short events, const Deadline& deadline) {
    if (!deadline) return;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
        if (left <= 0) throw Late{};
        pollfd waiting{socket, events, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR) throw Broken{};
    }
}

class Writer {
public:
    explicit Writer(int socket, Deadline deadline = std::nullopt)
        : socket_(socket), deadline_(deadline) {}
    void raw(const void* bytes, std::size_t size) {
        if (size < pending_most) {
            pending_.append(static_cast<const char*>(bytes), size);
            if (pending_.size() >= pending_most) flush();
        } else {
            flush();
            send_all(bytes, size);
        }
    }
    void flush() {
        send_all(pending_.data(), pending_.size());
        pending_.clear();
    }

private:
    static constexpr std::size_t pending_most = 1 << 16;
    void send_all(const void* bytes, std::size_t size) const {
        const auto* at = static_cast<const char*>(bytes);
        while (size > 0) {
            wait_for(socket_, POLLOUT, deadline_);
            const ssize_t sent =
                ::send(socket_, at, size, MSG_NOSIGNAL | (deadline_ ? MSG_DONTWAIT : 0));
            if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (sent <= 0) throw Broken{};
            at += sent;
            size -= static_cast<std::size_t>(sent);
        }
    }
    int socket_;
    Deadline deadline_;
    std::string pending_;
};

class Reader {
public:
    /// Takes no message that is larger than `most_bytes`.
    Reader(int socket, std::uint64_t most_bytes, Deadline deadline = std::nullopt)
        : socket_(socket), deadline_(deadline), left_(most_bytes) {}
    void raw(void* bytes, std::size_t size) {
        auto* to = static_cast<char*>(bytes);
        while (size > 0) {
            if (begin_ == end_ && size >= sizeof buffer_) {
                const std::size_t got = receive(to, size);
                to += got;
                size -= got;
                continue;
            }
            if (begin_ == end_) {
                begin_ = 0;
                end_ = receive(buffer_, sizeof buffer_);
            }
            const std::size_t part = std::min(size, end_ - begin_);
            std::memcpy(to, buffer_ + begin_, part);
            begin_ += part;
            to += part;
            size -= part;
        }
    }
    /// Number of elements that follow, of `bytes_each` bytes each.
    std::size_t count(std::size_t bytes_each) {
        std::uint64_t count = 0;
        raw(&count, sizeof count);
        if (count > left_ / bytes_each) throw Broken{};
        left_ -= count * bytes_each;
        return static_cast<std::size_t>(count);
    }

private:
    std::size_t receive(char* to, std::size_t size) const {
        for (;;) {
            wait_for(socket_, POLLIN, deadline_);
            const ssize_t got = ::recv(socket_, to, size, deadline_ ? MSG_DONTWAIT : 0);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got <= 0) throw Broken{};
            return static_cast<std::size_t>(got);
        }
    }
    int socket_;
    Deadline deadline_;
    std::uint64_t left_;
    std::size_t begin_ = 0, end_ = 0;
    char buffer_[1 << 14];
};

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::byte>;

// --- the types, in one direction or the other

template <Plain T>
void put(Writer& w, const T& value) {
    w.raw(&value, sizeof value);
}
/// The last value of the types of which not every number is one.
template <class T>
inline constexpr std::uint8_t last_of = 0;

template <Plain T>
void take(Reader& r, T& value) {
    if constexpr (std::is_same_v<T, bool> || (std::is_enum_v<T> && !std::is_same_v<T, std::byte>)) {
        unsigned char bytes[sizeof(T)];
        r.raw(bytes, sizeof bytes);
        if (bytes[0] > last_of<T> ||
            std::any_of(bytes + 1, bytes + sizeof bytes, [](unsigned char b) { return b != 0; }))
            throw Broken{};
        std::memcpy(&value, bytes, sizeof value);
    } else {
        r.raw(&value, sizeof value);
    }
}
template <>
inline constexpr std::uint8_t last_of<bool> = 1;
template <>
inline constexpr std::uint8_t last_of<DType> = static_cast<std::uint8_t>(DType::f64);
template <>
inline constexpr std::uint8_t last_of<Role> = static_cast<std::uint8_t>(Role::scalar);
template <>
inline constexpr std::uint8_t last_of<Visibility> = static_cast<std::uint8_t>(Visibility::hidden);

inline void put(Writer& w, const std::string& text) {
    put(w, std::uint64_t{text.size()});
    w.raw(text.data(), text.size());
}
inline void take(Reader& r, std::string& text) {
    text.resize(r.count(1));
    r.raw(text.data(), text.size());
}

template <class T>
void put(Writer& w, const std::vector<T>& values);
template <class T>
void take(Reader& r, std::vector<T>& values);
template <class T, class L>
void put(Writer& w, const std::map<std::string, T, L>& values);
template <class T, class L>
void take(Reader& r, std::map<std::string, T, L>& values);
template <class T>
void put(Writer& w, const std::optional<T>& value) {
    put(w, value.has_value());
    if (value) put(w, *value);
}
template <class T>
void take(Reader& r, std::optional<T>& value) {
    bool there = false;
    take(r, there);
    if (there) take(r, value.emplace());
}

/// Calls f(member) for each member of the types that are made of others.
template <class F>
void members(ArgumentSpec& a, F&& f) {
    f(a.name), f(a.dtype), f(a.role), f(a.shape);
}
template <class F>
void members(DataSpec& d, F&& f) {
    f(d.generator), f(d.numbers), f(d.file);
}
template <class F>
void members(CaseSpec& c, F&& f) {
    f(c.id), f(c.visibility), f(c.needs_gpu), f(c.timed), f(c.params), f(c.data);
}
/// Without its cases.
template <class F>
void members(TaskSpec& t, F&& f) {
    f(t.name), f(t.title), f(t.function), f(t.arguments), f(t.moves), f(t.dynamic_parallelism);
}
template <class F>
void members(Array& a, F&& f) {
    f(a.dtype), f(a.shape), f(a.bytes);
}
template <class F>
void members(Expected& e, F&& f) {
    f(e.argument), f(e.value), f(e.bound);
}

/// An oracle that the process has.
struct Row {
    std::string assignment, task;
    bool verifies = false;
};
template <class F>
void members(Row& r, F&& f) {
    f(r.assignment), f(r.task), f(r.verifies);
}

using Arrays = std::map<std::string, Array, std::less<>>;

template <class T>
concept Composed = requires(T& value) {
    members(value, [](auto&) {});
};

template <Composed T>
void put(Writer& w, const T& value) {
    members(const_cast<T&>(value), [&](const auto& member) { put(w, member); });
}
template <Composed T>
void take(Reader& r, T& value) {
    members(value, [&](auto& member) { take(r, member); });
}

template <class T>
void put(Writer& w, const std::vector<T>& values) {
    put(w, std::uint64_t{values.size()});
    if constexpr (Plain<T>)
        w.raw(values.data(), values.size() * sizeof(T));
    else
        for (const T& value : values) put(w, value);
}
template <class T>
void take(Reader& r, std::vector<T>& values) {
    values.resize(r.count(sizeof(T)));
    if constexpr (Plain<T>)
        r.raw(values.data(), values.size() * sizeof(T));
    else
        for (T& value : values) take(r, value);
}
template <class T, class L>
void put(Writer& w, const std::map<std::string, T, L>& values) {
    put(w, std::uint64_t{values.size()});
    for (const auto& [key, value] : values) {
        put(w, key);
        put(w, value);
    }
}
template <class T, class L>
void take(Reader& r, std::map<std::string, T, L>& values) {
    for (std::size_t left = r.count(sizeof(T)); left > 0; --left) {
        std::string key;
        take(r, key);
        take(r, values[key]);
    }
}

// --- the messages

enum class Question : std::uint8_t {
    expected,  ///< what the right answer is
    verify     ///< whether these outputs are one of several right answers
};

/// Before the data, so that the process can limit itself to what it may use for them.
struct Request {
    Question question = Question::expected;
    std::uint64_t memory_bytes = 0;  ///< that the process may use besides what it is itself
    std::string assignment;
    TaskSpec task;
    CaseSpec spec;
    std::uint64_t seed = 0;
    // Then the case's buffers, and, to be verified, the outputs.
};
template <>
inline constexpr std::uint8_t last_of<Question> = static_cast<std::uint8_t>(Question::verify);
template <class F>
void members(Request& r, F&& f) {
    f(r.question), f(r.memory_bytes), f(r.assignment), f(r.task), f(r.spec), f(r.seed);
}

struct Reply {
    std::optional<std::string> thrown;  ///< what the exception said that the oracle threw
    std::vector<Expected> expected;
    std::optional<std::string> wrong;  ///< of outputs that were verified
};
template <class F>
void members(Reply& r, F&& f) {
    f(r.thrown), f(r.expected), f(r.wrong);
}

}  // namespace cugrade::oracle

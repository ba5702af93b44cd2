#include "handin/unpack.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "core/files.hpp"
#include "core/utf8_locale.hpp"
#include "handin/entry_path.hpp"
#include "handin/new_folder.hpp"
#include "process/descriptor.hpp"

namespace cugrade::handin {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

constexpr std::size_t block_bytes = 1U << 16;
constexpr std::string_view hand_in_sources = "hand in the source files alone";

Error refused(std::string message, std::string_view remedy) {
    return Error{.kind = ErrorKind::submission,
                 .message = std::move(message),
                 .remedy = std::string(remedy)};
}

/// "64 MiB", or bytes where that is no whole number.
std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t mib = 1U << 20;
    return bytes % mib == 0 ? fmt::format("{} MiB", bytes / mib) : fmt::format("{} bytes", bytes);
}

/// A reader of these formats only. A filter that libarchive was built without would start a program
/// (gzip), so it counts as a fault.
Result<Reader> make_reader() {
    Reader reader(archive_read_new(), archive_read_free);
    if (!reader) return Error{.message = "libarchive cannot start"};
    // By the list at the end of a zip, as other programs read it: a zip without one is cut off.
    for (const auto support :
         {archive_read_support_format_zip_seekable, archive_read_support_format_tar,
          archive_read_support_filter_gzip, archive_read_support_filter_xz})
        if (support(reader.get()) != ARCHIVE_OK)
            return Error{.message = "this libarchive cannot read .zip, .tar.gz and .tar.xz",
                         .remedy = "install the distribution's libarchive"};
    return reader;
}

/// Opens a regular file and follows no link: the reader may see more files than the student.
Result<process::Descriptor> open_archive(const fs::path& path, std::uint64_t& bytes) {
    process::Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open()) return cannot("read", path, errno);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return cannot("read", path, errno);
    if (!S_ISREG(info.st_mode)) return cannot("read", path, EINVAL);
    bytes = static_cast<std::uint64_t>(info.st_size);
    return file;
}

Status write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannot("write", "what is unpacked", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return Done{};
}

/// What an entry is that is neither a file nor a folder; empty if it is one of these.
std::string_view wrong_kind(archive_entry* entry) {
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr)
        return "a link";
    switch (archive_entry_filetype(entry)) {
        case AE_IFREG:
        case AE_IFDIR: return "";
        case AE_IFLNK: return "a link";
        case AE_IFIFO: return "a pipe";
        case AE_IFSOCK: return "a socket";
        default: return "a device";
    }
}

/// The bytes as they are in the archive, where they are no UTF-8.
std::string name_of(archive_entry* entry) {
    const char* name = archive_entry_pathname_utf8(entry);
    if (name == nullptr) name = archive_entry_pathname(entry);
    return name != nullptr ? name : "";
}

class Unpacking {
public:
    Unpacking(archive* reader, std::uint64_t archive_bytes, const Limits& limits, NewFolder& into)
        : reader_(reader), archive_bytes_(archive_bytes), limits_(limits), into_(into) {}

    Result<Unpacked> run() {
        for (;;) {
            const std::int64_t end_of_data = archive_filter_bytes(reader_, 0);
            archive_entry* entry = nullptr;
            const int got = archive_read_next_header(reader_, &entry);
            if (got == ARCHIVE_EOF) {
                if (lacks_end(end_of_data)) return damaged("it is cut off");
                break;
            }
            if (got < ARCHIVE_WARN) return broken();
            if (auto status = add(entry); !status) return status.error();
        }
        if (into_.entries() == 0)
            return refused("the archive holds no file", "put your source files into it");
        return Unpacked{.entries = into_.entries(), .bytes = total_};
    }

private:
    /// A tar ends with a block of zeros. libarchive does without, but then files may be missing.
    [[nodiscard]] bool lacks_end(std::int64_t end_of_data) const {
        constexpr std::int64_t tar_block = 512;
        const bool is_tar = (archive_format(reader_) & ARCHIVE_FORMAT_BASE_MASK) ==
                            static_cast<int>(ARCHIVE_FORMAT_TAR);
        return is_tar && archive_filter_bytes(reader_, 0) - end_of_data < tar_block;
    }

    Status add(archive_entry* entry) {
        name_ = name_of(entry);
        if (name_.empty()) return damaged("a file in it has no name");
        auto path = entry_path(name_, limits_.depth);
        if (!path) return path.error();
        if (path->is_skipped) {
            if (++skipped_entries_ > limits_.skipped_entries) return too_many_entries();
            return drain();
        }
        if (const std::string_view kind = wrong_kind(entry); !kind.empty())
            return refusal(fmt::format("the archive holds {}", kind), name_, "hand in files only");
        if (archive_entry_is_encrypted(entry) != 0)
            return refusal("a file in the archive is encrypted", name_,
                           "pack it without a password");
        const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
        if (path->parts.empty() && is_folder) return drain();  // `./`
        if (path->parts.empty()) return damaged("a file in it has no name");
        Status added = is_folder ? into_.add_folder(path->parts) : write_file(path->parts);
        if (!added) return added;
        if (into_.entries() > limits_.entries) return too_many_entries();
        return is_folder ? drain() : Status(Done{});
    }

    Status write_file(const std::vector<std::string>& parts) {
        auto file = into_.add_file(parts);
        if (!file) return file.error();
        std::uint64_t bytes = 0;
        return read_data([&](std::string_view piece) -> Status {
            bytes += piece.size();
            total_ += piece.size();
            if (bytes > limits_.file_bytes)
                return refusal(fmt::format("a file in the archive has more than {}",
                                           size_text(limits_.file_bytes)),
                               name_, std::string(hand_in_sources));
            if (total_ > limits_.total_bytes)
                return refused(fmt::format("the archive unpacks to more than {}",
                                           size_text(limits_.total_bytes)),
                               hand_in_sources);
            if (total_ > ratio_from_bytes && total_ / limits_.ratio > archive_bytes_)
                return refused(fmt::format("the archive unpacks to more than {} times its size",
                                           limits_.ratio),
                               hand_in_sources);
            return write_all(file->get(), piece);
        });
    }

    /// Reads what is not wanted. libarchive would pass over it, but without counting.
    Status drain() {
        return read_data([&](std::string_view piece) -> Status {
            skipped_ += piece.size();
            if (skipped_ <= limits_.skipped_bytes) return Done{};
            return refusal(fmt::format("the archive holds more than {} that are no hand-in",
                                       size_text(limits_.skipped_bytes)),
                           name_, std::string(hand_in_sources));
        });
    }

    template <class Take>
    Status read_data(Take take) {
        for (;;) {
            const la_ssize_t got = archive_read_data(reader_, block_.data(), block_.size());
            if (got == 0) return Done{};
            if (got < 0) return broken();
            const Status taken = take({block_.data(), static_cast<std::size_t>(got)});
            if (!taken) return taken;
        }
    }

    [[nodiscard]] Error too_many_entries() const {
        return refused(
            fmt::format("the archive holds more than {} files and folders", limits_.entries),
            hand_in_sources);
    }

    /// libarchive's own reason may hold text of the archive.
    [[nodiscard]] Error broken() const {
        const char* why = archive_error_string(reader_);
        const std::string text = shown(why != nullptr ? why : "no reason");
        if (archive_errno(reader_) == ENOMEM) return Error{.message = "out of memory: " + text};
        return damaged(
            name_.empty() ? text : fmt::format("`{}`, or what follows it: {}", shown(name_), text));
    }

    [[nodiscard]] static Error damaged(std::string_view how) {
        return refused(fmt::format("the archive is damaged ({})", how),
                       "pack your files again, and see that it can be unpacked");
    }

    archive* reader_;
    std::uint64_t archive_bytes_;
    const Limits& limits_;
    NewFolder& into_;
    std::string name_;  ///< of the entry that was begun last; empty: none
    std::uint64_t total_ = 0, skipped_ = 0;
    std::size_t skipped_entries_ = 0;
    std::array<char, block_bytes> block_{};
};

}  // namespace

bool can_unpack() { return true; }

Result<Unpacked> unpack(const fs::path& archive, const fs::path& into, const Limits& limits) {
    std::uint64_t bytes = 0;
    auto file = open_archive(archive, bytes);
    if (!file) return file.error();
    if (bytes > limits.archive_bytes)
        return refused(fmt::format("the archive has more than {}", size_text(limits.archive_bytes)),
                       hand_in_sources);
    const Utf8Locale utf8;  // or names in it lose their letters
    auto reader = make_reader();
    if (!reader) return reader.error();
    if (archive_read_open_fd(reader->get(), file->get(), block_bytes) != ARCHIVE_OK)
        return refused("this is no .zip, .tar, .tar.gz or .tar.xz, or a damaged one",
                       "pack your files again, and see that it can be unpacked");
    // Layers would multiply what has to be gone through before a byte comes out. One is
    // libarchive's.
    if (archive_filter_count(reader->get()) > 2)
        return refused("the archive is compressed more than once", "compress it once");
    auto folder = NewFolder::make(into);
    if (!folder) return folder.error();
    auto unpacked = Unpacking(reader->get(), bytes, limits, *folder).run();
    if (unpacked) folder->keep();
    return unpacked;
}

}  // namespace cugrade::handin

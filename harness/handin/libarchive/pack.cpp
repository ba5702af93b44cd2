#include "handin/pack.hpp"

#include <ctime>
#include <memory>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>

#include "core/utf8_locale.hpp"

namespace cugrade::handin {
namespace {

la_ssize_t append(archive*, void* out, const void* bytes, std::size_t size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
}

}  // namespace

Result<std::string> zip_of(const std::vector<PackedFile>& files) {
    // Of names in another locale the archive would not say that they are UTF-8.
    const Utf8Locale locale;
    constexpr std::time_t day_one = 315576000;  // 1980-01-01 12:00 UTC: zip knows no earlier day
    std::string out;
    const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(),
                                                                         archive_write_free);
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    const auto failed = [&] {
        const char* why = writer ? archive_error_string(writer.get()) : nullptr;
        return Error{.message = std::string("no archive can be made: ") +
                                (why != nullptr ? why : "libarchive cannot start")};
    };
    if (!writer || !entry || archive_write_set_format_zip(writer.get()) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(writer.get(), 1) != ARCHIVE_OK ||
        archive_write_open(writer.get(), &out, nullptr, append, nullptr) != ARCHIVE_OK)
        return failed();
    for (const PackedFile& file : files) {
        archive_entry_clear(entry.get());
        archive_entry_set_pathname(entry.get(), file.name.c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), file.is_program ? 0755 : 0644);
        archive_entry_set_mtime(entry.get(), day_one, 0);
        if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
            archive_write_data(writer.get(), file.content.data(), file.content.size()) !=
                static_cast<la_ssize_t>(file.content.size()))
            return failed();
    }
    if (archive_write_close(writer.get()) != ARCHIVE_OK) return failed();
    return out;
}

}  // namespace cugrade::handin

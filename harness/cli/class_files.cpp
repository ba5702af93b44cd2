#include "cli/class_files.hpp"

#include <set>
#include <string>
#include <string_view>

#include "cli/files.hpp"
#include "core/files.hpp"
#include "record/class_page.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

Status write_if_changed(const fs::path& file, std::string_view text) {
    if (const auto there = read_file(file); there && *there == text) return Done{};
    return write_atomically(file, text);
}

}  // namespace

fs::path class_page_file(const fs::path& out) { return out / "index.html"; }

Status write_class_pages(const fs::path& out, const record::ClassView& view) {
    std::set<fs::path> folders;
    for (const record::ClassRow& row : view.rows) {
        if (row.is_missing) continue;
        const fs::path file = out / record::page_file(row);
        if (folders.insert(file.parent_path()).second) {
            if (Status made = make_folders(file.parent_path()); !made) return made;
            remove_unfinished_files(file.parent_path());
        }
        if (Status written = write_if_changed(file, record::student_page(row)); !written)
            return written;
    }
    return write_if_changed(class_page_file(out), record::class_page(view));
}

}  // namespace cugrade::cli

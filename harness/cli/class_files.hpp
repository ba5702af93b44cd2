// The pages of a class, below the folder of a batch.
#pragma once

#include <filesystem>

#include "core/error.hpp"
#include "record/class_view.hpp"

namespace cugrade::cli {

[[nodiscard]] std::filesystem::path class_page_file(const std::filesystem::path& out);

/// Writes the page of each submission, and then the class's, which links to them. A page that is
/// there with the same bytes is left alone: of a thousand, most are after a --resume.
[[nodiscard]] Status write_class_pages(const std::filesystem::path& out, const record::ClassView&);

}  // namespace cugrade::cli

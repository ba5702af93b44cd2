// A folder that lives as long as the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

class Temporary {
public:
    Temporary() {
        auto name = (std::filesystem::temp_directory_path() / "cugrade-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes `text` to a file below the folder and gives its path.
    std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

private:
    std::filesystem::path path_;
};

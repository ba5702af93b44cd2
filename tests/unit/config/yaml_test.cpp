#include "config/yaml.hpp"

#include "catch.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;

TEST_CASE("sizes are whole numbers of bytes, KiB, MiB or GiB") {
    const Temporary folder;
    const auto bytes = [&](const std::string& text) {
        return guarded(
            [&] { return read_yaml(folder.write("a.yaml", "x: " + text)).map().at("x").bytes(); });
    };
    CHECK(*bytes("1") == 1);
    CHECK(*bytes("512B") == 512);
    CHECK(*bytes("3KiB") == 3072);
    CHECK(*bytes("64MiB") == 64ULL << 20);
    CHECK(*bytes("1048576GiB") == 1ULL << 50);
    for (const auto* text : {"0", "-1", "1.5GiB", "2GB", "2 gib", "1048577GiB", "\"2GiB\"",
                             "99999999999999999999", "[1]", "GiB"}) {
        INFO(text);
        const auto result = bytes(text);
        REQUIRE_FALSE(result);
        CHECK(result.error().line == 1);
        CHECK(result.error().column == 4);
        CHECK_FALSE(result.error().remedy.empty());
    }
}

TEST_CASE("a file that is not one YAML document is told with its place") {
    struct Row {
        std::string text;
        int line, column;
        std::string message;
    };
    const std::vector<Row> rows{
        {"", 0, 0, "the file is empty"},
        {"# nothing\n", 0, 0, "the file is empty"},
        {"a: [1,\n", 2, 1, "end of sequence flow not found"},
        {"a: b: c\n", 1, 5, "illegal map value"},
        {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
        {"a: 1\n...\n, b\n", 3, 1, "nothing can follow"},
        {",", 1, 1, "nothing can follow"},
        {std::string("a: 1\nb: \x04\n"), 2, 4, "control character 0x04"},
        {std::string("a\0b", 3), 1, 2, "control character 0x00"},
        {"a: *nowhere\n", 1, 4, "anchor"},
        {"a: &a [*a]\n", 1, 4, "repeats itself by aliases"},
        {"a: &a [1, 2, 3, 4, 5, 6, 7, 8]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b]\n", 1,
         8, "repeats itself by aliases"},
        {"a:\n  b: 1\n\tc: 2\n", 3, 1, "a tab in the indentation"},
    };
    const Temporary folder;
    for (const auto& row : rows) {
        INFO(row.text);
        const auto file = folder.write("a.yaml", row.text);
        const auto result = guarded([&] { return read_yaml(file).map().entries().size(); });
        REQUIRE_FALSE(result);
        const auto& error = result.error();
        INFO(error.text());
        CHECK(error.kind == ErrorKind::configuration);
        CHECK(error.file == file.string());
        CHECK(error.line == row.line);
        CHECK(error.column == row.column);
        CHECK(error.message.find(row.message) != std::string::npos);
        CHECK_FALSE(error.remedy.empty());
    }
    for (const auto& path : {folder.path() / "missing.yaml", folder.path()}) {
        const auto result = guarded([&] { return read_yaml(path).path(); });
        REQUIRE_FALSE(result);
        CHECK(result.error().file == path.string());
        CHECK_FALSE(result.error().remedy.empty());
    }
    const auto large = folder.write("large.yaml", "# " + std::string(2 << 20, 'x'));
    const auto result = guarded([&] { return read_yaml(large).path(); });
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("1 MiB") != std::string::npos);
}

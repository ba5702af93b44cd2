#include "report/seal.hpp"

#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "core/files.hpp"
#include "report/formats.hpp"
#include "sample.hpp"

using namespace cugrade;
using namespace cugrade::report;

namespace {

using Tree = nlohmann::ordered_json;

const seal::Key grader = *seal::Key::from_hex(std::string(64, '1'));

/// Calls f(json pointer) for each value of the tree that is not an object or a list.
void for_leaves(const Tree& tree, const Tree::json_pointer& at,
                const std::function<void(const Tree::json_pointer&)>& f) {
    if (!tree.is_structured()) return f(at);
    if (tree.is_object())
        for (const auto& [key, value] : tree.items()) for_leaves(value, at / key, f);
    else
        for (std::size_t i = 0; i < tree.size(); ++i) for_leaves(tree[i], at / i, f);
}

std::vector<std::string> changes(const std::string& text, const Trusted& trusted = {grader, {}}) {
    auto out = what_was_changed(text, trusted);
    if (!out) FAIL(out.error().text());
    return *out;
}

}  // namespace

TEST_CASE("a sealed report is intact in JSON and YAML, and any change of it is named") {
    for (const Report& sample : {sample_report(), sample_compile_error(), sample_gpu()}) {
        const Report report = sealed(sample, {.key = grader, .signing = std::nullopt});
        const std::string json = write_json(report, {});
        CHECK(changes(json).empty());
        CHECK(changes(write_yaml(report, {})).empty());
        CHECK(changes(nlohmann::json::parse(json).dump()).empty());

        const Tree tree = Tree::parse(json);
        int leaf = 0;
        for_leaves(tree, Tree::json_pointer(), [&](const Tree::json_pointer& at) {
            // Of long lists of cases every fifth value, to take little time.
            if (++leaf % 5 != 0 && at.to_string().starts_with("/tasks/")) return;
            Tree changed = tree;
            changed[at] = changed[at] == 1 ? Tree("x") : Tree(1);
            INFO(at.to_string());
            const auto found = changes(changed.dump());
            REQUIRE_FALSE(found.empty());
            std::string top = at.to_string().substr(1);
            top = top.substr(0, top.find('/'));
            if (top == "tasks")
                CHECK(found[0].starts_with("`tasks."));
            else if (top != "seal")
                CHECK(found == std::vector<std::string>{"`" + top + "` was changed"});
        });
    }
}

TEST_CASE("tasks that are taken out, added, doubled or swapped between reports are seen") {
    const Report report = sealed(sample_report(), {.key = grader, .signing = std::nullopt});
    const Tree tree = Tree::parse(write_json(report, {}));
    Tree less = tree;
    less["tasks"].erase(1);
    CHECK(changes(less.dump()) == std::vector<std::string>{"`tasks.max` was taken out"});
    Tree doubled = tree;
    doubled["tasks"].push_back(doubled["tasks"][0]);
    CHECK(changes(doubled.dump()) == std::vector<std::string>{"a task was doubled"});
    Tree more = tree;
    more["extra"] = 1;
    CHECK(changes(more.dump()) == std::vector<std::string>{"`extra` was added"});
    Tree none = tree;
    none["tasks"] = 7;
    CHECK(changes(none.dump()).size() == 4);
    // Another student's seal does not fit, and neither does another's task under one's own.
    Report other = sample_report();
    other.student = "s9999";
    other.tasks[1].score.earned = 30;
    const Tree theirs =
        Tree::parse(write_json(sealed(other, {.key = grader, .signing = std::nullopt}), {}));
    Tree mixed = tree;
    mixed["tasks"][1] = theirs["tasks"][1];
    CHECK(changes(mixed.dump()) == std::vector<std::string>{"`tasks.max` was changed"});
    mixed["seal"] = theirs["seal"];
    CHECK(changes(mixed.dump()) == std::vector<std::string>{"`submission` was changed"});
}

TEST_CASE("a signature is verified without the grader's key") {
    const auto folder = TemporaryFolder::make("test");
    REQUIRE(folder.ok());
    const auto file = folder->path() / "course";
    REQUIRE(seal::make_signing_key(file).ok());
    const auto signing = seal::SigningKey::read(file);
    REQUIRE(signing.ok());
    const auto course = seal::PublicKey::read(file.string() + ".pub");
    REQUIRE(course.ok());
    CHECK(course->hex() == signing->public_hex());
    const Report report = sealed(sample_report(), {.key = grader, .signing = *signing});
    const Trusted trusted{.key = std::nullopt, .course = *course};
    CHECK(changes(write_json(report, {}), trusted).empty());
    CHECK(changes(write_yaml(report, {}), trusted).empty());
    Report forged = report;
    forged.score.earned = 99;
    CHECK(changes(write_json(forged, {}), trusted) ==
          std::vector<std::string>{"`score` was changed"});
    // Sealed again by somebody with a key of their own, under the signature that was there.
    const seal::Key theirs = seal::Key::of_this_run();
    Report resealed = sealed(forged, {.key = theirs, .signing = std::nullopt});
    resealed.seal->public_key = report.seal->public_key;
    resealed.seal->signature = report.seal->signature;
    CHECK(changes(write_json(resealed, {}), trusted)[0].starts_with("its signature does not fit"));
    CHECK(changes(write_json(resealed, {}))[0].starts_with("it was sealed with another key"));
    CHECK_FALSE(seal::SigningKey::read(file.string() + ".pub").ok());
    CHECK_FALSE(seal::PublicKey::read(file).ok());
}

TEST_CASE("a report reads back from YAML as from JSON; what can be read in two ways is none") {
    for (const Report& sample : {sample_report(), sample_sealed(), sample_gpu()}) {
        const auto tree = read_tree(write_yaml(sample, {}));
        if (!tree) FAIL(tree.error().text());
        CHECK(*tree == Tree::parse(write_json(sample, {})));
        CHECK(write_json(*read_report(write_yaml(sample, {})), {}) == write_json(sample, {}));
    }
    for (const std::string& text :
         {std::string("{\"a\": 1, \"a\": 2}"), std::string("{\"a\": {\"b\": 1, \"b\": 1}}"),
          std::string("a: 1\na: 2\n"), std::string("a: yes\n"), std::string("a: 0x10\n"),
          std::string("a: 1_000\n"), std::string("[]"), std::string("a\n"), std::string(),
          std::string("{\"a\": \"\xff\"}"), std::string(100'000, '['),
          std::string("{\"a\":") + std::string(100'000, '['), std::string("{a: 1}\n,"),
          std::string("a: 1\n---\nb: 2\n")}) {
        INFO(text.substr(0, 40));
        CHECK_FALSE(read_tree(text).ok());
    }
    CHECK(read_tree("{\"a\": {\"b\": 1}, \"b\": [{\"b\": 1}, {\"b\": 2}]}").ok());
}

TEST_CASE("a short report cannot make its reader work for long") {
    // Each alias doubles what stands for it, and one contains itself.
    std::string bomb = "a0: &a0 [\"x\", \"x\"]\n";
    for (int i = 1; i < 28; ++i) bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
    std::string texts = "a: &a \"" + std::string(1 << 16, 'x') + "\"\nb: [";
    for (int i = 0; i < 20'000; ++i) texts += "*a, ";
    std::string keys = "{\"k\": 0";
    for (int i = 0; i < 500'000; ++i) keys += fmt::format(", \"{}\": 0", i);
    const auto why = [](const std::string& text) {
        const auto tree = read_tree(text);
        REQUIRE_FALSE(tree.ok());
        return tree.error().message;
    };
    CHECK(why(bomb).find("aliases") != std::string::npos);
    CHECK(why(texts + "]\n").find("aliases") != std::string::npos);
    CHECK(why("a: &a [*a, *a]\n").find("aliases") != std::string::npos);
    CHECK(why(keys + "}").find("too many keys") != std::string::npos);
    CHECK(why(",").find("something follows") != std::string::npos);
}

TEST_CASE("a whole number of a report is not taken for another one") {
    Tree tree = Tree::parse(write_json(sample_report(), {}));
    Tree& one = tree["tasks"][0]["cases"][0];
    for (const char* number : {"18446744073709551615", "18446744073709551616", "1e3"}) {
        INFO(number);
        one["element_count"] = Tree::parse(number);
        CHECK_FALSE(from_tree(tree).ok());
    }
    one["element_count"] = 7;
    CHECK(from_tree(tree).ok());
    one["id"] = 4294967297;
    CHECK_FALSE(from_tree(tree).ok());
}

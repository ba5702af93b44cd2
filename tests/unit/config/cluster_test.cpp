#include "config/cluster.hpp"
#include "expect_error.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;

namespace {

const std::string good = R"(schema_version: 1
scheduler: slurm
grade:
  tasks: 8
  cpus: 6
  partition: gpu
  account: course
  qos: low
  constraint: h100
  time: 1-12:00:00
  memory: 4GiB
  gpus: 1
  options: [--nice=100, --exclusive]
build:
  tasks: 32
  time: 90
  gpu_arch: 90
setup:
  - module load cuda
program: /opt/cugrade/bin/cugrade
)";

}  // namespace

TEST_CASE("a cluster.yaml is read in full") {
    const Temporary folder;
    const auto cluster = load_cluster(folder.write("cluster.yaml", good));
    if (!cluster) FAIL(cluster.error().text());
    CHECK(cluster->grade.tasks == 8);
    CHECK(cluster->grade.cpus == 6);
    CHECK(cluster->grade.partition == "gpu");
    CHECK(cluster->grade.account == "course");
    CHECK(cluster->grade.qos == "low");
    CHECK(cluster->grade.constraint == "h100");
    CHECK(cluster->grade.time == "1-12:00:00");
    CHECK(cluster->grade.memory_bytes == std::uint64_t{4} << 30);
    CHECK(cluster->grade.gpus == 1);
    CHECK(cluster->grade.options == std::vector<std::string>{"--nice=100", "--exclusive"});
    REQUIRE(cluster->build);
    CHECK(cluster->build->tasks == 32);
    CHECK(cluster->build->cpus == 1);
    CHECK(cluster->build->time == "90");
    CHECK(cluster->gpu_arch == 90);
    CHECK(cluster->setup == std::vector<std::string>{"module load cuda"});
    CHECK(cluster->program == "/opt/cugrade/bin/cugrade");
}

TEST_CASE("a cluster.yaml needs little") {
    const Temporary folder;
    const auto cluster =
        load_cluster(folder.write("cluster.yaml", "schema_version: 1\ngrade: {tasks: 2}\n"));
    if (!cluster) FAIL(cluster.error().text());
    CHECK(cluster->grade.tasks == 2);
    CHECK(cluster->grade.partition.empty());
    CHECK_FALSE(cluster->build);
}

TEST_CASE("times of Slurm, in all their forms") {
    const Temporary folder;
    const auto loads = [&](const std::string& time) {
        return load_cluster(folder.write("cluster.yaml",
                                         "schema_version: 1\ngrade: {tasks: 2, "
                                         "time: \"" +
                                             time + "\"}\n"))
            .ok();
    };
    for (const char* time : {"90", "90:00", "1:30:00", "1-12", "1-12:00", "1-12:00:00"})
        CHECK(loads(time));
    for (const char* time : {":", "1:", "1::2", "-1", "1-", "1:2:3:4", "1 day", "1h", "-", "1-2-3"})
        CHECK_FALSE(loads(time));
}

TEST_CASE("a mistake in a cluster.yaml is told with its place") {
    const Temporary folder;
    const std::vector<BadRow> rows{
        {"grade:", "@grad:", "", "grad", "did you mean `grade`?"},
        {"  partition", "  @partion", "", "grade.partion", "did you mean `partition`?"},
        {"build:\n  tasks: 32", "build:\n  @gpus: 1\n  tasks: 32", "", "build.gpus",
         "unknown key `gpus`"},
        {"  tasks: 8", "  tasks: @0", "", "grade.tasks", "from 1 to 10000"},
        {"slurm", "@slurn", "", "scheduler", "did you mean `slurm`?"},
        {"1-12:00:00", "@12h", "", "grade.time", "HH:MM:SS"},
        {"--nice=100", "@-n=100", "", "grade.options[0]", "long option"},
        {"--nice=100", "@--export=ALL", "", "grade.options[0]", "cugrade sets --export itself"},
        {"--exclusive", "@--wrap", "", "grade.options[1]", "cugrade sets --wrap itself"},
        {"gpus: 1", "gres: gpu:1\n  gpus: @1", "", "grade.gpus", "keep one of them"},
        {"  gpu_arch: 90\n", "", "  tasks: 32", "build", "add `gpu_arch:`"},
        {"/opt/cugrade/bin/cugrade", "@bin/cugrade", "", "program", "from /"},
        {"module load cuda", "@\"a\\nb\"", "", "setup[0]", "one element per line"},
        {"schema_version: 1", "schema_version: @2", "", "schema_version", "newer cugrade"},
    };
    for (BadRow row : rows) {
        if (row.key == "build") row.at = "tasks: 32";  // where the map begins
        const auto file = folder.path() / "cluster.yaml";
        expect_error(good, row, file.string(), [&](const std::string& text) {
            return load_cluster(folder.write("cluster.yaml", text));
        });
    }
}

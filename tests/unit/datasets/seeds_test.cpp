#include "datasets/seeds.hpp"

#include <set>

#include "catch.hpp"

using namespace cugrade::datasets;

TEST_CASE("SHA-256 is that of FIPS 180-4") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("seeds are the documented hashes") {
    // printf %s cugrade/1/public/reduction/sum/3 | sha256sum
    CHECK(public_seed("reduction", "sum", 3) == 0xef0ad339cb5fcd6bu);
    // printf %s cugrade/1/hidden/reduction/sum/3/alice | openssl dgst -sha256 -hmac secret
    CHECK(hidden_seed("secret", "alice", "reduction", "sum", 3) == 0x3388a380930974fdu);
}

TEST_CASE("every part of a name changes the seed") {
    std::set<std::uint64_t> seeds{public_seed("reduction", "sum", 1),
                                  public_seed("reduction", "sum", 2),
                                  public_seed("reduction", "max", 1),
                                  public_seed("scan", "sum", 1),
                                  hidden_seed("s", "", "reduction", "sum", 1),
                                  hidden_seed("s", "a", "reduction", "sum", 1),
                                  hidden_seed("t", "", "reduction", "sum", 1),
                                  hidden_seed("s", "a", "reduction", "sum", 2),
                                  argument_seed(1, 0),
                                  argument_seed(1, 1),
                                  argument_seed(2, 0)};
    CHECK(seeds.size() == 11);
}

// A hash that nobody can choose names for.
#include "base/keyed_hash.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("keyed hash: names that share a bucket of the library's hash do not", "[hash]") {
  constexpr std::size_t count = 200;
  NameMap<std::size_t> map(count);
  const std::size_t buckets = map.bucket_count();
  for (std::size_t i = 0; map.size() < count; ++i) {
    const std::string name = "k" + std::to_string(i);
    if (std::hash<std::string>()(name) % buckets == 0) map.emplace(name, i);
  }
  REQUIRE(map.bucket_count() == buckets);
  std::size_t largest = 0;
  for (std::size_t i = 0; i < buckets; ++i) largest = std::max(largest, map.bucket_size(i));
  CHECK(largest < 20);  // of 200 in as many: five or six
}

TEST_CASE("keyed hash: each byte and the length count", "[hash]") {
  const KeyedHash hash;
  std::set<std::size_t> seen;
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string zeros(size, '\0');
    CHECK(seen.insert(hash(zeros)).second);
    CHECK(hash(zeros) == hash(std::string(zeros)));
    for (std::size_t i = 0; i < size; ++i) {
      std::string other = zeros;
      other[i] = '\1';
      CHECK(seen.insert(hash(other)).second);
    }
  }
  CHECK(hash(std::uint64_t{1}) != hash(std::uint64_t{2}));
}

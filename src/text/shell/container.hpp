// `docker run OPTIONS IMAGE COMMAND…`: which of the words are the container's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "text/shell/value.hpp"

namespace shapelint::text::shell {

struct Container {
  std::size_t image = 0;            // index of the image among the words; what it runs stands behind it
  std::vector<Text> environment{};  // `NAME=value` of `-e` and `--env`
};

// Nothing for words that start no container, or whose image is not to be told from an option's value.
std::optional<Container> container_of(const std::vector<Text>& words);

}  // namespace shapelint::text::shell

// The options of `docker run`, of which few take no value.
#include "text/shell/container.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace shapelint::text::shell {

namespace {

// Docker, `docker container run --help`; podman's and nerdctl's are the same.
constexpr std::array<std::string_view, 12> long_switches = {"--detach",
                                                            "--disable-content-trust",
                                                            "--help",
                                                            "--init",
                                                            "--interactive",
                                                            "--no-healthcheck",
                                                            "--oom-kill-disable",
                                                            "--privileged",
                                                            "--publish-all",
                                                            "--quiet",
                                                            "--read-only",
                                                            "--rm"};
constexpr std::array<std::string_view, 3> more_long_switches = {"--sig-proxy", "--tty", "--use-api-socket"};
// Of one letter each, which may stand together: `-it`.
constexpr std::string_view short_switches = "ditPq";

bool is_switch(std::string_view option) {
  const auto is_one_of = [&](const auto& list) {
    return std::find(list.begin(), list.end(), option) != list.end();
  };
  if (option.starts_with("--")) return is_one_of(long_switches) || is_one_of(more_long_switches);
  return option.find_first_not_of(short_switches, 1) == std::string_view::npos;
}

bool starts_containers(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);  // npos + 1: all of it
  return word == "docker" || word == "podman" || word == "nerdctl";
}

// `-e NAME=value` behind another option's letters is rare, and not looked for.
std::string_view variable_in(std::string_view option) {
  for (const std::string_view name : {"--env=", "-e="}) {
    if (option.starts_with(name)) return option.substr(name.size());
  }
  return {};
}

}  // namespace

std::optional<Container> container_of(const std::vector<Text>& words) {
  constexpr std::size_t most_before = 3;  // `sudo -E docker`
  std::size_t at = 0;
  while (at < words.size() && at < most_before && !starts_containers(as_string(words[at]))) ++at;
  if (at >= words.size() || !starts_containers(as_string(words[at]))) return std::nullopt;
  if (at + 1 < words.size() && as_string(words[at + 1]) == "container") ++at;
  if (at + 1 >= words.size() || as_string(words[at + 1]) != "run") return std::nullopt;
  Container out;
  for (at += 2; at < words.size(); ++at) {
    const std::string word = as_string(words[at]);
    // Options that only the run knows, or none.
    if (word.empty() && !is_known(words[at])) {
      const Piece& open = *first_unknown(words[at]);
      if (open.name.find("IMAGE") == std::string::npos && open.name.find("image") == std::string::npos)
        continue;
    }
    if (!word.starts_with('-')) {
      out.image = at;
      return out;
    }
    const bool has_value = word.find('=') != std::string::npos;
    if (const std::string_view variable = variable_in(word); !variable.empty()) {
      out.environment.push_back(substring(words[at], word.size() - variable.size(), word.size()));
    } else if (!has_value && !is_switch(word)) {
      ++at;
      if (at < words.size() && (word == "-e" || word == "--env")) out.environment.push_back(words[at]);
    }
  }
  return std::nullopt;
}

}  // namespace shapelint::text::shell

// Versions beside those whose contracts are known.
#include "contracts/known_versions.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "model/spec.hpp"

namespace shapelint::contracts {

bool is_past_known(const Book& book, const StackPackage& package) {
  const auto newest = parse_version(book.newest(package.name));
  return package.version && newest && compare(*package.version, *newest) > 0;
}

namespace {

// The first version that anything is known of.
std::string_view oldest(const Book& book, std::string_view package) {
  std::string_view out;
  for (const Contract& each : book.contracts()) {
    if (each.package.name != package) continue;
    const std::string_view since = each.since.empty() ? each.package.version : each.since;
    const auto here = parse_version(since);
    const auto best = parse_version(out);
    if (here && (!best || compare(*here, *best) < 0)) out = since;
  }
  return out;
}

bool binds_training(const Contract& contract) {
  constexpr auto train = static_cast<std::int64_t>(model::Mode::train);
  return contract.modes.empty() ||
         std::find(contract.modes.begin(), contract.modes.end(), train) != contract.modes.end();
}

}  // namespace

Stack as_known(const Book& book, Stack stack) {
  for (StackPackage& each : stack) {
    if (is_past_known(book, each)) each.version = parse_version(book.newest(each.name));
  }
  return stack;
}

std::vector<std::string> version_notes(const Book& book, const Stack& stack) {
  std::vector<std::string> out;
  for (const StackPackage& each : stack) {
    const auto first = parse_version(oldest(book, each.name));
    if (is_past_known(book, each)) {
      out.push_back(
          fmt::format("{} {} is newer than {}, the newest with known requirements; those of {} were checked",
                      each.name, each.version_text, book.newest(each.name), book.newest(each.name)));
    } else if (each.version && first && compare(*each.version, *first) < 0) {
      out.push_back(
          fmt::format("{} {} is older than {}, the oldest with known requirements; none was checked",
                      each.name, each.version_text, oldest(book, each.name)));
    } else if (each.version) {
      std::size_t all = 0;
      std::size_t later = 0;
      for (const Contract& contract : book.contracts()) {
        if (contract.package.name != each.name) continue;
        const Standing stands = standing(contract, stack);
        all += stands == Standing::absent ? 0 : 1;
        later += stands == Standing::older ? 1 : 0;
      }
      if (later > 0)
        out.push_back(fmt::format("{} of {} requirements of {} are known for versions later than {} only",
                                  later, all, each.name, each.version_text));
    }
  }
  return out;
}

std::string_view serves_alone(const Book& book, const Stack& stack) {
  const bool any =
      std::any_of(book.contracts().begin(), book.contracts().end(), [&](const Contract& contract) {
        return binds_training(contract) &&
               std::any_of(stack.begin(), stack.end(),
                           [&](const StackPackage& each) { return each.name == contract.package.name; });
      });
  return any || stack.empty() ? std::string_view{} : std::string_view(stack.front().name);
}

}  // namespace shapelint::contracts

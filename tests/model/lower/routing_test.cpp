// How tokens are spread over experts.
#include "model/lower/mixture/routing.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint::model;

TEST_CASE("distinct experts that tokens visit", "[model]") {
  CHECK(visited(128, 8, 1) == 8);
  CHECK(visited(128, 8, 16) == 82);  // 128 (1 - (15/16)^16) = 82.4
  CHECK(visited(128, 8, 1000) == 128);
  CHECK(visited(8, 2, 1) == 2);
  CHECK(visited(256, 8, 64) == 222);
  CHECK(visited(8, 8, 1) == 8);
  CHECK(visited(1, 1, 5) == 1);
}

TEST_CASE("visited experts agree with chance", "[model]") {
  // The mean of many draws without replacement, each token's experts apart from all others'.
  std::uint64_t state = 11;
  const auto below = [&](std::int64_t bound) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33U) % static_cast<std::uint64_t>(bound));
  };
  constexpr std::int64_t experts = 64;
  constexpr std::int64_t chosen = 6;
  for (const std::int64_t tokens : {2, 7, 20}) {
    double sum = 0;
    constexpr int draws = 400;
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<bool> seen(experts, false);
      for (std::int64_t token = 0; token < tokens; ++token) {
        std::vector<bool> own(experts, false);
        for (std::int64_t left = chosen; left > 0;) {
          const auto expert = static_cast<std::size_t>(below(experts));
          if (own[expert]) continue;
          own[expert] = seen[expert] = true;
          --left;
        }
      }
      sum += static_cast<double>(std::count(seen.begin(), seen.end(), true));
    }
    INFO(tokens);
    CHECK(static_cast<double>(visited(experts, chosen, tokens)) == Approx(sum / draws).margin(1));
  }
}

TEST_CASE("the busiest rank has at least its share of the tokens, and no more experts than it holds",
          "[model]") {
  CHECK(rc::check("busiest", [] {
    const std::int64_t ranks = std::int64_t{1} << *rc::gen::inRange(0, 7);
    const std::int64_t experts = ranks * *rc::gen::inRange<std::int64_t>(1, 40);
    const std::int64_t chosen = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(experts, 16) + 1);
    const std::int64_t tokens = *rc::gen::inRange<std::int64_t>(1, 5000);
    const Busiest even = busiest(experts, chosen, tokens, ranks, Routing::even);
    for (const Routing routing :
         {Routing::even, Routing::power_law_1_01, Routing::power_law_1_2, Routing::exponential}) {
      const Busiest most = busiest(experts, chosen, tokens, ranks, routing);
      RC_ASSERT(most.experts >= 1);
      RC_ASSERT(most.experts <= experts / ranks);
      RC_ASSERT(most.tokens <= tokens * chosen);
      RC_ASSERT(most.tokens + 1 >= even.tokens);
    }
    const Busiest alone = busiest(experts, chosen, tokens, 1, Routing::power_law_1_2);
    RC_ASSERT(alone.tokens == tokens * chosen);
    RC_ASSERT(alone.experts <= visited(experts, chosen, tokens) + 1);
  }));
}

TEST_CASE("experts of exponentially distributed popularity: E k T / (E + k T) of E are visited", "[model]") {
  const auto experts = [](std::int64_t all, std::int64_t chosen, std::int64_t tokens) {
    return busiest(all, chosen, tokens, 1, Routing::exponential).experts;
  };
  CHECK(experts(128, 4, 16) == 43);    // 42.7; evenly 51, by the power law 47
  CHECK(experts(128, 4, 64) == 86);    // 85.3; evenly 111, by the power law 82
  CHECK(experts(128, 4, 256) == 114);  // 113.8; evenly 128, by the power law 99
  CHECK(experts(256, 8, 64) == 171);   // 170.7
  CHECK(experts(256, 8, 512) == 241);  // 240.9
  CHECK(busiest(128, 4, 64, 1, Routing::exponential).tokens == 256);
}

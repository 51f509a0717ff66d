// Points of a grid break the rules that each of them breaks alone.
#include "rules/engine/points.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using model::FieldId;

TEST_CASE("what a point breaks does not depend on the points before it", "[rules][grid]") {
  CHECK(rc::check([] {
    const model::Reading reading = tests::read(tests::random_config());
    const rules::RuleBook& book = rules::builtin_rules();
    // Heads move widths of heads along, the others only themselves.
    const std::array fields{FieldId::num_attention_heads, FieldId::tensor, FieldId::num_layers};
    const std::vector<std::int64_t> sizes{1, 3, 8, 12, 64};
    std::vector<cost::GridAxis> axes;
    for (const FieldId field : fields) axes.push_back({field, sizes.size()});
    rules::Points points(book, reading, {}, axes);
    for (int i = 0; i < 20; ++i) {
      std::vector<std::int64_t> values;
      std::vector<std::uint32_t> positions;
      for (std::size_t axis = 0; axis < fields.size(); ++axis) {
        positions.push_back(*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(sizes.size())));
        values.push_back(sizes[positions.back()]);
      }
      points.move_to(values, positions);
      RC_ASSERT(points.broken() == rules::BrokenRules(book, reading).of(points.setup()));
      RC_ASSERT(points.parameters() == model::parameter_count(points.setup()));
    }
  }));
}

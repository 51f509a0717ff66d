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

TEST_CASE("what fields break, no other field mends", "[rules]") {
  std::size_t broken_by_layout = 0;
  CHECK(rc::check([&] {
    const model::Reading reading = tests::read(tests::random_config());
    const std::array layout{FieldId::tensor, FieldId::context, FieldId::expert};
    const std::array others{FieldId::micro_batch_size, FieldId::zero, FieldId::virtual_pipeline};
    model::PerField<bool> of_layout;
    model::PerField<bool> moving;
    for (const model::FieldInfo& each : model::fields()) of_layout[each.id] = moving[each.id] = false;
    for (const FieldId field : layout) of_layout[field] = moving[field] = true;
    for (const FieldId field : others) moving[field] = true;
    rules::BrokenRules broken(rules::builtin_rules(), reading, moving);
    model::Setup setup = reading.setup;
    for (const FieldId field : layout) model::set(setup, field, *rc::gen::element(1, 2, 3, 8));
    const bool is_broken = !broken.of(setup).empty() && broken.are_broken_by(of_layout);
    if (is_broken) ++broken_by_layout;
    for (int i = 0; i < 5; ++i) {
      for (const FieldId field : others) model::set(setup, field, *rc::gen::element(0, 1, 2, 3));
      RC_ASSERT(!is_broken || !broken.of(setup).empty());
    }
  }));
  CHECK(broken_by_layout > 0);
}

// What derivations say of themselves.
#include "model/derive.hpp"

#include <algorithm>

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::int64_t pick(const model::FieldInfo& field) {
  return *rc::gen::inRange<std::int64_t>(field.minimum, std::min<std::int64_t>(field.maximum, 500) + 1);
}

model::Setup any_setup() {
  model::Setup setup;
  for (const model::FieldInfo& field : model::fields()) field.set(setup, pick(field));
  return setup;
}

template <class Inputs>
bool has(const Inputs& inputs, model::FieldId field) {
  return std::find(inputs.begin(), inputs.end(), field) != inputs.end();
}

}  // namespace

TEST_CASE("a derivation looks at no fields but those that it names", "[model][derive]") {
  CHECK(rc::check([] {
    const model::Setup setup = any_setup();
    for (const model::Derivation& each : model::derivations()) {
      const bool applies = each.applies(setup);
      const std::int64_t value = each.value(setup);
      for (const model::FieldInfo& field : model::fields()) {
        model::Setup other = setup;
        field.set(other, pick(field));
        if (!has(each.condition_inputs, field.id)) RC_ASSERT(each.applies(other) == applies);
        if (!has(each.inputs, field.id)) RC_ASSERT(each.value(other) == value);
      }
    }
  }));
}

TEST_CASE("setups that differ in some fields need no other derivations than those that follow these",
          "[model][derive]") {
  CHECK(rc::check([] {
    model::Reading reading;
    model::PerField<bool> moving;
    for (const model::FieldInfo& field : model::fields()) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      field.set(reading.setup, pick(field));
      reading.origins[field.id].kind = model::Origin::Kind::stated;
    }
    model::complete(reading);
    std::vector<model::FieldId> axes;
    for (int i = 0; i < 3; ++i) {
      const auto index = *rc::gen::inRange<std::size_t>(0, model::field_count);
      axes.push_back(model::fields()[index].id);
      moving[axes.back()] = true;
      reading.origins[axes.back()].kind = model::Origin::Kind::stated;
    }
    model::Setup start = reading.setup;
    model::rederive(start, reading.origins);
    const model::Rederived few = model::rederived(reading.origins, start, moving);
    for (int i = 0; i < 5; ++i) {
      model::Setup all = start;
      for (const model::FieldId axis : axes) model::set(all, axis, pick(model::info(axis)));
      model::Setup some = all;
      model::rederive(all, reading.origins);
      model::rederive(some, few);
      for (const model::FieldInfo& field : model::fields()) {
        RC_ASSERT(field.get(some) == field.get(all));
        if (!moving[field.id]) RC_ASSERT(field.get(all) == field.get(start));
      }
    }
  }));
}

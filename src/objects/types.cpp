// What the descriptions say, collected once.
#include "objects/types.hpp"

#include <algorithm>
#include <type_traits>

#include <shapelint/shapelint.hpp>
#include "objects/printed/compact.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/family.hpp"
#include "objects/printed/gpus.hpp"
#include "objects/printed/lists.hpp"
#include "objects/printed/plans.hpp"
#include "objects/printed/profile.hpp"
#include "objects/printed/prove.hpp"
#include "objects/printed/roofline.hpp"
#include "objects/printed/show.hpp"

namespace shapelint::objects {

namespace {

using Kind = Type::Kind;

template <class T>
struct Of {
  static Type type(Types& types);
};

template <class T>
struct Of<std::vector<T>> {
  static Type type(Types& types) { return {Kind::list, {}, {Of<T>::type(types)}}; }
};
template <class T>
struct Of<std::map<std::string, T>> {
  static Type type(Types& types) { return {Kind::map, {}, {Of<T>::type(types)}}; }
};
template <class T>
struct Of<std::optional<T>> {
  static Type type(Types& types) { return Of<T>::type(types); }
};
template <>
struct Of<api::Scalar> {
  static Type type(Types&) { return {Kind::scalar, {}, {}}; }
};
template <>
struct Of<std::string> {
  static Type type(Types&) { return {Kind::text, {}, {}}; }
};

template <class T>
constexpr bool holds_optional = false;
template <class T>
constexpr bool holds_optional<std::optional<T>> = true;

class Walk {
 public:
  explicit Walk(Types& types) : types_(types) {}

  void type(std::string_view type_name, std::string_view doc) {
    if (is_base_) return;
    object.name = type_name;
    object.doc = doc;
  }

  template <class Base>
  void base(const Base* of) {
    const bool was_base = is_base_;
    is_base_ = true;
    describe(*this, of);
    is_base_ = was_base;
  }

  template <class Member, class Owner>
  void operator()(std::string_view key, Member Owner::*, std::string_view doc,
                  api::When when = api::When::always) {
    const bool is_bare = holds_optional<Member> && when == api::When::always;
    add(key, doc, Of<Member>::type(types_), is_bare ? api::When::unless_empty : when);
    // What is not finite is null.
    if (std::is_same_v<Member, double> && key == "gap") object.members.back().may_be_null = true;
  }

  template <class Element, class Owner>
  void keyed(std::string_view key, std::vector<Element> Owner::*, std::string Element::*,
             std::string_view doc, api::When when = api::When::always) {
    add(key, doc, {Kind::map, {}, {Of<Element>::type(types_)}}, when);
  }

  Object object;

 private:
  void add(std::string_view key, std::string_view doc, Type type, api::When when) {
    object.members.push_back({std::string(key), std::string(doc), std::move(type),
                              when == api::When::unless_empty, when == api::When::or_null});
  }

  Types& types_;
  bool is_base_ = false;
};

template <class T>
Type Of<T>::type(Types& types) {
  if constexpr (std::is_same_v<T, bool>) {
    return {Kind::boolean, {}, {}};
  } else if constexpr (std::is_integral_v<T>) {
    return {Kind::integer, {}, {}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {Kind::number, {}, {}};
  } else if constexpr (std::is_enum_v<T>) {
    const std::string_view called = type_name(T{});
    const auto is_it = [&](const Choice& each) { return each.name == called; };
    if (std::none_of(types.choices.begin(), types.choices.end(), is_it)) {
      Choice choice{std::string(called), {}};
      for (int i = 0; i <= static_cast<int>(last_of(T{})); ++i)
        choice.values.push_back(name(static_cast<T>(i)));
      types.choices.push_back(std::move(choice));
    }
    return {Kind::choice, std::string(called), {}};
  } else {
    Walk walk(types);
    describe(walk, static_cast<const T*>(nullptr));
    Type out{Kind::object, walk.object.name, {}};
    if (find(types, out.name) == nullptr) types.objects.push_back(std::move(walk.object));
    return out;
  }
}

template <class... T>
void add(Types& types) {
  (Of<T>::type(types), ...);
}

template <class... T>
Types types_of() {
  Types types;
  add<T...>(types);
  return types;
}

}  // namespace

const Object* find(const Types& types, std::string_view name) {
  const auto found = std::find_if(types.objects.begin(), types.objects.end(),
                                  [&](const Object& each) { return each.name == name; });
  return found == types.objects.end() ? nullptr : &*found;
}

const Types& api_types() {
  static const Types types =
      types_of<api::Error, api::LintResult, api::ReadResult, api::SuggestResult, api::PlanResult, api::Rule,
               api::Field, api::KernelCost, api::Step, api::Shape>();
  return types;
}

const Types& all_types() {
  static const Types types = [] {
    Types all = api_types();
    add<Header, BriefHeader, FieldList, ShowResult, FitsResult, RooflineResult, CompactResult, FamilyResult,
        ProfileResult, ProveResult, CalibrateResult, FormatList, GpuList, KernelList, RequirementList,
        RuleList>(all);
    return all;
  }();
  return types;
}

std::vector<Document> documents() {
  return {{"lint", "LintResult", "What `shapelint lint --format json` prints"},
          {"compact", "CompactResult", "What `shapelint lint --format compact` prints", "BriefHeader"},
          {"family", "FamilyResult", "What `shapelint suggest --family SIZES --format json` prints"},
          {"fields", "FieldList", "What `shapelint fields --format json` prints"},
          {"fits", "FitsResult", "What `shapelint fits --format json` prints"},
          {"plan", "PlanResult", "What `shapelint plan --format json` prints"},
          {"profile", "ProfileResult", "What `shapelint profile --format json` prints"},
          {"prove", "ProveResult", "What `shapelint prove --read RESULT --format json` prints"},
          {"calibrate", "CalibrateResult", "What `shapelint calibrate --format json` prints"},
          {"contracts", "RequirementList", "What `shapelint contracts --format json` prints"},
          {"formats", "FormatList", "What `shapelint formats --format json` prints"},
          {"gpus", "GpuList", "What `shapelint gpus --format json` prints"},
          {"kernels", "KernelList", "What `shapelint kernels --format json` prints"},
          {"rules", "RuleList", "What `shapelint rules --format json` and `explain --format json` print"},
          {"roofline", "RooflineResult", "What `shapelint roofline --format json` prints"},
          {"show", "ShowResult", "What `shapelint show --format json` prints"},
          {"suggest", "SuggestResult", "What `shapelint suggest --format json` prints"}};
}

}  // namespace shapelint::objects

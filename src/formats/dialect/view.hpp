// A configuration as its framework sees it: one file on top of those that it inherits from.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "model/fields.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

using Place = std::vector<std::string>;  // components of a concrete path; list items are `[0]`

struct ConfigLayer {
  const text::Document* document = nullptr;
  Place mount;   // where its values stand in the whole
  Place inside;  // which of its tables stands there
};

// A file that is named and was not read: the values in its place are unknown.
struct Missing {
  text::NodeRef node;               // where it is named
  std::string meaning;              // "`base.yml` is not there"
  Place mount;                      // where its values would stand
  std::vector<std::string> states;  // the only fields, or sections of fields, that it can hold; empty: any
  std::size_t above = 0;            // layers that go before it; set by View
};

class View {
 public:
  // flags: keys may carry leading dashes, and `-` equals `_`.
  explicit View(bool flags) : flags_(flags) {}
  // Layers added first win.
  void add(ConfigLayer layer) { layers_.push_back(std::move(layer)); }
  const std::vector<ConfigLayer>& layers() const { return layers_; }
  // What is added later would give way to it.
  void lack(Missing missing) {
    missing.above = layers_.size();
    missing_.push_back(std::move(missing));
  }

  // The value under `path`, relative to `base` unless absolute; absent when no layer has it. A null hides
  // what lower layers say.
  text::NodeRef find(const KeyPath& path, const Place& base) const;
  // The first of several that is there and not null.
  text::NodeRef find_first(const std::vector<KeyPath>& paths, const Place& base) const;
  // The file that was not read and may have a value of `field` under `path`; nullptr when there is none.
  const Missing* missing_at(const KeyPath& path, const Place& base, model::FieldId field) const;
  // The file that was not read, is known to state `field`, and would go before what `find` gives; nullptr
  // when there is none.
  const Missing* missing_above(const KeyPath& path, const Place& base, model::FieldId field) const;
  // The places that a path with `*` stands for, in file order.
  std::vector<Place> places(const KeyPath& path) const;
  // What stands there, as `find` gives it.
  std::vector<text::NodeRef> find_all(const KeyPath& path) const;

 private:
  text::NodeRef step(text::NodeRef node, std::string_view component) const;
  // With the layer that has it.
  template <class Components>
  std::pair<text::NodeRef, std::size_t> find_in(const Components& whole) const;
  template <class Components>
  text::NodeRef descend(text::NodeRef node, const Components& place, std::size_t from) const;
  using Found = std::vector<std::pair<Place, text::NodeRef>>;
  void expand(text::NodeRef node, const Place& pattern, std::size_t at, Place& so_far, Found& out) const;
  // Each place once, with the last of a layer that stands there.
  Found expanded(const KeyPath& path) const;

  bool flags_;
  std::vector<ConfigLayer> layers_;
  std::vector<Missing> missing_;
};

}  // namespace shapelint::formats

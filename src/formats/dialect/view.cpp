// Looking up keys in layers.
#include "formats/dialect/view.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"

namespace shapelint::formats {

using text::Kind;
using text::NodeRef;

namespace {

// Of flags.
bool same_key(std::string_view written, std::string_view asked) {
  if (written.starts_with("--")) written.remove_prefix(2);
  return std::equal(written.begin(), written.end(), asked.begin(), asked.end(),
                    [](char a, char b) { return a == b || ((a == '-' || a == '.') && b == '_'); });
}

// argparse takes the beginning of an option for it, where no other begins so. Of what a program takes only
// some is known here: one that lacks a few of the last letters stands for it.
bool abbreviates(std::string_view written, std::string_view asked) {
  constexpr std::size_t shortest = 8;
  constexpr std::size_t max_missing = 3;
  if (!written.starts_with("--") || asked.size() < shortest) return false;
  const std::size_t length = written.size() - 2;
  if (length < shortest || length >= asked.size() || asked.size() - length > max_missing) return false;
  return asked.find('_', length) == std::string_view::npos && same_key(written, asked.substr(0, length));
}

}  // namespace

NodeRef View::step(NodeRef node, std::string_view component) const {
  if (node.is(Kind::list)) {
    if (component.size() < 3 || component.front() != '[') return {};
    const auto index = parse_integer(component.substr(1, component.size() - 2));
    if (!index) return {};
    // `[-1]` is the last.
    const std::int64_t at = *index < 0 ? *index + static_cast<std::int64_t>(node.size()) : *index;
    return at >= 0 ? node[static_cast<std::size_t>(at)] : NodeRef();
  }
  if (!flags_) return node[component];
  NodeRef found;
  if (!node.is(Kind::table)) return found;
  for (const NodeRef child : node) {
    if (same_key(child.key(), component)) found = child;
  }
  if (found) return found;
  for (const NodeRef child : node) {
    if (abbreviates(child.key(), component)) found = child;
  }
  return found;
}

template <class Components>
NodeRef View::descend(NodeRef node, const Components& place, std::size_t from) const {
  for (std::size_t i = from; i < place.size() && node; ++i) {
    if (place[i] == "*") {
      for (const NodeRef child : node) {
        if (const NodeRef found = descend(child, place, i + 1)) return found;
      }
      return {};
    }
    node = step(node, place[i]);
  }
  return node;
}

namespace {

// A path behind its base. Most are looked up and not found: nothing is copied for that.
class WholePlace {
 public:
  WholePlace(const KeyPath& path, const Place& base) : path_(path.components), base_(base) {
    const auto up = static_cast<std::size_t>(std::max(path.up, 0));
    of_base_ = path.absolute || up >= base.size() ? 0 : base.size() - up;
  }
  std::size_t size() const { return of_base_ + path_.size(); }
  const std::string& operator[](std::size_t at) const {
    return at < of_base_ ? base_[at] : path_[at - of_base_];
  }

 private:
  const Place& path_;
  const Place& base_;
  std::size_t of_base_ = 0;  // components that are the base's
};

// Whether what stands at `mount` may hold `place`.
bool holds_place(const Place& mount, const WholePlace& place) {
  if (mount.size() > place.size()) return false;
  for (std::size_t i = 0; i < mount.size(); ++i) {
    if (mount[i] != place[i] && mount[i] != "*" && place[i] != "*") return false;
  }
  return true;
}

bool can_state(const Missing& missing, model::FieldId field) {
  if (missing.states.empty()) return true;
  if (field == model::no_field) return false;
  const model::FieldInfo& info = model::info(field);
  return std::any_of(missing.states.begin(), missing.states.end(), [&](const std::string& each) {
    return each == info.name || info.section == each || info.section.starts_with(each + ".");
  });
}

}  // namespace

const Missing* View::missing_at(const KeyPath& path, const Place& base, model::FieldId field) const {
  if (missing_.empty()) return nullptr;
  charge(missing_.size());
  const WholePlace whole(path, base);
  const auto found = std::find_if(missing_.begin(), missing_.end(), [&](const Missing& each) {
    return holds_place(each.mount, whole) && can_state(each, field);
  });
  return found == missing_.end() ? nullptr : &*found;
}

const Missing* View::missing_above(const KeyPath& path, const Place& base, model::FieldId field) const {
  if (missing_.empty()) return nullptr;
  charge(missing_.size());
  const WholePlace whole(path, base);
  const std::size_t layer = find_in(whole).second;
  const auto found = std::find_if(missing_.begin(), missing_.end(), [&](const Missing& each) {
    return each.above <= layer && !each.states.empty() && holds_place(each.mount, whole) &&
           can_state(each, field);
  });
  return found == missing_.end() ? nullptr : &*found;
}

template <class Components>
std::pair<NodeRef, std::size_t> View::find_in(const Components& whole) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const ConfigLayer& layer = layers_[i];
    if (!holds_place(layer.mount, whole)) continue;
    NodeRef node = descend(layer.document->root(), layer.inside, 0);
    node = descend(node, whole, layer.mount.size());
    if (node) return {node, i};
  }
  return {NodeRef(), layers_.size()};
}

NodeRef View::find(const KeyPath& path, const Place& base) const {
  return find_in(WholePlace(path, base)).first;
}

NodeRef View::find_first(const std::vector<KeyPath>& paths, const Place& base) const {
  for (const KeyPath& path : paths) {
    const NodeRef node = find(path, base);
    if (node && !node.is(Kind::null)) return node;
  }
  return {};
}

void View::expand(NodeRef node, const Place& pattern, std::size_t at, Place& so_far, Found& out) const {
  if (!node) return;
  if (at == pattern.size()) {
    if (!node.is(Kind::null)) out.emplace_back(so_far, node);
    return;
  }
  if (pattern[at] != "*") {
    so_far.push_back(pattern[at]);
    expand(step(node, pattern[at]), pattern, at + 1, so_far, out);
    so_far.pop_back();
    return;
  }
  std::size_t index = 0;
  for (const NodeRef child : node) {
    charge(8);
    so_far.push_back(node.is(Kind::list) ? fmt::format("[{}]", index) : std::string(child.key()));
    expand(child, pattern, at + 1, so_far, out);
    so_far.pop_back();
    ++index;
  }
}

View::Found View::expanded(const KeyPath& path) const {
  Found out;
  for (const ConfigLayer& layer : layers_) {
    // A layer that stands wherever the others put it has no place of its own.
    if (std::find(layer.mount.begin(), layer.mount.end(), "*") != layer.mount.end()) continue;
    const std::size_t shared = std::min(layer.mount.size(), path.components.size());
    if (!std::equal(layer.mount.begin(), layer.mount.begin() + static_cast<std::ptrdiff_t>(shared),
                    path.components.begin(),
                    [](const std::string& a, const std::string& b) { return a == b || b == "*"; })) {
      continue;
    }
    const NodeRef root = descend(layer.document->root(), layer.inside, 0);
    if (layer.mount.size() >= path.components.size()) {
      const Place place(layer.mount.begin(), layer.mount.begin() + static_cast<std::ptrdiff_t>(shared));
      if (root) out.emplace_back(place, root);
      continue;
    }
    Place so_far = layer.mount;
    expand(root, path.components, shared, so_far, out);
  }
  if (out.size() > 1) {  // layers, and keys that are written twice, have the same ones
    std::map<Place, std::size_t> seen;
    Found once;
    for (auto& [place, node] : out) {
      const auto [entry, is_new] = seen.try_emplace(place, once.size());
      if (is_new)
        once.emplace_back(std::move(place), node);
      else
        once[entry->second].second = node;
    }
    out = std::move(once);
  }
  return out;
}

std::vector<Place> View::places(const KeyPath& path) const {
  if (path.components.empty()) return {Place()};
  std::vector<Place> out;
  for (auto& [place, node] : expanded(path)) out.push_back(std::move(place));
  return out;
}

std::vector<NodeRef> View::find_all(const KeyPath& path) const {
  std::vector<NodeRef> out;
  // From the root each of a wide table would be looked for among all.
  if (layers_.size() == 1 && !path.components.empty()) {
    for (const auto& [place, node] : expanded(path)) out.push_back(node);
    return out;
  }
  for (const Place& place : places(path)) out.push_back(find({place, true}, {}));
  return out;
}

}  // namespace shapelint::formats

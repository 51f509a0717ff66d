// Following configurations to the files that they build on.
#include "formats/dialect/inherit.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "formats/dialect/dialect.hpp"
#include "formats/dialect/paths.hpp"
#include "text/errors.hpp"
#include "text/interpolation/interpolate.hpp"
#include "text/parse_any.hpp"
#include "text/python/python.hpp"

namespace shapelint::formats {

Place place_of(std::string_view dotted, Place mount) {
  std::string text(dotted);
  std::replace(text.begin(), text.end(), '/', '.');
  for (const std::string& component : parse_key_path(text).components) mount.push_back(component);
  return mount;
}

std::optional<Place> package_of(const text::Document& document, const Place& group) {
  constexpr std::size_t first_bytes = 1000;
  const std::string_view source = document.source().substr(0, first_bytes);
  constexpr std::string_view word = "# @package ";
  const auto at = source.find(word);
  if (at == std::string_view::npos || (at > 0 && source[at - 1] != '\n')) return std::nullopt;
  std::string_view name = source.substr(at + word.size());
  name = name.substr(0, name.find_first_of(" \r\n"));
  if (name == "_global_") return Place{};
  if (name == "_group_") return group;
  return place_of(name, {});
}

namespace {

using text::Kind;
using text::NodeRef;

// The deepest public chains have four files; a hydra tree has about a dozen groups.
constexpr int max_inherited = 12;
constexpr std::size_t max_files = 48;

class Assembler {
 public:
  Assembler(const text::FileSystem& files, const Dialect& dialect, const std::string& path,
            AssembledConfig& whole)
      : files_(files), dialect_(dialect), whole_(whole), ancestors_(ancestors(files, path)) {}

  void add(text::Document document, const Place& mount, const Place& inside, int level) {
    whole_.documents.push_back(follow_imports(follow_interpolations(std::move(document), mount)));
    const text::Document& stored = whole_.documents.back();
    seen_.emplace_back(join("", stored.path()), mount);
    View own(dialect_.flags);
    own.add({&stored, {}, {}});
    // Of a defaults list later entries win, and the file itself stands where `_self_` does, or behind them
    // all.
    for (const Inherit& each : dialect_.inherit) compose(each, own, stored, mount, level, true);
    whole_.view.add({&stored, mount, inside});
    for (const Inherit& each : dialect_.inherit) compose(each, own, stored, mount, level, false);
    for (const Inherit& each : dialect_.inherit) follow(each, own, stored, mount, level);
    include(stored.root(), stored, mount, level);
    // What a sourced script sets may be more flags.
    if (const NodeRef open = stored.root()["open"]; open.size() > 0 && stored.root()["flags"])
      lack({}, open[0], std::string(open[0].note()), {"flags"});
    if (level > 0) return;
    // Choices of groups that the main configuration names; `/model` may name `/model/size` itself.
    for (bool is_done = false; !is_done;) {
      charge(2 * choices_.size());
      auto next = choices_.end();
      for (auto each = choices_.begin(); each != choices_.end(); ++each) {
        if (!each->used && (next == choices_.end() || each->group.size() < next->group.size())) next = each;
      }
      is_done = next == choices_.end();
      if (is_done) break;
      next->used = true;
      choose(Choice(*next), level);
    }
  }

 private:
  // Each file that is inherited may name all of the others again.
  void note(NodeRef node, std::string message) {
    model::Note made{std::move(message), std::string(node.file()), node.span(), node.path()};
    charge_bytes(2 * (sizeof made + made.message.size() + made.path.size() + made.key_path.size()));
    whole_.notes.push_back(std::move(made));
  }

  // What the file would say is unknown.
  void lack(const Inherit& each, NodeRef node, std::string meaning, const Place& mount) {
    std::size_t bytes = sizeof(Missing) + meaning.size();
    for (const std::string& component : mount) bytes += sizeof(std::string) + component.size();
    charge_bytes(2 * bytes);
    whole_.view.lack({node, std::move(meaning), mount, each.states});
  }

  // `${model.hidden_size}` within one file, or of those of a hydra tree that build on it; what refers to a
  // file that it builds on itself stays unknown.
  text::Document follow_interpolations(text::Document document, const Place& mount) {
    const std::string_view source = document.source();
    constexpr std::array<std::string_view, 3> references = {"${", "???", "!ref"};
    const bool refers = std::any_of(references.begin(), references.end(), [&](std::string_view each) {
      return source.find(each) != std::string_view::npos;
    });
    if (!refers || text::syntax_by_name(document.path()) != text::Syntax::yaml) return document;
    text::interpolation::Scopes scopes{dialect_.environment, {}};
    const bool is_hydra = std::any_of(dialect_.inherit.begin(), dialect_.inherit.end(),
                                      [](const Inherit& each) { return each.hydra; });
    if (is_hydra && !whole_.view.layers().empty()) {
      scopes.over = [&](std::string_view path) {
        KeyPath place{mount, true};
        for (const std::string& component : parse_key_path(path).components)
          place.components.push_back(component);
        return whole_.view.find(place, {});
      };
    }
    Result<text::Document> followed = text::interpolate(document, scopes);
    if (followed) return *std::move(followed);
    const Error& error = followed.error();
    whole_.notes.push_back({error.message, std::string(document.path()), error.span.value_or(Span{}), {}});
    return document;
  }

  // What a Python file imports from its own repository.
  text::Document follow_imports(text::Document document) const {
    if (!document.path().ends_with(".py")) return document;
    if (document.source().find("import") == std::string_view::npos) return document;
    const auto read = [&](const std::string& path) -> std::optional<std::string> {
      if (!is_inside(path, ancestors_.back()) || !files_.exists(path) || files_.is_directory(path))
        return std::nullopt;
      Result<std::string> content = files_.read(path, text::max_source_bytes);
      return content ? std::optional(*std::move(content)) : std::nullopt;
    };
    auto followed = text::parse_python(
        std::string(document.path()), document.shared_source(),
        {read, ancestors_, [&](const std::string& path) { return files_.is_directory(path); }});
    return followed ? *std::move(followed) : document;
  }

  // Nothing is missing where there is no such file.
  void read_beside(const Inherit& each, const text::Document& document, const Place& mount, int level) {
    const std::string path(document.path());
    if (level > 0 || each.beside.empty() || !path.ends_with(each.ending)) return;
    Place inner = mount;
    for (const std::string& component : parse_key_path(each.mount).components) inner.push_back(component);
    open(each, document.root(), path.substr(0, path.size() - each.ending.size()) + each.beside, inner, level);
  }

  void follow(const Inherit& each, const View& own, const text::Document& document, const Place& mount,
              int level) {
    read_beside(each, document, mount, level);
    for (const KeyPath& key : each.keys) {
      for (const Place& place : own.places(key)) {
        const NodeRef node = own.find({place, true}, {});
        if (each.hydra) {
          continue;
        } else if (node.is(Kind::list)) {
          // Later files of a list win over earlier ones, so they are added first.
          std::vector<NodeRef> items;
          for (const NodeRef item : node) items.push_back(item);
          for (auto item = items.rbegin(); item != items.rend(); ++item) {
            named(each, *item, std::string(item->as_string().value_or("")), own, document, mount, level);
          }
        } else {
          named(each, node, std::string(node.as_string().value_or("")), own, document, mount, level);
        }
      }
    }
  }

  // An entry of a defaults list: `- group: name`, `- group@package: name`, `- override group: name`, `-
  // name`.
  struct Choice {
    const Inherit* inherit = nullptr;
    NodeRef node;
    const text::Document* document = nullptr;
    std::string group;     // from the folder that holds them all, or the path of its own; begins with `/`
    std::string relative;  // from the file's folder
    std::vector<std::string> names;
    Place mount;
    bool is_packaged = true;  // its file may say where it stands
    bool is_optional = false;
    bool is_absolute = false;
    bool used = false;
  };

  std::vector<Choice>::iterator overriding(const std::string& group) {
    charge(2 * choices_.size());
    return std::find_if(choices_.begin(), choices_.end(), [&](const Choice& other) {
      return other.group.ends_with(group) || group.ends_with(other.group);
    });
  }

  // The choices of one entry; the second is whether it overrides another's.
  std::pair<Choice, bool> choice_of(const Inherit& each, NodeRef entry, const text::Document& document,
                                    const Place& mount) const {
    Choice out{&each, entry, &document, {}, {}, {}, mount, true, false, false, false};
    bool overrides = false;
    std::string_view group = entry.key();
    for (const std::string_view prefix : {"optional ", "override ", "optional "}) {
      if (!group.starts_with(prefix)) continue;
      out.is_optional = out.is_optional || prefix == "optional ";
      overrides = overrides || prefix == "override ";
      group.remove_prefix(prefix.size());
    }
    std::string_view package = group;
    if (const auto at = group.find('@'); at != std::string_view::npos) {
      package = group.substr(at + 1);
      group = group.substr(0, at);
      out.is_packaged = false;
    }
    out.is_absolute = group.starts_with('/');
    if (out.is_absolute && out.is_packaged) package.remove_prefix(1);
    if (package == "_global_") {
      out.mount.clear();
    } else if (package != "_here_") {
      out.mount = place_of(package, out.is_absolute ? Place{} : mount);
    }
    if (!out.is_absolute) out.relative = group;
    out.group = out.is_absolute ? std::string(group) : "/" + join(folder_of(document.path()), group);
    if (const auto name = entry.as_string()) out.names.emplace_back(*name);
    for (const NodeRef name : entry) out.names.emplace_back(name.as_string().value_or(""));
    return {out, overrides};
  }

  // `before`: those that win over the file itself.
  void compose(const Inherit& each, const View& own, const text::Document& document, const Place& mount,
               int level, bool before) {
    if (!each.hydra) return;
    std::vector<NodeRef> items;
    for (const KeyPath& key : each.keys) {
      for (const Place& place : own.places(key)) {
        for (const NodeRef item : own.find({place, true}, {})) items.push_back(item);
      }
    }
    const auto self = std::find_if(items.begin(), items.end(),
                                   [](NodeRef item) { return item.as_string().value_or("") == "_self_"; });
    std::vector<NodeRef> chosen(before ? self : items.begin(), before ? items.end() : self);
    std::vector<Choice> choices;
    for (const NodeRef item : items) {
      for (const NodeRef entry : item) {
        auto [choice, overrides] = choice_of(each, entry, document, mount);
        const auto found = overriding(choice.group);
        if (overrides && found == choices_.end()) choices_.push_back(std::move(choice));
      }
    }
    for (auto item = chosen.rbegin(); item != chosen.rend(); ++item) {
      if (const auto name = item->as_string()) {
        if (*name != "_self_") bare(each, *item, document, std::string(*name), mount, level);
        continue;
      }
      for (const NodeRef entry : *item) {
        auto [choice, overrides] = choice_of(each, entry, document, mount);
        if (overrides) continue;
        const auto found = overriding(choice.group);
        if (found != choices_.end()) {
          if (!found->used) choice.names = found->names;
          if (found->used) choice.names.clear();
          found->used = true;
        }
        choose(choice, level);
      }
    }
  }

  // `- name`: next to the file and at its place; `- /folder/name` from the folder that holds them all.
  void bare(const Inherit& each, NodeRef item, const text::Document& document, const std::string& name,
            const Place& mount, int level) {
    Choice choice{&each, item, &document, {}, {}, {name}, mount, true, false, name.starts_with('/'), false};
    if (choice.is_absolute) {
      const auto slash = name.rfind('/');
      choice.group = name.substr(0, slash);
      choice.names = {name.substr(slash + 1)};
      choice.mount =
          place_of(std::string_view(choice.group).substr(std::min<std::size_t>(1, choice.group.size())), {});
    }
    choose(choice, level);
  }

  void choose(const Choice& choice, int level) {
    for (auto name = choice.names.rbegin(); name != choice.names.rend(); ++name) {
      if (name->empty()) continue;
      std::string plain = *name;
      for (const std::string_view suffix : {".yaml", ".yml"}) {
        if (plain.ends_with(suffix)) plain.resize(plain.size() - suffix.size());
      }
      Inherit each = *choice.inherit;
      packaged_ = choice.is_packaged;
      if (choice.is_absolute) {
        each.search = {"^"};
        load(each, choice.node, *choice.document,
             choice.group.substr(std::min<std::size_t>(1, choice.group.size())) + "/" + plain, choice.mount,
             level, choice.is_optional);
      } else {
        load(each, choice.node, *choice.document,
             choice.relative.empty() ? plain : choice.relative + "/" + plain, choice.mount, level,
             choice.is_optional);
      }
      packaged_ = false;
    }
  }

  void named(const Inherit& each, NodeRef node, const std::string& name, const View& own,
             const text::Document& document, const Place& mount, int level) {
    Place inner = mount;
    for (const std::string& component : parse_key_path(each.mount).components) inner.push_back(component);
    if (node.is(Kind::unknown)) lack(each, node, std::string(node.note()), inner);
    if (name.empty()) return;
    Inherit filled = each;
    for (std::string& folder : filled.search) {
      const auto open = folder.find('{');
      const auto close = folder.find('}');
      if (open == std::string::npos || close == std::string::npos || close < open) continue;
      const NodeRef value = own.find(parse_key_path(folder.substr(open + 1, close - open - 1)), {});
      folder.replace(open, close - open + 1, std::string(value.as_string().value_or("-")));
    }
    load(filled, node, document, name, inner, level);
  }

  static bool is_default(const Inherit& each, const std::string& name) {
    return std::any_of(each.defaults.begin(), each.defaults.end(), [&](const std::string& known) {
      return name == known || name.ends_with("/" + known);
    });
  }

  void load(const Inherit& each, NodeRef node, const text::Document& document, const std::string& name,
            const Place& mount, int level, bool optional = false) {
    if (name.find('$') != std::string::npos || name.starts_with('/')) {
      const std::string end = end_inside(files_, ancestors_, name);
      const auto opens = [&](const auto& above) { return open(each, node, join(above, end), mount, level); };
      if (!end.empty() && std::any_of(ancestors_.begin(), ancestors_.end(), opens)) return;
      if (!is_default(each, name)) lack(each, node, fmt::format("`{}` is not followed", name), mount);
      return;
    }
    if (level >= max_inherited || whole_.documents.size() >= max_files) {
      note(node, fmt::format("`{}` is not followed: more than {} files or {} levels of inheritance", name,
                             max_files, max_inherited));
      lack(each, node, fmt::format("`{}` is not followed", name), mount);
      return;
    }
    const std::string folder = folder_of(document.path());
    for (const std::string& search : each.search) {
      for (const std::string& suffix : each.suffixes) {
        if (search.starts_with('^')) {
          for (const std::string& above : ancestors_) {
            if (open(each, node, join(join(above, search.substr(1)), name + suffix), mount, level)) return;
          }
        } else if (open(each, node, join(join(folder, search), name + suffix), mount, level)) {
          return;
        }
      }
    }
    note(node, fmt::format("`{}` does not exist, so its values are unknown", name));
    if (!optional && !is_default(each, name)) lack(each, node, fmt::format("`{}` is missing", name), mount);
  }

  bool open(const Inherit& each, NodeRef node, const std::string& path, const Place& mount, int level) {
    constexpr std::size_t units_per_look = 500;  // at a disk
    charge(units_per_look);
    if (!is_inside(path, ancestors_.back()) || !files_.exists(path) || files_.is_directory(path))
      return false;
    // The same may stand at several places (both halves of an encoder-decoder).
    if (std::find(seen_.begin(), seen_.end(), std::pair(path, mount)) != seen_.end()) {
      note(node, fmt::format("`{}` is already part of this configuration", path));
      return true;
    }
    Result<std::string> content = files_.read(path, text::max_source_bytes);
    if (!content) return false;
    // All of them are kept, with their texts.
    const SpendingOn on(path);
    charge_text(content->size());
    charge_bytes(content->size());
    auto parsed = text::parse_any(path, *std::move(content));
    if (!parsed) {
      note(node, fmt::format("`{}` cannot be parsed: {}", path, parsed.error().message));
      lack(each, node, fmt::format("`{}` cannot be parsed", path), mount);
      return true;
    }
    const bool is_packaged = std::exchange(packaged_, false);
    for (text::Document& inherited : *parsed) {
      charge_bytes(inherited.nodes().size() * sizeof(text::Node) + inherited.pool().size());
      const std::optional<Place> package = is_packaged ? package_of(inherited, mount) : std::nullopt;
      add(std::move(inherited), package.value_or(mount), parse_key_path(each.inside).components, level + 1);
      break;
    }
    return true;
  }

  // `data: !include data/x.yaml` anywhere in the tree.
  void include(NodeRef node, const text::Document& document, const Place& mount, int level) {
    for (const NodeRef child : node) {
      if (child.is(Kind::table)) {
        Place inner = mount;
        inner.emplace_back(child.key());
        include(child, document, inner, level);
      } else if (child.is(Kind::string) && child.note() == "!include") {
        Place inner = mount;
        inner.emplace_back(child.key());
        load(Inherit{{}, {"."}, {""}, {}, {}, false, {}, {}}, child, document,
             std::string(*child.as_string()), inner, level);
      }
    }
  }

  const text::FileSystem& files_;
  const Dialect& dialect_;
  AssembledConfig& whole_;
  std::vector<std::string> ancestors_;
  std::vector<std::pair<std::string, Place>> seen_;
  std::vector<Choice> choices_;  // overrides, the first of a group counts
  bool packaged_ = false;        // the file that is opened next may say where it stands
};

}  // namespace

AssembledConfig assemble(const text::FileSystem& files, const Dialect& dialect,
                         const text::Document& document) {
  AssembledConfig whole(dialect.flags);
  Assembler assembler(files, dialect, std::string(document.path()), whole);
  assembler.add(document, {}, {}, 0);
  return whole;
}

}  // namespace shapelint::formats

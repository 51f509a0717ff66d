// Following configurations to the files that they build on.
#include "formats/dialect/inherit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"
#include "text/interpolation/interpolate.hpp"
#include "text/limits.hpp"
#include "text/parse_any.hpp"
#include "text/python/python.hpp"

namespace shapelint::formats {

namespace {

using text::Kind;
using text::NodeRef;

// The deepest public chains have four files; a hydra tree has about a dozen groups.
constexpr int most_levels = 12;
constexpr std::size_t most_files = 48;

class Assembler {
 public:
  Assembler(const text::FileSystem& files, const Dialect& dialect, const std::string& path, Whole& whole)
      : files_(files), dialect_(dialect), whole_(whole), ancestors_(ancestors(files, path)) {}

  void add(text::Document document, const Place& mount, const Place& inside, int level) {
    whole_.documents.push_back(follow_imports(follow_interpolations(std::move(document))));
    const text::Document& stored = whole_.documents.back();
    seen_.push_back(join("", stored.path()));
    whole_.view.add({&stored, mount, inside});
    View own(dialect_.flags);
    own.add({&stored, {}, {}});
    for (const Inherit& each : dialect_.inherit) follow(each, own, stored, mount, level);
    include(stored.root(), stored, mount, level);
    // What a sourced script sets may be more flags.
    if (const NodeRef open = stored.root()["open"]; open.size() > 0 && stored.root()["flags"])
      lack({}, open[0], std::string(open[0].note()), {"flags"});
  }

 private:
  void note(NodeRef node, std::string message) {
    whole_.notes.push_back({std::move(message), std::string(node.file()), node.span(), node.path()});
  }

  // What the file would say is unknown.
  void lack(const Inherit& each, NodeRef node, std::string meaning, const Place& mount) {
    whole_.view.lack({node, std::move(meaning), mount, each.states});
  }

  // `${model.hidden_size}` within one file; what refers to a file beside it stays unknown.
  text::Document follow_interpolations(text::Document document) {
    const std::string_view source = document.source();
    const bool refers =
        source.find("${") != std::string_view::npos || source.find("???") != std::string_view::npos;
    if (!refers || text::syntax_by_name(document.path()) != text::Syntax::yaml) return document;
    Result<text::Document> followed = text::interpolate(document, {dialect_.environment});
    if (followed) return *std::move(followed);
    const Error& error = followed.error();
    whole_.notes.push_back({error.message, std::string(document.path()), error.span.value_or(Span{}), {}});
    return document;
  }

  // What a Python file imports from its own repository.
  text::Document follow_imports(text::Document document) const {
    if (text::syntax_by_name(document.path()) != text::Syntax::python) return document;
    if (document.source().find("import") == std::string_view::npos) return document;
    const auto read = [&](const std::string& path) -> std::optional<std::string> {
      if (!is_inside(path, ancestors_.back()) || !files_.exists(path) || files_.is_directory(path))
        return std::nullopt;
      Result<std::string> content = files_.read(path, text::max_source_bytes);
      return content ? std::optional(*std::move(content)) : std::nullopt;
    };
    auto followed =
        text::parse_python(std::string(document.path()), document.shared_source(), {read, ancestors_});
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
          for (const NodeRef item : node) hydra(each, item, document, mount, level);
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

  // `- group: name` stands at `group` and is in the folder of that name; a bare name stands at the top.
  void hydra(const Inherit& each, NodeRef item, const text::Document& document, const Place& mount,
             int level) {
    if (const auto name = item.as_string()) {
      if (*name != "_self_") load(each, item, document, std::string(*name), mount, level);
      return;
    }
    for (const NodeRef entry : item) {
      const auto name = entry.as_string();
      if (!name) continue;
      std::string_view group = entry.key();
      const bool optional = group.starts_with("optional ");
      for (const std::string_view prefix : {"optional ", "override "}) {
        if (group.starts_with(prefix)) group.remove_prefix(prefix.size());
      }
      std::string_view package = group;
      if (const auto at = group.find('@'); at != std::string_view::npos) {
        package = group.substr(at + 1);
        group = group.substr(0, at);
      }
      Place inner = mount;
      if (package != "_global_") {
        std::string dotted(package);
        std::replace(dotted.begin(), dotted.end(), '/', '.');
        for (const std::string& component : parse_key_path(dotted).components) inner.push_back(component);
      }
      load(each, entry, document, std::string(group) + "/" + std::string(*name), inner, level, optional);
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

  void load(const Inherit& each, NodeRef node, const text::Document& document, const std::string& name,
            const Place& mount, int level, bool optional = false) {
    if (name.find('$') != std::string::npos || name.starts_with('/'))
      return lack(each, node, fmt::format("`{}` is not followed", name), mount);
    if (level >= most_levels || whole_.documents.size() >= most_files) {
      note(node, fmt::format("`{}` is not followed: more than {} files or {} levels of inheritance", name,
                             most_files, most_levels));
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
    note(node, fmt::format("`{}` is not there, so what it says is unknown", name));
    const bool is_known = std::find(each.defaults.begin(), each.defaults.end(), name) != each.defaults.end();
    if (!optional && !is_known) lack(each, node, fmt::format("`{}` is not there", name), mount);
  }

  bool open(const Inherit& each, NodeRef node, const std::string& path, const Place& mount, int level) {
    if (!is_inside(path, ancestors_.back()) || !files_.exists(path) || files_.is_directory(path))
      return false;
    if (std::find(seen_.begin(), seen_.end(), path) != seen_.end()) {
      note(node, fmt::format("`{}` is already part of this configuration", path));
      return true;
    }
    Result<std::string> content = files_.read(path, text::max_source_bytes);
    if (!content) return false;
    auto parsed = text::parse_any(path, *std::move(content));
    if (!parsed) {
      note(node, fmt::format("`{}` cannot be parsed: {}", path, parsed.error().message));
      lack(each, node, fmt::format("`{}` cannot be parsed", path), mount);
      return true;
    }
    for (text::Document& inherited : *parsed) {
      add(std::move(inherited), mount, parse_key_path(each.inside).components, level + 1);
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
  Whole& whole_;
  std::vector<std::string> ancestors_;
  std::vector<std::string> seen_;
};

}  // namespace

Whole assemble(const text::FileSystem& files, const Dialect& dialect, const text::Document& document) {
  Whole whole(dialect.flags);
  Assembler assembler(files, dialect, std::string(document.path()), whole);
  assembler.add(document, {}, {}, 0);
  return whole;
}

}  // namespace shapelint::formats

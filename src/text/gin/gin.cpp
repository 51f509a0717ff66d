// Lines of bindings, with Python's literals.
#include "text/gin/gin.hpp"

#include <map>
#include <vector>

#include "text/errors.hpp"
#include "text/python/expressions.hpp"
#include "text/python/run.hpp"
#include "text/python/scan.hpp"

namespace shapelint::text {

namespace {

using python::Token;

class GinReader {
 public:
  explicit GinReader(python::Interpreter& interpreter, python::Module& module)
      : interpreter_(interpreter), module_(module) {}

  TreeBuilder read(const std::vector<python::Line>& lines) {
    root_ =
        tree_.add(no_node, Kind::table, {}, {}, Span{0, static_cast<std::int64_t>(module_.source.size())});
    std::vector<Token> block;
    for (const python::Line& line : lines) {
      const std::vector<Token>& tokens = line.tokens;
      if (text(tokens.front()) == "include") {
        include(tokens);
      } else if (text(tokens.back()) == ":") {
        block.assign(tokens.begin(), tokens.end() - 1);
      } else {
        if (line.indent == 0) block.clear();
        bind(block, tokens);
      }
    }
    return std::move(tree_);
  }

 private:
  std::string_view text(const Token& token) const {
    return std::string_view(module_.source).substr(token.begin, token.end - token.begin);
  }

  void include(const std::vector<Token>& tokens) {
    if (tokens.size() != 2 || tokens[1].kind != Token::Kind::string) return;
    const Span span{tokens[1].begin, tokens[1].end};
    if (include_ == no_node) {
      include_ = tree_.add(root_, Kind::list, "include", {tokens[0].begin, tokens[0].end}, span);
    }
    tree_.set_string(tree_.add(include_, Kind::string, {}, {}, span),
                     python::read_string(text(tokens[1])).text);
    tree_.set_value_end(include_, span.end);
  }

  // `a.b.c = value`, or `c = value` below `a.b:`.
  void bind(const std::vector<Token>& block, const std::vector<Token>& tokens) {
    std::size_t sign = 0;
    while (sign < tokens.size() && text(tokens[sign]) != "=") ++sign;
    if (sign == 0 || sign + 1 >= tokens.size()) return;
    std::vector<Token> names(block);
    names.insert(names.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(sign));
    std::vector<std::string_view> path;
    for (const Token& each : names) {
      if (text(each) == "/") return;  // of one scope only
      if (each.kind == Token::Kind::name) path.push_back(text(each));
    }
    if (path.empty() || path.size() > static_cast<std::size_t>(max_depth / 2)) return;
    std::int32_t parent = root_;
    std::string so_far;
    const Span key{tokens[0].begin, tokens[sign - 1].end};
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      so_far += std::string(path[i]) + ".";
      const auto [place, is_new] = tables_.try_emplace(so_far, no_node);
      if (is_new) place->second = tree_.add(parent, Kind::table, path[i], key, key);
      parent = place->second;
    }
    const python::Value value = value_of(tokens, sign + 1);
    const Span span{tokens[sign + 1].begin, tokens.back().end};
    python::write(tree_, parent, path.back(), value, module_, key, span);
    if (path.size() == 1) {
      module_.names.set(path.back(), value).where = &module_;
    }
  }

  python::Value value_of(const std::vector<Token>& tokens, std::size_t at) {
    if (text(tokens[at]) == "@") return python::unknown("it is a reference");
    std::vector<Token> plain;
    for (std::size_t i = at; i < tokens.size(); ++i) {
      if (text(tokens[i]) != "%") plain.push_back(tokens[i]);
    }
    python::ExpressionReader reader(module_.syntax, plain);
    const python::Index index = reader.list();
    if (reader.failed() || !reader.done()) return python::unknown("its syntax is not supported");
    return interpreter_.value_of(module_, index);
  }

  python::Interpreter& interpreter_;
  python::Module& module_;
  TreeBuilder tree_;
  std::int32_t root_ = no_node;
  std::int32_t include_ = no_node;
  std::map<std::string, std::int32_t> tables_;
};

}  // namespace

Result<Document> parse_gin(const std::string& path, const SharedText& source) {
  return python::document_of(path, source, [&] {
    python::Interpreter interpreter({}, {});
    python::Module& module = interpreter.empty(path, std::string(std::string_view(source)));
    return python::placed(interpreter, [&] {
      const std::vector<python::Line> lines = python::scan(module.source, 0, module.source.size());
      return GinReader(interpreter, module).read(lines);
    });
  });
}

}  // namespace shapelint::text

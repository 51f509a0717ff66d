// Statements and blocks of the syntax tree.
#include <algorithm>
#include <string>
#include <vector>

#include "text/errors.hpp"
#include "text/python/expressions.hpp"
#include "text/python/scan.hpp"
#include "text/python/syntax.hpp"

namespace shapelint::text::python {

Range read_bases(Syntax& out, ExpressionReader& header) {
  std::vector<Index> found;
  while (!header.failed() && !header.done() && !header.is_at(")")) {
    if (header.at_name()) {
      const std::size_t before = header.position();
      header.skip();
      if (header.take("=")) {  // metaclass=…
        header.one();
        if (!header.take(",")) break;
        continue;
      }
      header.back_to(before);
    }
    found.push_back(header.one());
    if (!header.take(",")) break;
  }
  const Range range{static_cast<std::uint32_t>(out.children.size()),
                    static_cast<std::uint32_t>(found.size())};
  out.children.insert(out.children.end(), found.begin(), found.end());
  return range;
}

Range read_parameters(Syntax& out, ExpressionReader& header) {
  std::vector<Parameter> found;
  bool by_keyword = false;
  while (!header.failed() && !header.done() && !header.is_at(")")) {
    Parameter each;
    if (header.take("/")) {
      if (!header.take(",")) break;
      continue;
    }
    if (by_keyword) each.kind = Parameter::Kind::keyword_only;
    if (header.take("**")) {
      each.kind = Parameter::Kind::rest_of_keywords;
    } else if (header.take("*")) {
      by_keyword = true;
      if (header.take(",")) continue;
      each.kind = Parameter::Kind::rest;
    }
    if (!header.at_name()) {
      header.fail();
      break;
    }
    each.name = header.text();
    header.skip();
    if (header.take(":")) header.one();  // its type
    if (header.take("=")) each.fallback = header.one();
    found.push_back(each);
    if (!header.take(",")) break;
  }
  const Range range{static_cast<std::uint32_t>(out.parameters.size()),
                    static_cast<std::uint32_t>(found.size())};
  out.parameters.insert(out.parameters.end(), found.begin(), found.end());
  return range;
}

Range read_imports(Syntax& out, ExpressionReader& reader) {
  std::vector<Imported> found;
  const auto dotted = [&]() -> std::string_view {
    const std::uint32_t begin = reader.begin();
    while (reader.at_name() && !reader.is_at("import") && !reader.is_at("as")) {
      reader.skip();
      if (!reader.is_at(".")) break;
      reader.skip();
    }
    return out.source.substr(begin, std::max(begin, reader.end()) - begin);
  };
  if (reader.take("import")) {
    do {
      Imported each;
      each.module = dotted();
      each.as = each.module;
      if (reader.take("as")) each.as = dotted();
      found.push_back(each);
    } while (reader.take(","));
  } else {
    reader.take("from");
    Imported each;
    while (reader.take(".")) ++each.dots;
    if (!reader.is_at("import")) each.module = dotted();
    if (reader.take("import")) {
      reader.take("(");
      while (!reader.done() && !reader.is_at(")")) {
        each.name = reader.text();
        each.as = each.name;
        reader.skip();
        if (reader.take("as")) {
          each.as = reader.text();
          reader.skip();
        }
        found.push_back(each);
        if (!reader.take(",")) break;
      }
    }
  }
  const Range range{static_cast<std::uint32_t>(out.imports.size()), static_cast<std::uint32_t>(found.size())};
  out.imports.insert(out.imports.end(), found.begin(), found.end());
  return range;
}

namespace {

class StatementReader {
 public:
  StatementReader(Syntax& out, const std::vector<Line>& lines) : out_(out), lines_(lines) {}

  Range module() {
    std::vector<Index> all;
    while (at_ < lines_.size()) statements(lines_[at_].indent, all, 0);
    return stored(all);
  }

 private:
  Range stored(const std::vector<Index>& statements) {
    const Range range{static_cast<std::uint32_t>(out_.blocks.size()),
                      static_cast<std::uint32_t>(statements.size())};
    out_.blocks.insert(out_.blocks.end(), statements.begin(), statements.end());
    return range;
  }

  Range parts(const std::vector<Index>& expressions) {
    const Range range{static_cast<std::uint32_t>(out_.children.size()),
                      static_cast<std::uint32_t>(expressions.size())};
    out_.children.insert(out_.children.end(), expressions.begin(), expressions.end());
    return range;
  }

  Index add(Statement made) {
    out_.statements.push_back(made);
    return static_cast<Index>(out_.statements.size() - 1);
  }

  // Those of one block, whose lines are indented as its first one.
  void statements(std::uint32_t indent, std::vector<Index>& all, int depth) {
    while (at_ < lines_.size() && lines_[at_].indent >= indent) {
      if (lines_[at_].indent > indent && depth < max_depth) {
        Statement stray;  // a block of nothing
        stray.begin = stray.end = lines_[at_].tokens.front().begin;
        stray.body = block(lines_[at_].indent, depth + 1);
        all.push_back(add(stray));
        continue;
      }
      all.push_back(statement(depth));
    }
  }

  Range block(std::uint32_t indent, int depth) {
    std::vector<Index> all;
    statements(indent, all, depth);
    return stored(all);
  }

  std::string_view word(std::size_t i) const {
    const std::vector<Token>& tokens = lines_[at_].tokens;
    if (i >= tokens.size() || tokens[i].kind == Token::Kind::string) return {};
    return out_.source.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
  }

  // What follows a colon: the rest of the line, or the lines that are further in.
  Range suite(ExpressionReader& header, std::uint32_t indent, int depth) {
    const std::size_t line = at_++;
    std::vector<Index> all;
    if (!header.failed() && !header.done()) {
      all.push_back(simple(line, header.position()));
      while (at_ < lines_.size() && lines_[at_].continues) {
        all.push_back(simple(at_, 0));
        ++at_;
      }
      return stored(all);
    }
    if (at_ >= lines_.size() || lines_[at_].indent <= indent) return stored(all);
    if (depth >= max_depth) {
      while (at_ < lines_.size() && lines_[at_].indent > indent) ++at_;
      return stored(all);
    }
    return block(lines_[at_].indent, depth + 1);
  }

  Index statement(int depth) {
    const Line& line = lines_[at_];
    const std::string_view first = word(0);
    if (first == "@") return decorated(depth);
    if (first == "def" || first == "class") return definition(depth, {});
    if (first == "async" && word(1) == "def") return definition(depth, {}, 1);
    const bool is_block = first == "if" || first == "for" || first == "with" || first == "while" ||
                          first == "try" || first == "async" || first == "match";
    const bool is_deeper = at_ + 1 < lines_.size() && lines_[at_ + 1].indent > line.indent;
    if (is_block && (first != "match" || is_deeper)) return compound(depth);
    const Index made = simple(at_, 0);
    ++at_;
    return made;
  }

  Index decorated(int depth) {
    std::vector<Index> decorators;
    const std::uint32_t indent = lines_[at_].indent;
    while (at_ < lines_.size() && word(0) == "@" && lines_[at_].indent == indent) {
      ExpressionReader reader(out_, lines_[at_].tokens, 1);
      decorators.push_back(reader.one());
      ++at_;
    }
    if (at_ < lines_.size() && lines_[at_].indent == indent) {
      if (word(0) == "def" || word(0) == "class") return definition(depth, decorators);
      if (word(0) == "async" && word(1) == "def") return definition(depth, decorators, 1);
    }
    return add({});
  }

  Index definition(int depth, const std::vector<Index>& decorators, std::size_t skip = 0) {
    const Line& line = lines_[at_];
    Statement made;
    made.kind = word(skip) == "class" ? StatementKind::type : StatementKind::function;
    made.begin = line.tokens.front().begin;
    made.text = word(skip + 1);
    ExpressionReader header(out_, line.tokens, skip + 2);
    skip_types(header);
    if (header.take("(")) {
      if (made.kind == StatementKind::type) {
        made.parameters = read_bases(out_, header);
      } else {
        made.parameters = read_parameters(out_, header);
      }
      if (!header.take(")")) header.fail();
    }
    while (!header.failed() && !header.done() && !header.is_at(":")) header.skip();
    if (!header.take(":")) header.fail();
    made.body = suite(header, line.indent, depth);
    made.end = line.tokens.back().end;
    made.parts = parts(decorators);
    return add(made);
  }

  // The type parameters of `def f[T](…)`.
  static void skip_types(ExpressionReader& header) {
    if (!header.is_at("[")) return;
    while (!header.done() && !header.is_at("(") && !header.is_at(":")) header.skip();
  }

  Index compound(int depth) {
    const Line& line = lines_[at_];
    Statement made;
    made.begin = line.tokens.front().begin;
    made.end = line.tokens.back().end;
    const std::size_t skip = word(0) == "async" ? 1 : 0;
    const std::string_view kind = word(skip);
    ExpressionReader header(out_, line.tokens, skip + 1);
    std::vector<Index> found;
    if (kind == "if" || kind == "elif") {
      made.kind = StatementKind::branch;
      found.push_back(header.one());
    } else if (kind == "for") {
      made.kind = StatementKind::loop;
      found.push_back(header.target());
      if (!header.take("in")) header.fail();
      if (!header.failed()) found.push_back(header.list());
    } else if (kind == "with") {
      made.kind = StatementKind::enclose;
      do {
        found.push_back(header.one());
        found.push_back(header.take("as") ? header.target_of_with() : nothing);
      } while (!header.failed() && header.take(","));
    }
    if (made.kind == StatementKind::other) {
      while (!header.done() && !header.is_at(":")) header.skip();
      if (kind == "while" || kind == "match") {
        // The last colon of the line, as the condition may hold others.
        std::size_t last = line.tokens.size() - 1;
        while (header.position() < last) header.skip();
      }
    }
    if (!header.take(":")) header.fail();
    if (header.failed()) made.kind = StatementKind::other;
    made.body = suite(header, line.indent, depth);
    made.parts = parts(found);
    made.otherwise = rest_of(line.indent, depth, made.kind);
    return add(made);
  }

  // `elif`, `else`, `except` and `finally` of the statement before.
  Range rest_of(std::uint32_t indent, int depth, StatementKind kind) {
    std::vector<Index> all;
    int chained = depth;
    while (at_ < lines_.size() && lines_[at_].indent == indent && !lines_[at_].continues) {
      const std::string_view first = word(0);
      if (first == "elif" && kind == StatementKind::branch) {
        if (++chained >= max_depth) break;
        all.push_back(compound(chained));
        break;
      }
      if (first != "else" && first != "except" && first != "finally") break;
      const Line& line = lines_[at_];
      ExpressionReader header(out_, line.tokens, 1);
      while (!header.done() && !header.is_at(":")) header.skip();
      if (!header.take(":")) header.fail();
      const Range body = suite(header, indent, depth);
      if (first == "else" && kind == StatementKind::branch) {
        for (std::uint32_t i = 0; i < body.count; ++i) all.push_back(out_.blocks[body.first + i]);
        break;
      }
      Statement other;
      other.begin = line.tokens.front().begin;
      other.end = line.tokens.back().end;
      other.body = body;
      all.push_back(add(other));
    }
    return stored(all);
  }

  Index simple(std::size_t index, std::size_t from) {
    const std::vector<Token>& tokens = lines_[index].tokens;
    Statement made;
    made.begin = tokens[from].begin;
    made.end = tokens.back().end;
    ExpressionReader reader(out_, tokens, from);
    if (reader.is_at("import") || reader.is_at("from")) {
      made.kind = StatementKind::import;
      made.imports = read_imports(out_, reader);
      return add(made);
    }
    if (reader.take("return")) {
      made.kind = StatementKind::give;
      std::vector<Index> found;
      if (!reader.done()) found.push_back(whole(reader));
      made.parts = parts(found);
      return add(made);
    }
    if (reader.is_at("break") || reader.is_at("continue") || reader.is_at("raise")) {
      made.kind = StatementKind::leave;
      made.text = reader.text();
      return add(made);
    }
    for (const std::string_view passed : {"pass", "assert", "del", "global", "nonlocal", "type", "yield"}) {
      if (!reader.is_at(passed)) continue;
      if (passed == "type" && tokens.size() > from + 1 && tokens[from + 1].kind != Token::Kind::name) break;
      return add(made);
    }
    return assignment(reader, tokens, from, made);
  }

  static Index whole(ExpressionReader& reader) {
    const Index value = reader.list();
    if (!reader.done()) reader.fail();
    return value;
  }

  Index assignment(ExpressionReader& reader, const std::vector<Token>& tokens, std::size_t from,
                   Statement made) {
    std::vector<Index> found{reader.list()};
    if (reader.failed()) return add(made);
    const std::string_view sign = reader.text();
    if (reader.done()) {
      made.kind = StatementKind::evaluate;
    } else if (reader.take(":")) {
      made.kind = StatementKind::declare;
      reader.one();
      if (reader.take("=")) {
        made.kind = StatementKind::assign;
        found.push_back(value_of(reader));
      } else if (reader.failed()) {
        // A type that is not understood may be followed by a value.
        for (std::size_t i = from; i + 1 < tokens.size(); ++i) {
          if (out_.source.substr(tokens[i].begin, tokens[i].end - tokens[i].begin) != "=") continue;
          ExpressionReader behind(out_, tokens, i + 1);
          made.kind = StatementKind::assign;
          found.push_back(value_of(behind));
          break;
        }
      }
    } else if (sign.size() >= 2 && sign.back() == '=' && sign != "==" && sign != "!=" && sign != "<=" &&
               sign != ">=") {
      made.kind = StatementKind::augment;
      made.text = sign.substr(0, sign.size() - 1);
      reader.skip();
      found.push_back(value_of(reader));
    } else {
      made.kind = StatementKind::assign;
      while (reader.take("=")) found.push_back(reader.list());
      if (!reader.done() || reader.failed()) {
        if (found.size() < 2) return add({});
        found.back() = missing(reader, out_.at(found.back()).begin, made.end);
      }
    }
    made.parts = parts(found);
    return add(made);
  }

  Index value_of(ExpressionReader& reader) {
    const std::uint32_t begin = reader.begin();
    const Index value = reader.list();
    if (reader.done() && !reader.failed()) return value;
    return missing(reader, begin, reader.last());
  }

  Index missing(ExpressionReader&, std::uint32_t begin, std::uint32_t end) {
    Expression made;
    made.begin = begin;
    made.end = std::max(begin, end);
    out_.expressions.push_back(made);
    return static_cast<Index>(out_.expressions.size() - 1);
  }

  Syntax& out_;
  const std::vector<Line>& lines_;
  std::size_t at_ = 0;
};

}  // namespace

Syntax parse(std::string_view source) {
  Syntax out;
  out.source = source;
  const std::vector<Line> lines = scan(source, 0, source.size());
  out.module = StatementReader(out, lines).module();
  return out;
}

}  // namespace shapelint::text::python

// What stands between the word of a statement and its end: bases, parameters, imported names.
#include <algorithm>
#include <vector>

#include "text/python/expressions.hpp"

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

}  // namespace shapelint::text::python

// Which reader a file gets.
#include "text/parse_any.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"
#include "text/errors.hpp"

using namespace shapelint;
using namespace shapelint::text;

TEST_CASE("parse_any: the extension decides") {
  CHECK(guess_syntax("a/config.json", "a: 1") == Syntax::json);
  CHECK(guess_syntax("a.b/x.yml", "{}") == Syntax::yaml);
  CHECK(guess_syntax("pyproject.toml", "") == Syntax::toml);
  CHECK(guess_syntax("tr8.slurm", "") == Syntax::shell);
  CHECK(guess_syntax("train.py", "a = 1") == Syntax::python);
  CHECK(guess_syntax("CONFIG.JSON", "") == Syntax::json);
  CHECK(guess_syntax("model.json", "{\n \"gguf\": 3}") == Syntax::gguf);
}

TEST_CASE("parse_any: content decides for other names and for standard input") {
  CHECK(guess_syntax("-", "#!/usr/bin/env bash\n") == Syntax::shell);
  CHECK_FALSE(guess_syntax("-", "#!/usr/bin/python3\n"));
  CHECK(guess_syntax("-", "\xEF\xBB\xBF\n  {\"a\": 1}") == Syntax::json);
  CHECK(guess_syntax("-", "[1, 2]") == Syntax::json);
  CHECK(guess_syntax("-", "# c\n[model]\nname = 1") == Syntax::toml);
  CHECK(guess_syntax("-", "hidden_size = 4096") == Syntax::toml);
  CHECK(guess_syntax("-", "HIDDEN=4096\n") == Syntax::shell);
  CHECK(guess_syntax("-", "# c\nmodel:\n  a: 1") == Syntax::yaml);
  CHECK(guess_syntax("-", "---\n- a") == Syntax::yaml);
  CHECK(guess_syntax("-", "torchrun x.py --a 1") == Syntax::shell);
  CHECK_FALSE(guess_syntax("-", ""));
  CHECK_FALSE(guess_syntax("README", "Some words.\nMore words.\n"));
  CHECK_FALSE(guess_syntax("README.md", "torchrun x.py --a 1"));  // a page about commands
}

TEST_CASE("parse_any: what a reader refuses is a mistake of syntax, or too large") {
  const auto code = [](const std::string& name, const std::string& text) {
    const auto documents = parse_any(name, text);
    REQUIRE_FALSE(documents);
    return documents.error().code;
  };
  CHECK(code("a.json", "{\"a\": }") == ErrorCode::syntax);
  CHECK(code("a.json", "\xFF") == ErrorCode::syntax);
  CHECK(code("a.yaml", "a: [1") == ErrorCode::syntax);
  CHECK(code("a.yaml", "a: *b") == ErrorCode::syntax);
  CHECK(code("a.toml", "a = ") == ErrorCode::syntax);
  CHECK(code("a.sh", "a='b") == ErrorCode::syntax);
  CHECK(code("a.py", "a = 'b") == ErrorCode::syntax);
  const std::string deep(static_cast<std::size_t>(max_depth) + 1, '[');
  CHECK(code("a.json", deep) == ErrorCode::too_large);
  CHECK(code("a.yaml", deep) == ErrorCode::too_large);
  CHECK(code("a.json", std::string(static_cast<std::size_t>(max_source_bytes) + 1, ' ')) ==
        ErrorCode::too_large);
}

TEST_CASE("a source is what its text was read as, with the text that its documents share") {
  const auto shown = [](const std::string& path, const std::string& text,
                        std::optional<Syntax> otherwise = std::nullopt) {
    const Source source = parse_source(path, text, otherwise);
    CHECK(source.path == path);
    CHECK(source.text.str() == text);
    if (source.documents) CHECK(source.documents->front().source().data() == source.text.str().data());
    const std::string syntax(source.syntax ? name(*source.syntax) : "none");
    return syntax + ": " +
           (source.documents ? outline(source.documents->front().root())
                             : outline(source.documents.error(), text));
  };
  CHECK(shown("x.json", "{\"a\": 1}") == "json: {a: 1}");
  CHECK(shown("x.sh", "A=1").starts_with("shell: {"));
  CHECK(shown("x.yaml", "a: 1") == "yaml: {a: 1}");
  CHECK(shown("x.py", "a = 1") == "python: {a: 1}");
  CHECK(shown("-", "nothing here") == "none: the text is not JSON, YAML, TOML or a shell script");
  // What looks like nothing, or like something else by mistake, may be TOML.
  CHECK(shown("-", "\"a b\"=1", Syntax::toml) == "toml: {a b: 1}");
  CHECK(shown("-", "[model] # a, b\nx = 1", Syntax::toml) == "toml: {model: {x: 1}}");
  CHECK(shown("-", "nothing here", Syntax::toml).starts_with("toml: not valid TOML"));
  CHECK(shown("-", "[1, 2", Syntax::toml).starts_with("json: not valid JSON"));
  // A name that says what it is leaves no choice.
  CHECK(shown("x.json", "a = 1", Syntax::toml).starts_with("json: not valid JSON"));
}

TEST_CASE("parse_any: documents of every reader") {
  const auto shown = [](const std::string& path, const std::string& text) {
    const auto documents = parse_any(path, text);
    if (!documents) return outline(documents.error(), text);
    std::string all;
    for (const Document& document : *documents) all += outline(document.root());
    return all;
  };
  CHECK(shown("x.json", "{\"a\": 1}") == "{a: 1}");
  CHECK(shown("x.yaml", "a: 1\n---\nb: 2") == "{a: 1}{b: 2}");
  CHECK(shown("x.toml", "a = 1") == "{a: 1}");
  CHECK(shown("x.sh", "A=1").find("variables: {A: 1}") != std::string::npos);
  // Without a name for it, YAML's flow style still reads.
  CHECK(shown("-", "{ # neox\n \"a\": True, }") == "{a: true}");
  CHECK(shown("-", "{ \"a\": ]") ==
        "not valid JSON: unexpected ']'; expected '[', '{', or a literal @ \"]\"");
  CHECK(shown("notes.txt", "nothing here") == "the text is not JSON, YAML, TOML or a shell script");
}

// The library behind one function that takes and gives JSON, for callers that cannot see C++.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "api/files.hpp"
#include "arguments.hpp"
#include "cli/io.hpp"
#include "text/files.hpp"

namespace shapelint::wasm {

namespace {

using Errors = std::vector<api::Error>;

std::string failed(const Errors& errors) {
  return "{\"problems\":" + api::to_json(errors) + '}';
}

template <class T>
std::string outcome(const T& value) {
  return "{\"value\":" + api::to_json(value) + '}';
}

template <class T>
std::string outcome(const api::Result<T>& result) {
  return result ? outcome(*result) : failed(result.errors());
}

std::string outcome_of(const Json& value) {
  return Json{{"value", value}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What every function about files is told: the files that there are, and the one that it is about.
struct Question {
  std::map<std::string, std::string> contents;
  std::vector<api::Source> sources;
  Json options;
  Errors errors;

  explicit Question(const Json& arguments) {
    Members members(arguments, "arguments", errors);
    members.take("files", contents);
    if (const Json* list = members.find("sources"); list != nullptr && list->is_array()) {
      for (const Json& each : *list) sources.push_back(source_of(each, errors));
    }
    if (const Json* given = members.find("options")) options = *given;
    if (sources.empty()) errors.push_back({"invalid-option", "`sources` is no list of sources", {}, {}});
  }
};

template <class Options, class Work>
std::string answer(const Json& arguments, Options (*options_of)(const Json&, Errors&), const Work& work) {
  Question question(arguments);
  const Options options = options_of(question.options, question.errors);
  if (!question.errors.empty()) return failed(question.errors);
  const auto files = api::memory_files(question.contents);
  return outcome(work(*files, question.sources, options));
}

std::string gemm(const Json& arguments) {
  Errors errors;
  std::string gpu;
  api::Gemm asked;
  {
    Members members(arguments, "arguments", errors);
    members.take("gpu", gpu);
    members.take("m", asked.m);
    members.take("n", asked.n);
    members.take("k", asked.k);
    members.take("batch", asked.batch);
    members.take("dtype", asked.dtype);
    members.take("layout", asked.layout);
  }
  return errors.empty() ? outcome(api::price_gemm(gpu, asked)) : failed(errors);
}

std::string attention(const Json& arguments) {
  Errors errors;
  std::string gpu;
  api::AttentionKernel asked;
  {
    Members members(arguments, "arguments", errors);
    members.take("gpu", gpu);
    members.take("sequences", asked.sequences);
    members.take("heads", asked.heads);
    members.take("key_value_heads", asked.key_value_heads);
    members.take("query_length", asked.query_length);
    members.take("key_length", asked.key_length);
    members.take("head_dim", asked.head_dim);
    members.take("causal", asked.causal);
    members.take("dtype", asked.dtype);
  }
  return errors.empty() ? outcome(api::price_attention(gpu, asked)) : failed(errors);
}

// Files in memory that can be written, too.
class WritableFiles final : public text::FileSystem {
 public:
  explicit WritableFiles(const std::map<std::string, std::string>& contents) {
    for (const auto& [path, content] : contents) contents_[absolute(path)] = content;
    relint();
  }
  std::string working_directory() const override { return "/"; }
  shapelint::Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    return inner_->read(path, max_bytes);
  }
  shapelint::Result<bool> write(const std::string& path, std::string_view content) const override {
    const std::string place = absolute(path);
    contents_[place] = written_[place] = content;
    relint();
    return true;
  }
  bool is_directory(const std::string& path) const override { return inner_->is_directory(path); }
  bool exists(const std::string& path) const override { return inner_->exists(path); }
  shapelint::Result<std::vector<std::string>> list(const std::string& folder) const override {
    return inner_->list(folder);
  }
  // New ones, and those that were changed.
  const std::map<std::string, std::string>& written() const { return written_; }

 private:
  static std::string absolute(const std::string& path) {
    return (std::filesystem::path("/") / path).lexically_normal().generic_string();
  }
  void relint() const {
    outer_ = api::memory_files(contents_);
    inner_ = std::make_unique<api::InnerFiles>(*outer_);
  }

  mutable std::map<std::string, std::string> contents_;  // by absolute path
  mutable std::map<std::string, std::string> written_;
  mutable std::unique_ptr<const api::FileSystem> outer_;
  mutable std::unique_ptr<const api::InnerFiles> inner_;
};

// The program itself, on files in memory.
std::string run(const Json& arguments) {
  Errors errors;
  std::map<std::string, std::string> contents;
  std::vector<std::string> args;
  std::string input;
  {
    Members members(arguments, "arguments", errors);
    members.take("files", contents);
    members.take("args", args);
    members.take("input", input);
  }
  if (!errors.empty()) return failed(errors);
  const WritableFiles files(contents);
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  cli::Io io{in, out, err, files, {}, false, false, false, false};
  const int code = cli::run(args, io);
  return outcome_of(
      {{"exit_code", code}, {"out", out.str()}, {"err", err.str()}, {"written", files.written()}});
}

std::string call(const std::string& function, const Json& arguments) {
  using api::FileSystem;
  using Sources = std::vector<api::Source>;
  if (function == "lint") {
    return answer(arguments, lint_options,
                  [](const FileSystem& files, const Sources& sources, const auto& options) {
                    return api::lint(files, sources, options);
                  });
  }
  if (function == "read") {
    return answer(arguments, read_options,
                  [](const FileSystem& files, const Sources& sources, const auto& options) {
                    return api::read(files, sources.front(), options);
                  });
  }
  if (function == "step") {
    return answer(arguments, step_options,
                  [](const FileSystem& files, const Sources& sources, const auto& options) {
                    return api::price_step(files, sources.front(), options);
                  });
  }
  if (function == "suggest") {
    return answer(arguments, suggest_options,
                  [](const FileSystem& files, const Sources& sources, const auto& options) {
                    return api::suggest(files, sources.front(), options);
                  });
  }
  if (function == "plan") {
    return answer(arguments, plan_options,
                  [](const FileSystem& files, const Sources& sources, const auto& options) {
                    return api::plan(files, sources.front(), options);
                  });
  }
  if (function == "gemm") return gemm(arguments);
  if (function == "attention") return attention(arguments);
  if (function == "gpus") return outcome(api::gpus());
  if (function == "rules") return outcome(api::rules());
  if (function == "fields") return outcome(api::fields());
  if (function == "version") return outcome_of(api::version());
  if (function == "run") return run(arguments);
  return failed({{"invalid-option", "there is no function `" + function + "`", {}, {}}});
}

std::string call_or_tell(const std::string& function, const char* arguments) {
  try {
    return call(function, Json::parse(arguments));
  } catch (const std::bad_alloc&) {
    return failed({{"unable", "there is not enough memory", {}, {}}});
  } catch (const std::exception& problem) {
    return failed({{"unable", std::string("it failed: ") + problem.what(), {}, {}}});
  }
}

}  // namespace

}  // namespace shapelint::wasm

// JSON in and out; what is returned is the caller's to free.
extern "C" __attribute__((used, visibility("default"))) char* shapelint_call(const char* function,
                                                                             const char* arguments) {
  const std::string text = shapelint::wasm::call_or_tell(function, arguments);
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

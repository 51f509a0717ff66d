// One model of a file and the GPUs that it is priced for.
#include "cli/model_input.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <utility>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "cli/output.hpp"
#include "formats/dialect/known.hpp"
#include "formats/discover.hpp"
#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"
#include "project/named.hpp"
#include "text/errors.hpp"

namespace shapelint::cli {

Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string content;
  std::array<char, 1U << 16U> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    content.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (static_cast<std::int64_t>(content.size()) > text::max_source_bytes) {
      return Error{fmt::format("more than {} MB: not a configuration", text::max_source_bytes / 1'000'000),
                   {},
                   name,
                   {},
                   ErrorCode::too_large};
    }
  }
  return content;
}

ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const project::Project& project, Io& io) {
  ModelFile file;
  file.is_stdin = path == "-";
  const Result<std::string> named = project::file_named(project, path);
  file.path = file.is_stdin ? stdin_name : named ? *named : path;
  file.configured = &project.of(file.path);
  if (!named) {
    file.errors.push_back({named.error(), {}});
    return file;
  }
  auto source = file.is_stdin ? read_all(io.in, file.path) : project::text_named(project, file.path);
  if (!source) {
    file.errors.push_back({source.error(), {}});
    return file;
  }
  file.source = formats::parse(file.path, *std::move(source), file.is_stdin);
  if (auto empty = formats::check_is_filled(file.path, file.source.text)) {
    file.errors.push_back({*std::move(empty), {}});
    return file;
  }
  formats::ReadResult result = project::read_model(*file.configured, file.source, io.files, file.is_stdin);
  file.applied = project::what_applies(*file.configured, file.path, result.lint, result.errors);
  file.readings = std::move(result.readings);
  file.notes = std::move(result.notes);
  for (Error& error : result.errors) {
    const bool is_here = error.path == file.path;
    file.errors.push_back({std::move(error), is_here ? file.source.text : text::SharedText{}});
  }
  return file;
}

namespace {

constexpr std::size_t most_gpus = 16;  // Costing's arrays

Error usage(std::string message, std::string hint = {}) {
  return Error{std::move(message), std::move(hint), {}, std::nullopt};
}

// The number of the reading called `name`; with a note the first whole one, when none is named of several.
std::size_t choose_model(const ModelFile& file, const std::string& name, Io& io, std::vector<Error>& errors) {
  std::vector<std::string_view> parts;
  for (const model::Reading& each : file.readings) parts.push_back(each.part.empty() ? each.name : each.part);
  if (name.empty()) {
    const auto whole = std::find_if(file.readings.begin(), file.readings.end(),
                                    [](const model::Reading& each) { return each.complete; });
    const std::size_t chosen =
        whole == file.readings.end() ? 0 : static_cast<std::size_t>(whole - file.readings.begin());
    if (parts.size() > 1) {
      print_note(io, fmt::format("{}: {} models ({}); `{}` is used, choose with `--model`", file.path,
                                 parts.size(), fmt::join(parts, ", "), parts[chosen]));
    }
    return chosen;
  }
  const auto found = std::find(parts.begin(), parts.end(), name);
  if (found != parts.end()) return static_cast<std::size_t>(found - parts.begin());
  std::string hint = did_you_mean(name, parts);
  if (hint.empty()) hint = fmt::format("it holds {}", fmt::join(parts, ", "));
  errors.push_back({fmt::format("unknown model `{}`", name), std::move(hint), file.path, std::nullopt});
  return 0;
}

// Missing fields that a prediction needs. Without `networks` a CNN is refused.
std::vector<Error> missing_fields(const model::Reading& reading, const std::string& path, bool networks) {
  std::vector<Error> errors;
  const std::vector<const model::Remark*> unresolved = model::unresolved(reading);
  for (const model::Remark* each : unresolved) {
    // A switch of the run has a default that is near enough.
    const bool is_switch = each->field != model::no_field &&
                           model::info(each->field).type == model::FieldType::boolean &&
                           model::kind_of(each->field) == model::FieldKind::plan;
    if (is_switch) continue;
    errors.push_back({fmt::format("{} cannot be known from the files: {}", each->key, each->meaning),
                      fmt::format("give `{}`", each->instead), path,
                      each->path == path ? std::optional(each->span) : std::nullopt});
  }
  if (!reading.setup.model.conv.empty()) {
    if (!networks) {
      errors.push_back({"a CNN; only transformers can be searched",
                        "`shapelint` lints it, `shapelint roofline` shows where its time goes", path,
                        std::nullopt});
    }
    return errors;
  }
  if (reading.setup.plan.mode == model::Mode::decode && !model::decodes(reading.setup.model)) {
    errors.push_back({std::string(model::no_decoding), "`prefill` is one forward pass, of a sampler's many",
                      path, std::nullopt});
    return errors;
  }
  std::string why = formats::why_unknown(reading);
  if (!why.empty()) why = fmt::format(" ({})", why);
  for (const model::FieldId field : model::missing_sizes(reading)) {
    // A model whose layers mix tokens by something else has no heads that could be given.
    if (field == model::FieldId::num_attention_heads && reading.complete) {
      errors.push_back({"no layer of this model has attention, and its other layer types are not modeled",
                        "`shapelint` lints the rest", path, std::nullopt});
      continue;
    }
    const std::string_view name = model::info(field).name;
    errors.push_back({fmt::format("`{}` is not known{}", name, why),
                      fmt::format("give `--{} N`", dashed(name)), path, std::nullopt});
    why.clear();  // once is enough
  }
  return errors;
}

}  // namespace

Option model_file_option(std::string& file) {
  return {.names = "FILE",
          .value = "FILE",
          .doc =
              "model to start from: a file, a folder with a config.json, or a published model "
              "(`org/Name`: from the local Hugging Face cache or a table of over 600); `-`: standard input",
          .set = into(file),
          .required = true};
}

Option model_option(std::string& model) {
  return {.names = "--model",
          .value = "NAME",
          .doc = "model of a file with several, such as text or vision [default: the first]",
          .set = into(model)};
}

std::unique_ptr<ModelInput> read_model_input(const ModelChoice& choice, const project::Project& project,
                                             Io& io) {
  auto input = std::make_unique<ModelInput>();
  input->file = read_model_file(choice.file, "<stdin>", project, io);
  ModelFile& file = input->file;
  std::vector<Error> errors;
  if (file.errors.empty() && file.readings.empty()) {
    const bool is_broken = !file.notes.empty() && !file.source.documents;
    const std::string why =
        file.notes.empty() ? "it is not a known config format" : file.notes.front().message;
    errors.push_back({fmt::format("no model was found: {}", why),
                      {},
                      file.path,
                      is_broken ? std::optional(file.notes.front().span) : std::nullopt});
  }
  if (!file.readings.empty()) {
    input->model = choose_model(file, choice.model, io, errors);
    for (Error& error : missing_fields(input->reading(), file.path, choice.networks)) {
      errors.push_back(std::move(error));
    }
    const std::vector<gpu::Gpu> unable = project::remove_unsupported_gpus(file.applied, input->reading());
    if (!unable.empty()) {
      errors.push_back(gpu::cannot_multiply(unable, input->reading().setup.plan.dtype));
    }
    const std::string left_out =
        lint::left_out_text(file.applied.left_out, input->reading().setup.plan.dtype);
    if (!left_out.empty()) print_note(io, left_out);
  }
  if (input->gpus().size() > most_gpus) {
    errors.push_back(
        usage(fmt::format("{} GPUs are named", input->gpus().size()), fmt::format("{} at most", most_gpus)));
  }
  for (const text::LocatedError& each : file.errors) print_error(io, each.error, each.source);
  for (const Error& error : errors) {
    print_error(io, error, error.path == file.path ? file.source.text : text::SharedText{});
  }
  return file.errors.empty() && errors.empty() ? std::move(input) : nullptr;
}

lint::FileOutcome linted(const ModelInput& input, bool no_proofs, const text::FileSystem& files) {
  const ModelFile& file = input.file;
  lint::FileOutcome out = lint::lint_text(*file.configured, file.source, files,
                                          {.assume_native = file.is_stdin, .no_proofs = no_proofs});
  std::erase_if(out.models, [&](const auto& each) { return each.reading.part != input.reading().part; });
  return out;
}

std::optional<std::vector<rules::Finding>> findings_of(const ModelInput& input, bool no_proofs, Io& io) {
  lint::FileOutcome found = linted(input, no_proofs, io.files);
  for (const text::LocatedError& error : found.errors) print_error(io, error.error, error.source);
  if (!found.errors.empty()) return std::nullopt;
  if (found.models.empty()) return std::vector<rules::Finding>{};
  return std::move(found.models.front().result.findings);
}

}  // namespace shapelint::cli

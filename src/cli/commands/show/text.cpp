// A reading as text.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/show/show.hpp"
#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "model/stages.hpp"
#include "objects/convert.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

using model::Origin;
using report::Role;
using report::Style;

text::Place Places::of(const std::string& path, Span span) {
  auto found = sources_.find(path);
  if (found == sources_.end()) {
    auto content = files_.read(path, text::max_source_bytes);
    found = sources_.emplace(path, text::SharedText(content ? *std::move(content) : std::string())).first;
  }
  return found->second.places().place(span.begin);
}

std::string_view kind_name(Origin::Kind kind) {
  return name(api::origin_of(kind));
}

Origin::Kind shown_kind(const model::Reading& reading, model::FieldId field) {
  const Origin& origin = model::origin(reading, field);
  const bool is_worked_out = field == model::FieldId::gradient_accumulation &&
                             origin.kind == Origin::Kind::stated && !origin.note.empty();
  return is_worked_out ? Origin::Kind::derived : origin.kind;
}

std::string field_text(const model::Reading& reading, model::FieldId field) {
  if (!model::is_known(reading, field)) return "?";
  const model::FieldInfo& info = model::info(field);
  const std::int64_t value = info.get(reading.setup);
  if (info.type == model::FieldType::boolean) return value != 0 ? "yes" : "no";
  if (info.type == model::FieldType::choice)
    return std::string(info.choices[static_cast<std::size_t>(value)]);
  return std::to_string(value);
}

std::vector<PerRank> per_rank(const model::Reading& reading) {
  const model::ModelSpec& spec = reading.setup.model;
  const std::int64_t tensor = reading.setup.plan.tensor;
  const auto share = [&](std::int64_t whole) { return (whole + tensor - 1) / tensor; };
  std::vector<PerRank> out;
  if (!spec.conv.empty()) return out;
  if (spec.vocab_size > 0) {
    const std::int64_t rows = model::vocab_rows(reading.setup);
    out.push_back({"vocab_rows", "vocab_size, vocab_padding_multiple, tensor", rows});
    out.push_back({"vocab_rows_per_rank", "vocab_rows / tensor", model::vocab_rows_per_rank(reading.setup)});
  }
  out.push_back({"heads_per_rank", "num_attention_heads / tensor", share(spec.num_attention_heads)});
  out.push_back(
      {"key_value_heads_per_rank", "num_key_value_heads / tensor", share(spec.num_key_value_heads)});
  if (spec.intermediate_size > 0) {
    out.push_back(
        {"intermediate_size_per_rank", "intermediate_size / tensor", share(spec.intermediate_size)});
  }
  if (spec.moe.num_experts > 0) {
    out.push_back({"experts_per_rank", "moe_num_experts / expert",
                   (spec.moe.num_experts + reading.setup.plan.expert - 1) / reading.setup.plan.expert});
  }
  out.push_back({"tokens_per_micro_batch", "micro_batch_size * sequence_length / context",
                 reading.setup.plan.micro_batch_size *
                     ((reading.setup.plan.sequence_length + reading.setup.plan.context - 1) /
                      reading.setup.plan.context)});
  return out;
}

std::string op_text(const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::gemm:
      return fmt::format("{}{} x {} x {}",
                         op.batch.value > 1 ? fmt::format("batch {}, ", op.batch.value) : "", op.m.value,
                         op.n.value, op.k.value);
    case model::OpKind::attention:
      return fmt::format("{}, {}/{} heads, head_dim {}, {} x {}",
                         counted(op.attention.sequences.value, "sequence"), op.attention.heads.value,
                         op.attention.key_value_heads.value, op.attention.head_dim.value,
                         op.attention.query_length.value, op.attention.key_length.value);
    case model::OpKind::scan:
      return fmt::format("{} of {} tokens, {}/{} heads, state {} x {}, chunks of {}",
                         counted(op.attention.sequences.value, "sequence"), op.attention.query_length.value,
                         op.attention.heads.value, op.attention.key_value_heads.value,
                         op.attention.head_dim.value, op.attention.value_head_dim.value,
                         op.attention.key_length.value);
    default:
      return fmt::format("{} bytes", exact(op.bytes));
  }
}

namespace {

std::string origin_text(const Origin& origin, Places& places) {
  switch (origin.kind) {
    case Origin::Kind::stated: {
      const text::Place place = places.of(origin.path, origin.span);
      return fmt::format("{}:{}:{} `{}`{}", origin.path, place.line, place.column, origin.key_path,
                         origin.note.empty() ? "" : fmt::format(" ({})", origin.note));
    }
    case Origin::Kind::derived:
      return fmt::format("= {}", origin.note);
    default:
      return origin.note;
  }
}

// Unknown values stand out, defaults are dimmed.
Role role_of(Origin::Kind kind) {
  return kind == Origin::Kind::unknown     ? Role::warning
         : kind == Origin::Kind::defaulted ? Role::faint
                                           : Role::plain;
}

std::string size_text(const model::Feature& feature) {
  return fmt::format("{} x {} x {}", feature.height, feature.width, feature.channels);
}

std::string_view kind_of(const model::LayerShape& shape) {
  constexpr std::array<std::string_view, 7> names{"conv",   "linear", "pool",       "add",
                                                  "concat", "matmul", "elementwise"};
  return model::is_depthwise(shape) ? "depthwise" : names[static_cast<std::size_t>(shape.kind)];
}

// One line for each layer: what it is, how often, from which size to which, parameters and multiply-adds.
std::string layers_text(const model::Reading& reading) {
  const model::Network network = model::resolve(reading.setup.model);
  std::size_t width = 0;
  for (const model::LayerShape& shape : network.layers) width = std::max(width, shape.name.size());
  std::string out = "layers\n";
  for (const model::LayerShape& shape : network.layers) {
    std::string line =
        fmt::format("  {:<{}}  {:>2} x  {:<11}", shape.name, width, shape.count, kind_of(shape));
    if (shape.kind != model::ShapeKind::matmul && shape.kind != model::ShapeKind::elementwise) {
      const bool kernel = shape.kind == model::ShapeKind::conv || shape.kind == model::ShapeKind::pool;
      const std::string how = kernel ? fmt::format("{} x {}{}", shape.kernel_height, shape.kernel_width,
                                                   shape.stride > 1 ? fmt::format(" / {}", shape.stride) : "")
                                     : "";
      line += fmt::format("{:<10}{:>16} → {:<16}", how, size_text(shape.in), size_text(shape.out));
    } else {
      line += std::string(46, ' ');
    }
    const double sums = model::multiply_adds(shape);
    if (sums > 0) {
      line += fmt::format("{:>10} parameters {:>9} multiply-adds",
                          count_short(static_cast<double>(model::parameters_of(shape))), count_short(sums));
    }
    line = text::one_line(line);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// Width of the longest name that a line may begin with.
std::size_t name_width() {
  std::size_t width = 0;
  for (const model::FieldInfo& field : model::fields()) width = std::max(width, field.key.size());
  return width;
}

// Whether a field says something of this model: a value that was stated or given, that is unknown, or
// another than shapelint's own default.
bool is_telling(const model::Reading& reading, const model::FieldInfo& field) {
  const Origin::Kind kind = shown_kind(reading, field.id);
  if (kind == Origin::Kind::stated || kind == Origin::Kind::command_line) return true;
  if (!model::is_known(reading, field.id)) return true;
  static const model::Setup defaults;
  const bool is_unused = field.section == "model.moe" && reading.setup.model.moe.num_experts <= 0;
  return field.get(reading.setup) != field.get(defaults) && !is_unused;
}

std::string field_line(const model::Reading& reading, const model::FieldInfo& field, std::size_t width,
                       Places& places, const Style& style) {
  const Origin& origin = reading.origins[field.id];
  std::string line = fmt::format("  {:<{}}{:>10}  {:<13}{}", field.key, width, field_text(reading, field.id),
                                 kind_name(shown_kind(reading, field.id)), origin_text(origin, places));
  line = text::one_line(line);
  line.erase(line.find_last_not_of(' ') + 1);
  return style.paint(role_of(origin.kind), line) + "\n";
}

// The model as a whole: its layers, stages and parameters.
std::string model_text(const model::Reading& reading) {
  const model::Setup& setup = reading.setup;
  const bool network = !setup.model.conv.empty();
  std::string out;
  if (network) out += layers_text(reading);
  if (!network) out += text::one_line(model::layers_text(setup.model)) + "\n";
  if (const std::string stages = model::stages_text(setup); !stages.empty()) out += stages + "\n";
  const std::int64_t all = model::parameter_count(setup);
  const std::int64_t active = model::active_parameter_count(setup);
  out += fmt::format("parameters {}{}\n", with_commas(all),
                     active == all ? "" : fmt::format(", {} active", with_commas(active)));
  if (network) {
    const model::NetworkSize size = model::size_of(model::resolve(setup.model));
    out += fmt::format("multiply-adds per image {}, elements of all outputs {}\n",
                       count_short(size.multiply_adds), count_short(size.output_elements));
  }
  return out;
}

}  // namespace

std::string show_text(const model::Reading& reading, const ShowOptions& options, Places& places,
                      const Style& style) {
  std::string out =
      fmt::format("{}: {}", style.paint(Role::strong, text::one_line(reading.path)), reading.dialect);
  if (!reading.model_type.empty()) out += ", " + text::one_line(reading.model_type);
  if (!reading.part.empty()) out += fmt::format(" ({})", text::one_line(reading.part));
  out += "\n";
  const auto open = model::unresolved(reading);
  const bool is_whole = reading.complete && open.empty();
  if (is_whole) out += model_text(reading);
  std::string_view section;
  const std::size_t width = name_width();
  std::size_t left_out = 0;
  const bool network = !reading.setup.model.conv.empty();
  for (const model::FieldInfo& field : model::fields()) {
    if (network && !model::concerns_networks(field.id)) continue;
    if (!options.verbose && !is_telling(reading, field)) {
      ++left_out;
      continue;
    }
    if (field.section != section) {
      section = field.section;
      out += style.paint(Role::strong, fmt::format("[{}]", section)) + '\n';
    }
    out += field_line(reading, field, width, places, style);
  }
  if (left_out > 0)
    out += fmt::format("{} at shapelint's default; `-v` lists them\n", counted(left_out, "field"));
  if (!reading.complete) return out + "too little is known to print more\n";
  for (const model::Remark* each : open)
    out +=
        text::one_line(fmt::format("{} cannot be known from the files: {}", each->key, each->meaning)) + "\n";
  if (!is_whole) return out;
  const model::Plan& plan = reading.setup.plan;
  if (!network && (options.verbose || plan.tensor > 1 || plan.expert > 1 || plan.context > 1)) {
    out += "per rank\n";
    for (const PerRank& each : per_rank(reading)) {
      out += fmt::format("  {:<{}}{:>10}  = {}\n", each.name, width, each.value, each.from);
    }
  }
  if (!options.ops) return out;
  out += "operations of one rank\n";
  for (const model::Op& op : model::lower(reading.setup).ops) {
    out += fmt::format("  {:<30}{:<12}{:>8} x  {}\n", op.name, model::name(op.pass), exact(op.count),
                       op_text(op));
  }
  return out;
}

}  // namespace shapelint::cli

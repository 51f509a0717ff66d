// Files of gpus/spreads.
#include "gpu/spread.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "catalog/catalog.hpp"
#include "gpu/fields.hpp"
#include "gpu/registry.hpp"

namespace shapelint::gpu {

namespace {

constexpr double max_spread = 10;

constexpr Field<GemmSpread> slice_fields[] = {
    {"", "decode", "share", Type::number, &GemmSpread::decode, 0, max_spread, "m <= 64"},
    {"", "small", "share", Type::number, &GemmSpread::small, 0, max_spread, "m > 64, less than 256 us"},
    {"", "large", "share", Type::number, &GemmSpread::large, 0, max_spread, "m > 64, 256 us and more"},
    {"", "misaligned", "share", Type::number, &GemmSpread::misaligned, 0, max_spread,
     "n or k not a multiple of 8"},
};
using P = ProductSpread;
constexpr Field<P> name_fields[] = {
    {"", "architecture", "", Type::text, &P::architecture, 0, 0, "id of gpus/architectures"},
    {"", "gpu", "", Type::text, &P::gpu, 0, 0, "id of the profile that was measured"},
    {"", "constants", "", Type::text, &P::constants, 0, 0, "the set that predicts these GEMMs"},
    {"", "pairs", "", Type::integer, &P::pairs, 1, 1e9, "pairs of measured GEMMs"},
    {"", "together", "", Type::number, &P::together, 0, 1,
     "correlation of errors of GEMMs that change together"},
};
using A = AttentionSpread;
constexpr Field<A> attention_fields[] = {
    {"", "architecture", "", Type::text, &A::architecture, 0, 0, "id of gpus/architectures"},
    {"", "gpu", "", Type::text, &A::gpu, 0, 0, "id of the profile that was measured"},
    {"", "phase", "", Type::text, &A::phase, 0, 0, "prefill or decode"},
    {"", "pairs", "", Type::integer, &A::pairs, 1, 1e9, "of kernels that were measured"},
    {"", "same_head_dim", "share", Type::number, &A::same_head_dim, 0, max_spread,
     "lengths, heads, sequences"},
    {"", "other_head_dim", "share", Type::number, &A::other_head_dim, 0, max_spread, "the head dimension"},
    {"", "same_width", "share", Type::number, &A::same_width, 0, max_spread,
     "heads of another dimension, as wide"},
};
constexpr std::string_view spread_file_keys[] = {"kind", "sources", "notes", "products", "attention"};
constexpr std::string_view table_keys[] = {"near", "doubled"};

struct Builtin {
  std::vector<ProductSpread> products;
  std::vector<AttentionSpread> attention;
};

const Builtin& builtin_spreads() {
  static const Builtin known = [] {
    Builtin all;
    std::vector<Error> errors;  // a test finds them
    for (const text::Document& document : catalog::builtin("gpus/spreads")) {
      for (ProductSpread& each : read_spreads(document.root(), errors))
        all.products.push_back(std::move(each));
      for (AttentionSpread& each : read_attention_spreads(document.root(), errors))
        all.attention.push_back(std::move(each));
    }
    return all;
  }();
  return known;
}

// Three digits are more than anybody can measure.
std::string digits(double value) {
  return exact(std::stod(fmt::format("{:.3g}", value)));
}

}  // namespace

std::vector<ProductSpread> read_spreads(text::NodeRef root, std::vector<Error>& errors) {
  check_keys(root, spread_file_keys, errors);
  std::vector<ProductSpread> out;
  for (const text::NodeRef item : root["products"]) {
    ProductSpread each;
    read_fields<P>(item, "", name_fields, table_keys, each, errors);
    read_fields<GemmSpread>(item["near"], "", slice_fields, {}, each.near, errors);
    read_fields<GemmSpread>(item["doubled"], "", slice_fields, {}, each.doubled, errors);
    check_architecture(item, each.architecture, errors);
    if (std::find(constant_set_names.begin(), constant_set_names.end(), each.constants) ==
        constant_set_names.end()) {
      errors.push_back(item.error(fmt::format("unknown set of constants `{}`", each.constants),
                                  "write `half`, `byte` or `single`"));
    }
    out.push_back(std::move(each));
  }
  return out;
}

std::vector<AttentionSpread> read_attention_spreads(text::NodeRef root, std::vector<Error>& errors) {
  std::vector<AttentionSpread> out;
  for (const text::NodeRef item : root["attention"]) {
    AttentionSpread each;
    read_fields<A>(item, "", attention_fields, {}, each, errors);
    check_architecture(item, each.architecture, errors);
    if (each.phase != "prefill" && each.phase != "decode")
      errors.push_back(
          item.error(fmt::format("unknown phase `{}`", each.phase), "write `prefill` or `decode`"));
    out.push_back(std::move(each));
  }
  return out;
}

AttentionSpread attention_spread_of(const Gpu& gpu, bool decodes) {
  AttentionSpread out;
  const auto take = [&](double A::*slice, const AttentionSpread& each) {
    if (out.*slice <= 0) out.*slice = each.*slice;
  };
  for (const bool own : {true, false}) {
    for (const AttentionSpread& each : builtin_spreads().attention) {
      if (each.phase != (decodes ? "decode" : "prefill")) continue;
      if (own ? each.gpu != gpu.id : each.architecture != gpu.architecture.id) continue;
      take(&A::same_head_dim, each);
      take(&A::other_head_dim, each);
      take(&A::same_width, each);
    }
  }
  return out;
}

Spread spread_of(const Gpu& gpu, ConstantSet set) {
  const std::string_view constants = constant_set_names[static_cast<std::size_t>(set)];
  Spread out;
  const auto take = [&](const ProductSpread& each) {
    if (out.together < 0) out.together = each.together;
    for (const Field<GemmSpread>& field : slice_fields) {
      const auto slice = std::get<double GemmSpread::*>(field.member);
      if (out.near.*slice > 0) continue;
      out.near.*slice = each.near.*slice;
      out.doubled.*slice = each.doubled.*slice;
    }
  };
  for (const ProductSpread& each : builtin_spreads().products) {
    if (each.gpu == gpu.id && each.constants == constants) take(each);
  }
  for (const ProductSpread& each : builtin_spreads().products) {
    if (each.architecture == gpu.architecture.id && each.constants == constants) take(each);
  }
  return out;
}

std::string write_spread(const ProductSpread& spread) {
  const auto slices = [&](const GemmSpread& s) {
    return fmt::format("{{ decode = {}, small = {}, large = {}, misaligned = {} }}", digits(s.decode),
                       digits(s.small), digits(s.large), digits(s.misaligned));
  };
  std::string out = fmt::format(
      "\n[[products]]\narchitecture = \"{}\"\ngpu = \"{}\"\nconstants = \"{}\"\npairs = {}\nnear = {}\n"
      "doubled = {}\n",
      spread.architecture, spread.gpu, spread.constants, spread.pairs, slices(spread.near),
      slices(spread.doubled));
  if (spread.together >= 0) out += fmt::format("together = {}\n", digits(spread.together));
  return out;
}

std::string write_spread(const AttentionSpread& spread) {
  return fmt::format(
      "\n[[attention]]\narchitecture = \"{}\"\ngpu = \"{}\"\nphase = \"{}\"\npairs = {}\nsame_head_dim = {}\n"
      "other_head_dim = {}\nsame_width = {}\n",
      spread.architecture, spread.gpu, spread.phase, spread.pairs, digits(spread.same_head_dim),
      digits(spread.other_head_dim), digits(spread.same_width));
}

}  // namespace shapelint::gpu

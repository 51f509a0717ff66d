// Names of enumerators.
#include "model/op.hpp"

namespace shapelint::model {

std::string_view name(OpKind kind) {
  switch (kind) {
    case OpKind::gemm:
      return "gemm";
    case OpKind::attention:
      return "attention";
    case OpKind::scan:
      return "scan";
    case OpKind::elementwise:
      return "elementwise";
    case OpKind::collective:
      return "collective";
  }
  return "";
}

std::string_view name(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::recompute:
      return "recompute";
    case Pass::grad_input:
      return "grad_input";
    case Pass::grad_weight:
      return "grad_weight";
    case Pass::backward:
      return "backward";
    case Pass::update:
      return "update";
  }
  return "";
}

std::string_view name(Layout layout) {
  switch (layout) {
    case Layout::tn:
      return "tn";
    case Layout::nn:
      return "nn";
    case Layout::nt:
      return "nt";
    case Layout::tt:
      return "tt";
  }
  return "";
}

std::optional<Layout> parse_layout(std::string_view text) {
  for (const Layout each : layouts) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

std::string_view name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::all_to_all:
      return "all_to_all";
    case CollectiveKind::send:
      return "send";
    case CollectiveKind::host_copy:
      return "host_copy";
  }
  return "";
}

}  // namespace shapelint::model

// The scan of an operation of a step, as that of a layer (cost/kernels/layer_scan.hpp).
#pragma once

#include "cost/kernels/layer_scan.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// Of a mixer other than none.
ScanKind scan_kind(model::MixerKind mixer);

// `op` is of OpKind::scan.
struct ScanCall {
  ScanKind kind = ScanKind::gated_delta;
  ScanSizes sizes;
  ScanPass pass = ScanPass::forward;
};
ScanCall scan_call(const model::Op& op);
ScanWork scan_work(const model::Op& op);

}  // namespace shapelint::cost

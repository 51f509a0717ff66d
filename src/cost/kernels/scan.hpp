// The scan of an operation of a step, as that of a layer (cost/kernels/layer_scan.hpp).
#pragma once

#include "cost/kernels/layer_scan.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// `op` is of OpKind::scan.
OpCost price_scan(const gpu::Gpu& gpu, const model::Op& op);
ScanWork scan_work(const model::Op& op);

}  // namespace shapelint::cost

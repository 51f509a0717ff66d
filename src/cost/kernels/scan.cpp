// From the shape of an operation to the sizes of a layer's scan.
#include "cost/kernels/scan.hpp"

#include <algorithm>

namespace shapelint::cost {

using model::MixerKind;

ScanKind scan_kind(MixerKind mixer) {
  switch (mixer) {
    case MixerKind::gated_delta_net:
    case MixerKind::delta_net:  // without decays, which its kernels do not notice
      return ScanKind::gated_delta;
    case MixerKind::kimi_delta_attention:
      return ScanKind::kimi_delta;
    case MixerKind::mamba:
      return ScanKind::mamba1;
    case MixerKind::mamba2:
      return ScanKind::mamba2;
    case MixerKind::rwkv7:
      return ScanKind::rwkv7;
    case MixerKind::rg_lru:
    case MixerKind::rwkv4:
      return ScanKind::rg_lru;
    case MixerKind::short_convolution:
      return ScanKind::short_convolution;
    case MixerKind::hyena:
      return ScanKind::long_convolution;
    case MixerKind::slstm:
      return ScanKind::gated_recurrence;
    case MixerKind::none:
    case MixerKind::mlstm:
    case MixerKind::rwkv5:
    case MixerKind::rwkv6:
    case MixerKind::gated_memory:
    case MixerKind::gated_linear_attention:
    case MixerKind::retention:
    case MixerKind::lightning_attention:
      break;
  }
  return ScanKind::linear_attention;
}

namespace {

ScanSizes sizes_of(const model::Op& op) {
  const model::AttentionShape& a = op.attention;
  const auto real = [](const model::Dim& dim) {
    return static_cast<double>(std::max<std::int64_t>(1, dim.value));
  };
  ScanSizes sizes;
  sizes.batch = real(a.sequences);
  sizes.seq_len = real(a.query_length);
  sizes.key_heads = std::min(real(a.key_value_heads), real(a.heads));
  sizes.value_heads = real(a.heads);
  sizes.key_dim = real(a.head_dim);
  sizes.value_dim = real(a.value_head_dim);
  sizes.chunk = real(a.key_length);
  sizes.element_bytes = bytes_of(op.dtype);
  return sizes;
}

// A step of decoding has no chunks.
ScanPass pass_of(const model::Op& op) {
  if (op.pass == model::Pass::backward) return ScanPass::backward;
  return op.is_decoding ? ScanPass::decode : ScanPass::forward;
}

}  // namespace

ScanCall scan_call(const model::Op& op) {
  return {scan_kind(op.mixer), sizes_of(op), pass_of(op)};
}

ScanWork scan_work(const model::Op& op) {
  const ScanCall call = scan_call(op);
  return scan_work(call.kind, call.sizes, call.pass);
}

}  // namespace shapelint::cost

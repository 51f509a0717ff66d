// Communication between ranks.
#pragma once

#include <cstdint>

#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// GPUs of a node: eight, unless the link joins more.
std::int64_t gpus_of_node(const gpu::Gpu& gpu);

// Whether so many GPUs, each `stride` after the one before, reach each other over the profile's link: a
// bridge joins two, and more than that meet over PCIe.
bool meet_over_link(const gpu::Gpu& gpu, std::int64_t ranks, std::int64_t stride = 1);

// What the profile's PCIe moves, or that of a machine whose profile names none.
double pcie_bytes_per_us(const gpu::Gpu& gpu);

// Time of one collective over `ranks` GPUs, each `stride` after the one before; `bytes` is the full,
// unsharded buffer of one rank. Ranks fill nodes of `link_gpus`: within one they use the profile's link (PCIe
// where there is none), beyond it the network. One rank: nothing to do, 0. `copies`: of an all_to_all, how
// many of each token are among the bytes, to ranks drawn at random; a token crosses the network once for each
// node that has one of them, and is passed on within it. Equations: docs/explanation/gpu-model.md, section 3.
OpCost price_collective(const gpu::Gpu& gpu, model::CollectiveKind kind, double bytes, std::int64_t ranks,
                        std::int64_t stride = 1, const model::TokenDispatch& copies = {});

// Bytes that one rank sends in it, over the link and the network together.
double sent_bytes(const gpu::Gpu& gpu, model::CollectiveKind kind, double bytes, std::int64_t ranks,
                  std::int64_t stride = 1, const model::TokenDispatch& copies = {});

}  // namespace shapelint::cost

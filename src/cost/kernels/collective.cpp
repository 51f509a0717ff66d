// Communication between ranks; equations in docs/explanation/gpu-model.md, section 3.
#include "cost/kernels/collective.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace shapelint::cost {
namespace {

// Share of a link's payload rate that large messages reach: 235 of 300 GB/s on A100 (NCCL src/graph/tuning.cc
// caps its estimate there; ml-engineering, network/README.md, measures the same), 313 of 448 on MI300X (same
// page).
constexpr double link_share = 0.78;
// The same for the network. Estimated: two-node runs of nccl-tests come close to line rate.
constexpr double network_share = 0.9;
// Share of a link's payload rate that an exchange by NCCL's all-to-all gets through while a mixture is
// trained: fitted to Qwen3-30B-A3B on 16 H100 and 8 B200 in release 26.02 of Megatron-Bridge, whose speed
// in 25.11 it gives within 7 %. NCCL alone moves equal buffers at 0.6 to 0.8; the rest are permutations
// before and after, counts that go to the host first, and waits for the rank with the most rows, which nobody
// timed apart.
constexpr double plain_share = 0.12;
// Per GPU: one 400 Gb/s adapter, as in DGX H100 and DGX B200 (ml-engineering, network/README.md: 3200 Gb/s
// for 8).
constexpr double default_network_gb_s = 50;
// Share of the link to the host that copies of many megabytes from pinned memory reach. Estimated.
constexpr double host_share = 0.8;
// PCIe 4.0 x16 (ml-engineering, network/README.md), where a profile names no link at all.
constexpr double default_pcie_gb_s = 31;

// GPUs of a node, unless the link joins more (72 of a GB200 NVL72).
constexpr std::int64_t node_gpus = 8;

// NCCL's own latency table in microseconds (src/graph/tuning.cc, 2021): a start, then every step of the ring.
// `simple` moves data at full speed; `low_latency` (LL) sends a flag with every word, so at a fraction of it.
struct Protocol {
  double start_us;
  double nvlink_step_us;
  double pcie_step_us;
  double network_step_us;
  double bandwidth_share;
};
constexpr Protocol simple{8.4, 3.4, 5.7, 9.6, 1.0};
constexpr Protocol low_latency{3.6, 0.47, 1.0, 2.7, 0.25};

// Parts of the buffer that every rank sends within its node and over the network, and steps of the ring.
struct LinkTraffic {
  double link_share = 0;
  double network_share = 0;
  double link_steps = 0;
  double network_steps = 0;
};

// Nodes with a group that a token has chosen: groups lie on the nodes evenly, and are drawn without being put
// back. A group on several nodes makes one of them of it.
double nodes_of_groups(double nodes, const model::TokenDispatch& copies) {
  if (copies.groups <= 1 || copies.groups_per_token <= 0 || copies.groups_per_token >= copies.groups)
    return nodes;
  const auto groups = static_cast<double>(copies.groups);
  const auto chosen = static_cast<double>(copies.groups_per_token);
  if (nodes >= groups) return nodes * chosen / groups;
  const double of_node = groups / nodes;
  double missed = 1;  // that none of a node's groups is chosen
  for (double i = 0; i < chosen; ++i) missed *= std::max(0.0, (groups - of_node - i) / (groups - i));
  return std::max(1.0, nodes * (1 - missed));
}

// Distinct nodes that the copies of a token go to, per copy.
double nodes_per_copy(double nodes, const model::TokenDispatch& copies) {
  if (copies.each <= 1 || copies.uses_nccl_all_to_all || nodes <= 1) return 1;
  const auto all = static_cast<double>(copies.each);
  const double reached = nodes_of_groups(nodes, copies);
  return reached * (1 - std::pow(1 - 1 / reached, all)) / all;
}

// `node_ranks`: of the group, as many as fit into one node.
LinkTraffic traffic(model::CollectiveKind kind, std::int64_t ranks, std::int64_t node_ranks,
                    const model::TokenDispatch& copies) {
  const auto p = static_cast<double>(ranks);
  const auto local = static_cast<double>(std::min(ranks, node_ranks));
  const double nodes = std::ceil(p / local);
  LinkTraffic t;
  switch (kind) {
    case model::CollectiveKind::all_reduce:
    case model::CollectiveKind::all_gather:
    case model::CollectiveKind::reduce_scatter: {
      // By levels: over the ranks of a node, then each rank's shard over the nodes. All-reduce does both
      // twice.
      const double times = kind == model::CollectiveKind::all_reduce ? 2.0 : 1.0;
      t.link_share = times * (local - 1) / local;
      t.network_share = times * (nodes - 1) / nodes / local;
      t.link_steps = times * (local - 1);
      t.network_steps = times * (nodes - 1);
      break;
    }
    case model::CollectiveKind::all_to_all:
      // What comes over the network once for several ranks of a node goes on over its link.
      t.link_share = copies.each > 1 && !copies.uses_nccl_all_to_all ? (local - 1) / local : (local - 1) / p;
      t.network_share = std::max(p - local, 0.0) / p * nodes_per_copy(nodes, copies);
      t.link_steps = local - 1;
      t.network_steps = nodes - 1;
      break;
    case model::CollectiveKind::send:
      // Between pipeline stages, which are neighbours; stages of one node where the job is that small.
      t.link_share = nodes > 1 ? 0.0 : 1.0;
      t.network_share = nodes > 1 ? 1.0 : 0.0;
      t.link_steps = nodes > 1 ? 0.0 : 1.0;
      t.network_steps = nodes > 1 ? 1.0 : 0.0;
      break;
    case model::CollectiveKind::host_copy:
      break;  // no rank sends to another
  }
  return t;
}

}  // namespace

std::int64_t gpus_of_node(const gpu::Gpu& gpu) {
  return std::max(gpu.link_gpus, node_gpus);
}

bool meet_over_link(const gpu::Gpu& gpu, std::int64_t ranks, std::int64_t stride) {
  return gpu.link_gb_s > 0 &&
         (gpu.link_gpus >= node_gpus || ranks * std::max<std::int64_t>(stride, 1) <= gpu.link_gpus);
}

double pcie_bytes_per_us(const gpu::Gpu& gpu) {
  return (gpu.pcie_gb_s > 0 ? gpu.pcie_gb_s : default_pcie_gb_s) * bytes_per_us_per_gb_s;
}

double sent_bytes(const gpu::Gpu& gpu, model::CollectiveKind kind, double bytes, std::int64_t ranks,
                  std::int64_t stride, const model::TokenDispatch& copies) {
  if (ranks <= 1 || !(bytes > 0)) return 0;
  const std::int64_t node = gpus_of_node(gpu) / std::max<std::int64_t>(stride, 1);
  const LinkTraffic t = traffic(kind, ranks, std::max<std::int64_t>(node, 1), copies);
  return bytes * (t.link_share + t.network_share);
}

namespace {

OpCost price_host_copy(const gpu::Gpu& gpu, double bytes) {
  OpCost cost;
  cost.bound = Bound::communication;
  if (!(bytes > 0)) return cost;
  const double link =
      gpu.host_link_gb_s > 0 ? gpu.host_link_gb_s * bytes_per_us_per_gb_s : pcie_bytes_per_us(gpu);
  cost.ideal_us = bytes / link;
  cost.time_us = simple.start_us + bytes / (link * host_share);
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

}  // namespace

OpCost price_collective(const gpu::Gpu& gpu, model::CollectiveKind kind, double bytes, std::int64_t ranks,
                        std::int64_t stride, const model::TokenDispatch& copies) {
  if (kind == model::CollectiveKind::host_copy) return price_host_copy(gpu, bytes);
  OpCost cost;
  cost.bound = Bound::communication;
  if (ranks <= 1 || !(bytes > 0)) return cost;
  stride = std::max<std::int64_t>(stride, 1);

  const bool has_link = meet_over_link(gpu, ranks, stride);
  const LinkTraffic t = traffic(kind, ranks, std::max<std::int64_t>(gpus_of_node(gpu) / stride, 1), copies);
  const double link = has_link ? gpu.link_gb_s * bytes_per_us_per_gb_s : pcie_bytes_per_us(gpu);
  const double network =
      (gpu.network_gb_s > 0 ? gpu.network_gb_s : default_network_gb_s) * bytes_per_us_per_gb_s;

  cost.ideal_us = bytes * (t.link_share / link + t.network_share / network);
  const double transfer_us =
      bytes * (t.link_share / (link * (copies.uses_nccl_all_to_all ? plain_share : link_share)) +
               t.network_share / (network * network_share));
  const auto time_us = [&](const Protocol& protocol) {
    return protocol.start_us + t.link_steps * (has_link ? protocol.nvlink_step_us : protocol.pcie_step_us) +
           t.network_steps * protocol.network_step_us + transfer_us / protocol.bandwidth_share;
  };
  cost.time_us = std::min(time_us(simple), time_us(low_latency));
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

}  // namespace shapelint::cost

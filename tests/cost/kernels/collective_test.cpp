// Time of collectives: exact small cases, then what must always hold.
#include "cost/kernels/collective.hpp"

#include <cmath>

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"
#include "tests/cost/kernels/number_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;
using model::CollectiveKind;
using tests::any_number;

TEST_CASE("one rank communicates with nobody") {
  const OpCost cost = price_collective(test::plain_gpu(), CollectiveKind::all_reduce, 1e9, 1);
  CHECK(cost.time_us == 0);
  CHECK(cost.efficiency.rest == 1);
}

TEST_CASE("large messages within a node move at the link's speed") {
  const gpu::Gpu gpu = test::plain_gpu();
  // A ring over 8 ranks sends 7/8 of the buffer: 1 GB at 100 GB/s is 10,000 us.
  CHECK(price_collective(gpu, CollectiveKind::all_gather, 1e9, 8).ideal_us == Approx(8750));
  CHECK(price_collective(gpu, CollectiveKind::reduce_scatter, 1e9, 8).ideal_us == Approx(8750));
  CHECK(price_collective(gpu, CollectiveKind::all_reduce, 1e9, 8).ideal_us == Approx(17500));
  CHECK(price_collective(gpu, CollectiveKind::all_to_all, 1e9, 8).ideal_us == Approx(8750));
  CHECK(price_collective(gpu, CollectiveKind::send, 1e9, 2).ideal_us == Approx(10000));
  // 78 % of it is reached, and the ring takes 14 steps of 3.4 us after 8.4 us.
  CHECK(price_collective(gpu, CollectiveKind::all_reduce, 1e9, 8).time_us ==
        Approx(17500 / 0.78 + 8.4 + 14 * 3.4));
}

TEST_CASE("more ranks than a node holds: each level in turn") {
  // 16 ranks: 7/8 of the buffer over links, then half of an eighth over the network at 10 GB/s.
  const OpCost cost = price_collective(test::plain_gpu(), CollectiveKind::all_gather, 1e9, 16);
  CHECK(cost.ideal_us == Approx(8750 + 6250));
  CHECK(price_collective(test::plain_gpu(), CollectiveKind::all_to_all, 1e9, 16).ideal_us ==
        Approx(1e6 * (7.0 / 16 / 100 + 8.0 / 16 / 10)));
}

TEST_CASE("NCCL's all-to-all sends each copy by itself, at an eighth of what links give a collective") {
  const auto time_us = [](std::int64_t ranks, bool uses_nccl_all_to_all) {
    return price_collective(test::plain_gpu(), CollectiveKind::all_to_all, 1e9, ranks, 1,
                            {.each = 8, .uses_nccl_all_to_all = uses_nccl_all_to_all})
        .time_us;
  };
  // 7/8 of 1 GB over links of 100 GB/s: at 0.78 of that, or 0.12
  CHECK(time_us(8, false) == Approx(8750 / 0.78 + 8.4 + 7 * 3.4));
  CHECK(time_us(8, true) == Approx(8750 / 0.12 + 8.4 + 7 * 3.4));
  // Two nodes: 7/16 over links, 8/16 over the network of 10 GB/s at 0.9, nothing of it once for a node
  CHECK(time_us(16, true) == Approx(1e6 * (7.0 / 16 / 12 + 8.0 / 16 / 9) + 8.4 + 7 * 3.4 + 9.6));
}

TEST_CASE("a token's copies cross the network once for each node, and go on over its links") {
  const auto ideal_us = [](std::int64_t ranks, std::int64_t stride, std::int64_t copies) {
    return price_collective(test::plain_gpu(), CollectiveKind::all_to_all, 1e9, ranks, stride, {copies})
        .ideal_us;
  };
  // Eight copies on two nodes: all but one in 256 tokens have some on the other, which is an eighth of what
  // is sent.
  CHECK(ideal_us(16, 1, 8) == Approx(1e6 * (7.0 / 8 / 100 + 8.0 / 16 * (2 * 255.0 / 256 / 8) / 10)));
  CHECK(ideal_us(8, 1, 8) == ideal_us(8, 1, 1));         // within a node
  CHECK(ideal_us(4, 8, 1) == Approx(1e6 * 3 / 4 / 10));  // one rank of each node
  CHECK(ideal_us(4, 8, 2) == Approx(1e6 * 3 / 4 * (4 * (1 - 9.0 / 16) / 2) / 10));
  // Over many nodes no two copies meet.
  CHECK(ideal_us(8192, 8, 2) == Approx(ideal_us(8192, 8, 1)).epsilon(1e-3));
}

TEST_CASE("a token whose experts lie in few groups goes to few nodes") {
  const auto network_share = [](std::int64_t ranks, const model::TokenDispatch& copies) {
    gpu::Gpu gpu = test::plain_gpu();
    gpu.link_gb_s = 1e9;  // nothing but the network takes time
    return price_collective(gpu, CollectiveKind::all_to_all, 1e9, ranks, 1, copies).ideal_us / 1e5;
  };
  const auto distinct = [](double nodes) { return nodes * (1 - std::pow(1 - 1 / nodes, 8)) / 8; };
  // Eight nodes hold a group each, and a token's four groups are on four of them.
  CHECK(network_share(64, {8, 8, 4}) == Approx(7.0 / 8 * distinct(4)).epsilon(1e-4));
  CHECK(network_share(64, {8}) == Approx(7.0 / 8 * distinct(8)).epsilon(1e-4));
  // Four nodes hold two each: a node is missed where the four groups are among the other six.
  const double reached = 4 * (1 - 6.0 / 8 * 5 / 7 * 4 / 6 * 3 / 5);
  CHECK(network_share(32, {8, 8, 4}) == Approx(3.0 / 4 * distinct(reached)).epsilon(1e-4));
  CHECK(network_share(32, {8, 8, 8}) == network_share(32, {8}));  // all groups
  CHECK(network_share(32, {8, 1, 1}) == network_share(32, {8}));
}

TEST_CASE("ranks that are a node apart meet over the network alone") {
  // 4 data-parallel ranks of tensor-parallel groups of 8: 3/4 of the buffer at 10 GB/s.
  CHECK(price_collective(test::plain_gpu(), CollectiveKind::all_gather, 1e9, 4, 8).ideal_us == Approx(75000));
  // Two of them per node: half over links, then half of a half over the network.
  CHECK(price_collective(test::plain_gpu(), CollectiveKind::all_gather, 1e9, 4, 4).ideal_us ==
        Approx(5000 + 25000));
}

TEST_CASE("a bridge joins two GPUs, more meet over PCIe") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.link_gpus = 2;
  gpu.pcie_gb_s = 25;
  CHECK(price_collective(gpu, CollectiveKind::all_gather, 1e9, 2).ideal_us == Approx(5000));
  CHECK(price_collective(gpu, CollectiveKind::all_gather, 1e9, 4).ideal_us == Approx(30000));
}

TEST_CASE("without a link, PCIe") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.link_gb_s = 0;
  gpu.pcie_gb_s = 25;
  CHECK(price_collective(gpu, CollectiveKind::all_gather, 1e9, 8).ideal_us == Approx(35000));
}

TEST_CASE("a copy to the host takes PCIe, or the link to the host's memory where there is one") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.pcie_gb_s = 25;
  CHECK(price_collective(gpu, CollectiveKind::host_copy, 1e9, 1).ideal_us == Approx(40000));
  CHECK(price_collective(gpu, CollectiveKind::host_copy, 1e9, 1).time_us == Approx(8.4 + 50000));
  gpu.host_link_gb_s = 250;
  CHECK(price_collective(gpu, CollectiveKind::host_copy, 1e9, 1).ideal_us == Approx(4000));
  CHECK(price_collective(gpu, CollectiveKind::host_copy, 0, 1).time_us == 0);
}

TEST_CASE("small messages take the low-latency protocol") {
  // 3.6 us and 14 steps of 0.47 us.
  CHECK(price_collective(test::plain_gpu(), CollectiveKind::all_reduce, 1, 8).time_us ==
        Approx(3.6 + 14 * 0.47).epsilon(1e-3));
}

TEST_CASE("collectives: positive, finite, growing with bytes; all-reduce grows with ranks") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = test::plain_gpu();
    const auto kind =
        *rc::gen::element(CollectiveKind::all_reduce, CollectiveKind::all_gather,
                          CollectiveKind::reduce_scatter, CollectiveKind::all_to_all, CollectiveKind::send);
    const double bytes = any_number(1);
    const double more = bytes + any_number(1);
    const std::int64_t ranks = *rc::gen::inRange<std::int64_t>(2, 4097);
    const OpCost cost = price_collective(gpu, kind, bytes, ranks);
    RC_ASSERT(std::isfinite(cost.time_us) && cost.time_us > 0);
    RC_ASSERT(cost.efficiency.rest > 0 && cost.efficiency.rest <= 1);
    RC_ASSERT(price_collective(gpu, kind, more, ranks).time_us > cost.time_us);
    if (kind == CollectiveKind::all_reduce) {
      RC_ASSERT(price_collective(gpu, kind, bytes, ranks + 1).time_us >= cost.time_us);
    }
  }));
}

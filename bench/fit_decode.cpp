// Fits an entry of gpus/engines/attention-decode.toml or mla-decode.toml to a table of timings, and prints
// it.
//
//   fit_decode KIND ARCHITECTURE ENGINE KERNEL DTYPE CACHE TABLE.csv [EVALUATIONS]
//
// TABLE has the columns of `shapelint kernels KIND`, `gpu` and `time_us`; rows of all GPUs of the
// architecture take part. The entry that there is says what the search starts from and how keys are split and
// heads packed; constants that it leaves as usual are not searched for. Rows are those that the program
// prices with this entry. Half of the sites take part, by a hash of the shape; stderr says the errors of both
// halves.
#include <cstdlib>
#include <map>

#include "bench/fit.hpp"
#include "cost/engines/kernels.hpp"

using namespace shapelint;
using gpu::DecodeKernel;

namespace {

std::vector<bench::Timing<DecodeKernel>> timings_of(std::string_view kind, const DecodeKernel& entry,
                                                    const bench::Table& table,
                                                    const std::map<std::string, gpu::Gpu>& gpus) {
  std::vector<bench::Timing<DecodeKernel>> out;
  for (std::size_t i = 0; i < table.rows.rows.size(); ++i) {
    const auto gpu = gpus.find(table.gpus[i]);
    const auto row = cost::attention_row(kind, table.rows.rows[i].cells);
    if (!row || table.times_us[i] <= 0 || gpu == gpus.end()) continue;
    if (gpu::closest(gpu::decode_kernels(kind), entry.architecture, row->names) != &entry) continue;
    const cost::KernelAttention& a = row->attention;
    const std::string site = fmt::format("{} {} {} {} {} {} {}", a.sequences, a.tokens, a.cached, a.heads,
                                         a.key_value_heads, a.head_dim, a.window);
    out.push_back({[a, of = &gpu->second](const DecodeKernel& kernel) {
                     return cost::price_decode(*of, kernel, a).time_us;
                   },
                   table.times_us[i], bench::is_fitted(site)});
  }
  return out;
}

std::vector<bench::Constant<DecodeKernel>> stated_constants(const DecodeKernel& entry) {
  std::vector<bench::Constant<DecodeKernel>> out;
  for (const auto& each : bench::constants_of(gpu::decode_fields())) {
    if (entry.*each.member != DecodeKernel{}.*each.member) out.push_back(each);
  }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 8) {
    fmt::print(stderr,
               "usage: fit_decode KIND ARCHITECTURE ENGINE KERNEL DTYPE CACHE TABLE.csv [EVALUATIONS]\n");
    return 2;
  }
  const std::string_view kind = arguments[1];
  const auto* columns = cost::find_kernel_kind(kind);
  bench::Table table;
  if (columns == nullptr || !bench::read_table(arguments[7], *columns, table)) return 2;
  const std::map<std::string, gpu::Gpu> gpus = bench::gpus_of(table, arguments[2]);
  const int evaluations = count > 8 ? std::atoi(arguments[8]) : bench::default_evaluations;
  int found = 0;
  for (const DecodeKernel& entry : gpu::decode_kernels(kind)) {
    if (entry.architecture != arguments[2] || entry.engine != arguments[3] || entry.kernel != arguments[4] ||
        entry.dtype != arguments[5] || entry.cache != arguments[6]) {
      continue;
    }
    ++found;
    const auto rows = timings_of(kind, entry, table, gpus);
    const auto constants = stated_constants(entry);
    bench::print_entry<DecodeKernel>(bench::fit<DecodeKernel>(entry, rows, constants, evaluations),
                                     gpu::decode_fields(), constants);
  }
  if (found == 0) fmt::print(stderr, "fit_decode: gpus/engines has no such entry\n");
  return found > 0 ? 0 : 2;
}

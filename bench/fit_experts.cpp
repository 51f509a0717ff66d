// Fits an entry of gpus/engines/moe.toml or wide-ep-moe.toml to a table of timings, and prints it.
//
//   fit_experts KIND ARCHITECTURE ENGINE KERNEL DTYPE TABLE.csv [EVALUATIONS]
//
// TABLE has the columns of `shapelint kernels KIND` (moe, wide-ep-moe, amd-moe), `gpu` and `time_us`; rows of
// all GPUs of the architecture take part. The entry that there is says what the search starts from, and which
// sizes and habits (`tuned`, `tiles_by_tokens`, …) it has; of a kernel with entries for some sizes each is
// fitted to its own. Half of the sites take part, by a hash of the shape; stderr says the errors of both
// halves.
#include <cstdlib>
#include <map>

#include "bench/fit.hpp"
#include "cost/engines/kernels.hpp"

using namespace shapelint;
using gpu::MoeKernel;

namespace {

// Rows that the program prices with this entry.
std::vector<bench::Timing<MoeKernel>> timings_of(std::string_view kind, std::string_view file,
                                                 const MoeKernel& entry, const bench::Table& table,
                                                 const std::map<std::string, gpu::Gpu>& gpus) {
  std::vector<bench::Timing<MoeKernel>> out;
  for (std::size_t i = 0; i < table.rows.rows.size(); ++i) {
    const auto gpu = gpus.find(table.gpus[i]);
    const auto row = cost::expert_row(kind, table.rows.rows[i].cells);
    if (!row || table.times_us[i] <= 0 || gpu == gpus.end()) continue;
    if (row->names.engine != entry.engine ||
        (!row->names.kernel.empty() && row->names.kernel != entry.kernel) ||
        gpu::closest(gpu::moe_kernels(file), entry.architecture, row->names, true) != &entry) {
      continue;
    }
    const cost::ExpertLayer& layer = row->layer;
    const std::string site = fmt::format("{} {} {} {} {} {} {}", layer.hidden, layer.intermediate,
                                         layer.top_k, row->experts, layer.tensor, layer.expert, layer.tokens);
    out.push_back(
        {[row = *row, of = &gpu->second](const MoeKernel& kernel) {
           return price_moe_kernel(*of, kernel, row.layer, row.loads, row.format->stored_bytes).time_us;
         },
         table.times_us[i], bench::is_fitted(site)});
  }
  return out;
}

std::string tuned_line(const MoeKernel& kernel) {
  std::string shapes;
  for (const gpu::ExpertShape& shape : kernel.tuned) {
    shapes += fmt::format("{}[{}, {}]", shapes.empty() ? "" : ", ", shape.experts, shape.width);
  }
  return shapes.empty() ? "" : fmt::format("tuned = [{}]\n", shapes);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 7) {
    fmt::print(stderr, "usage: fit_experts KIND ARCHITECTURE ENGINE KERNEL DTYPE TABLE.csv [EVALUATIONS]\n");
    return 2;
  }
  const std::string_view kind = arguments[1];
  const std::string_view file = kind == "amd-moe" ? "moe" : kind;
  const auto* columns = cost::find_kernel_kind(kind);
  bench::Table table;
  if (columns == nullptr || !bench::read_table(arguments[6], *columns, table)) return 2;
  const std::map<std::string, gpu::Gpu> gpus = bench::gpus_of(table, arguments[2]);
  const int evaluations = count > 7 ? std::atoi(arguments[7]) : bench::default_evaluations;
  int found = 0;
  for (const MoeKernel& entry : gpu::moe_kernels(file)) {
    if (entry.architecture != arguments[2] || entry.engine != arguments[3] || entry.kernel != arguments[4] ||
        entry.dtype != arguments[5]) {
      continue;
    }
    ++found;
    const auto rows = timings_of(kind, file, entry, table, gpus);
    auto constants = bench::constants_of(gpu::moe_fields());
    if (!entry.tiles_by_tokens) {  // it has no meaning then
      std::erase_if(constants, [](const auto& each) { return each.member == &MoeKernel::few_dram_share; });
    }
    const MoeKernel fitted = bench::fit<MoeKernel>(entry, rows, constants, evaluations);
    bench::print_entry<MoeKernel>(fitted, gpu::moe_fields(), constants, tuned_line(fitted));
  }
  if (found == 0) fmt::print(stderr, "fit_experts: gpus/engines has no such entry\n");
  return found > 0 ? 0 : 2;
}

// Which contracts a model meets on a GPU with a stack.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/stack.hpp"
#include "expr/expression.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "suggest/edit/change.hpp"

namespace shapelint::contracts {

// One contract that binds a setup, and whether the setup meets it.
struct Verdict {
  const Contract* contract = nullptr;
  bool meets = true;
  std::string formula;               // `moe_intermediate_size / expert_tensor`; empty: the contract says none
  std::string numbers;               // `1536 / 8 = 192`
  double factor = 0;                 // what it takes as long as, where it is not met; 0: not known, or `set`
  std::vector<suggest::Change> set;  // sizes that are computed instead
};

// Whether the contract is stated for this GPU, and for this mode, number format and recipe.
bool is_for(const Contract& contract, const gpu::Gpu& gpu);
bool is_for(const Contract& contract, const model::Plan& plan);

// Whether verdicts say with their sums what they are about.
enum class Words : bool { none, all };

// Checks setup after setup. For one thread; the book must outlive it.
class Checker {
 public:
  Checker(const Book& book, Stack stack);
  // Without a stack: as if every package were used, at the version that was read.
  explicit Checker(const Book& book);

  // Of every contract of the stack that is for this GPU and this plan, and whose condition holds, by id. A
  // contract about what the file leaves open has no verdict.
  std::vector<Verdict> check(const model::Reading& reading, const model::Setup& setup, const gpu::Gpu& gpu,
                             Words words = Words::all);
  // One of contracts() alone: also where it does not bind the setup, or has no verdict.
  bool meets(const Contract& contract, const model::Reading& reading, const model::Setup& setup,
             const gpu::Gpu& gpu);
  // Those that the stack has, by id.
  std::vector<const Contract*> contracts() const;

  const Stack& stack() const { return stack_; }
  // Contracts of the stack's packages whose versions are not among those they are known for.
  const std::vector<const Contract*>& newer() const { return newer_; }
  const std::vector<const Contract*>& older() const { return older_; }

 private:
  struct Compiled {
    const Contract* contract = nullptr;
    bool is_compiled = false;
    std::optional<expr::Expression> when;
    std::optional<expr::Expression> demands;
    std::vector<model::FieldId> needs;
  };
  void compile(Compiled& each) const;
  // Nothing where it does not bind the setup, or is about what the file leaves open.
  std::optional<bool> meets(Compiled& each, const rules::Context& context);
  std::optional<double> value(std::string_view text, const rules::Context& context);
  std::string numbers(std::string_view text, const rules::Context& context);
  // The contract's size, or of several conditions what the one is about that fails.
  std::string failing_size(const Contract& contract, const rules::Context& context);

  Stack stack_;
  std::vector<Compiled> compiled_;
  std::vector<const Contract*> newer_;
  std::vector<const Contract*> older_;
  std::map<std::string, std::optional<expr::Expression>, std::less<>> expressions_;
};

// The setup as it is computed: padded, with what runs instead.
model::Setup as_run(const model::Setup& setup, std::span<const Verdict> verdicts);

// The expression to show of a condition: `hidden_size / 16` of `hidden_size % 16 == 0`, the left side of a
// comparison.
std::string sum_of(std::string_view condition);

// Whether `size` is about what the condition is about: a field that both name, be it a rank's share of it.
bool is_about(std::string_view size, std::string_view condition);

// Contracts and verdicts in words.

// "vllm 0.8.5 to 0.24.0", "deep-gemm 2.6.1".
std::string versions(const Contract& contract);
// Where it holds: architectures, modes, number formats, recipes; "" where it holds everywhere.
std::string scope(const Contract& contract);
// Addresses: lines of the source at its commit, and issues.
std::vector<std::string> addresses(const Contract& contract);
// What happens, with what: "falls back to Triton", "pads `head_dim`".
std::string outcome_words(const Contract& contract);
// "192 of `moe_intermediate_size / expert_tensor` (1536 / 8 = 192)": the size and its sum; empty without one.
std::string sum_words(const Verdict& verdict);

// The whole table as Markdown, for docs/reference/requirements.md.
std::string contracts_markdown(const Book& book);

}  // namespace shapelint::contracts

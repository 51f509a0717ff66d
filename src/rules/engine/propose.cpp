// Ways out of a finding.
#include "rules/engine/propose.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cost/uncertainty.hpp"
#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "model/reading.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/memory.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/search/neighbourhood.hpp"

namespace shapelint::rules {

namespace {

// Share of the step that the effects take, and `lost_us` in addition. The pipeline's bubble waits for
// whatever a micro-batch takes, so it is longer by what they take, too.
double lost_share(std::span<const gpu::Effect> effects, const model::Workload& workload,
                  const cost::StepCost& step, double lost_us) {
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.overlapped) continue;
    const cost::EffectTimes times = cost::split_by_effect(op, step.ops[i]);
    for (const gpu::Effect effect : effects) lost_us += op.count * times[static_cast<std::size_t>(effect)];
  }
  const double busy_us = step.time_us - step.bubble_us;
  return busy_us > 0 ? lost_us / busy_us : 0;
}

}  // namespace

double attributable_gain(std::span<const gpu::Effect> effects, const GpuReport& report, double longer_us,
                         suggest::Evaluator& evaluator, const suggest::Candidate& candidate, double gain) {
  const suggest::Step after = evaluator.step(candidate.setup);
  // The steps may differ in tokens and work: of the old one's time for its work, the new one takes 1 - gain.
  return lost_share(effects, report.workload, report.before, longer_us) -
         (1 - gain) * lost_share(effects, after.workload, after.cost, after.longer_us);
}

namespace {

double mean(const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
  double sum = 0;
  for (const std::size_t g : gpus) sum += candidate.gains[g];
  return gpus.empty() ? 0 : sum / static_cast<double>(gpus.size());
}

// How far the edited values are from the present ones, in powers of e.
double distance(const suggest::Candidate& candidate) {
  double sum = 0;
  for (const Change& change : candidate.changes) {
    sum += std::fabs(std::log(static_cast<double>(std::max<std::int64_t>(1, change.to)) /
                              static_cast<double>(std::max<std::int64_t>(1, change.from))));
  }
  return sum;
}

// Over how many ranks a model lies is for its memory and the launch to say: the time per token of one GPU is
// no measure of that, and at one sequence it is best on one.
bool changes_ranks(const suggest::Candidate& candidate) {
  return std::any_of(candidate.changes.begin(), candidate.changes.end(), [](const Change& change) {
    return change.field != model::no_field && change.field != model::FieldId::stage_layers &&
           model::info(change.field).section == "parallel";
  });
}

// Three ranks or five leave GPUs of a node of eight over, or lie on two nodes.
bool cuts_nodes(const suggest::Candidate& candidate, std::int64_t link_gpus) {
  return std::any_of(candidate.changes.begin(), candidate.changes.end(), [&](const Change& change) {
    return change.field == model::FieldId::tensor && change.to > 0 && link_gpus % change.to != 0 &&
           change.to % link_gpus != 0;
  });
}

}  // namespace

void narrow_to_gaining(Group& group, std::vector<suggest::Candidate>& candidates, double min_gain) {
  std::vector<std::size_t> keep;
  for (std::size_t g = 0; g < group.gpus.size(); ++g) {
    const bool gains = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const suggest::Candidate& c) { return c.gains[g] >= min_gain; });
    if (gains) keep.push_back(g);
  }
  const auto good_for = [&](const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
    return std::all_of(gpus.begin(), gpus.end(), [&](std::size_t g) { return candidate.gains[g] > 0; });
  };
  const bool common = std::any_of(candidates.begin(), candidates.end(), [&](const suggest::Candidate& c) {
    return good_for(c, keep) && mean(c, keep) >= min_gain;
  });
  if (!common && !keep.empty()) {
    const auto best = std::max_element(candidates.begin(), candidates.end(),
                                       [&](const suggest::Candidate& a, const suggest::Candidate& b) {
                                         return *std::max_element(a.gains.begin(), a.gains.end()) <
                                                *std::max_element(b.gains.begin(), b.gains.end());
                                       });
    std::erase_if(keep, [&](std::size_t g) { return best->gains[g] < min_gain; });
  }
  std::erase_if(candidates, [&](const suggest::Candidate& c) {
    return keep.empty() || !good_for(c, keep) || mean(c, keep) < min_gain / 2;
  });
  Group narrowed{group.field, {}, {}};
  for (const std::size_t g : keep) {
    narrowed.hits.push_back(std::move(group.hits[g]));
    narrowed.gpus.push_back(group.gpus[g]);
  }
  for (suggest::Candidate& candidate : candidates) {
    std::vector<double> gains;
    for (const std::size_t g : keep) gains.push_back(candidate.gains[g]);
    candidate.gain = mean(candidate, keep);
    candidate.gains = std::move(gains);
  }
  group = std::move(narrowed);
}

void rank(std::vector<suggest::Candidate>& candidates, std::int64_t parameters_before,
          std::int64_t link_gpus) {
  const auto faster = [&](const suggest::Candidate& a, const suggest::Candidate& b) {
    return suggest::ranks_before(a, b, parameters_before);
  };
  constexpr double much_slower = 0.05;  // of the time per token
  // What several fixes make of the same fields is one choice of values, the nearest first.
  std::vector<std::vector<suggest::Candidate>> by_fields;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.origin < b.origin; });
  for (suggest::Candidate& candidate : candidates) {
    auto group = std::find_if(by_fields.begin(), by_fields.end(), [&](const auto& each) {
      return suggest::same_fields(each.front().changes, candidate.changes);
    });
    if (group == by_fields.end())
      group = by_fields.insert(by_fields.end(), std::vector<suggest::Candidate>{});
    group->push_back(std::move(candidate));
  }
  std::size_t longest = 0;
  for (auto& group : by_fields) {
    double best = group.front().gain;
    for (const suggest::Candidate& each : group) best = std::max(best, each.gain);
    std::erase_if(group, [&](const suggest::Candidate& each) {
      return each.gain < best - much_slower && !changes_ranks(each);
    });
    std::sort(group.begin(), group.end(), [&](const suggest::Candidate& a, const suggest::Candidate& b) {
      const bool cut_a = cuts_nodes(a, link_gpus);
      const bool cut_b = cuts_nodes(b, link_gpus);
      if (cut_a != cut_b) return cut_b;
      const double difference = distance(a) - distance(b);
      constexpr double same = 1e-9;
      return std::fabs(difference) > same ? difference < 0 : faster(a, b);
    });
    longest = std::max(longest, group.size());
  }
  candidates.clear();
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (auto& group : by_fields) {
      if (turn < group.size()) candidates.push_back(std::move(group[turn]));
    }
  }
}

namespace {

// How far a searched width may move, and how much a proposal may change the number of parameters: near enough
// that it is still the same model.
constexpr double width_reach = 0.02;
constexpr double parameter_tolerance = 0.05;
// Most candidates that one fix with `vary` offers to be ranked.
constexpr std::size_t max_candidates = 400;

bool is_near(const suggest::Candidate& candidate, const model::Setup& start) {
  const auto before = static_cast<double>(model::parameter_count(start));
  const auto after = static_cast<double>(model::parameter_count(candidate.setup));
  return std::fabs(after - before) <= parameter_tolerance * before;
}

// One fix for all layers that a rule finds, each number once.
std::vector<Change> layer_changes(CompiledRule& rule, const Fix& fix, const Hit& hit) {
  std::vector<Change> all;
  for (const Context& context : hit.all) {
    auto change = rule.layer_change(fix, context);
    if (!change) continue;
    const bool known = std::any_of(all.begin(), all.end(), [&](const Change& each) {
      return each.layer == change->layer && each.key == change->key;
    });
    if (!known) all.push_back(*std::move(change));
  }
  return all;
}

const Change* find_change(const std::vector<Change>& changes, model::FieldId field) {
  const auto found =
      std::find_if(changes.begin(), changes.end(), [&](const Change& each) { return each.field == field; });
  return found == changes.end() ? nullptr : &*found;
}

void set_change(std::vector<Change>& changes, model::FieldId field, std::int64_t from, std::int64_t to) {
  std::erase_if(changes, [&](const Change& each) { return each.field == field; });
  if (from != to) changes.push_back({field, from, to});
}

// Where the file states how many sequences an optimizer step takes, larger micro-batches are fewer, and so
// are those of more ranks. Nothing where a rank would take others, unless more ranks share them.
std::optional<std::vector<Change>> with_batch_kept(const model::Reading& reading,
                                                   std::vector<Change> changes) {
  using model::FieldId;
  const model::Plan& plan = reading.setup.plan;
  const Change* micro = find_change(changes, FieldId::micro_batch_size);
  const Change* accumulation = find_change(changes, FieldId::gradient_accumulation);
  const Change* data = find_change(changes, FieldId::data);
  const bool moves = micro != nullptr || accumulation != nullptr || data != nullptr;
  if (!moves || plan.mode != model::Mode::train || extra(reading, "fixes_batch") <= 0) {
    return changes;
  }
  model::Plan after = plan;
  if (micro != nullptr) after.micro_batch_size = micro->to;
  if (data != nullptr) {
    after.data = data->to;
    set_change(changes, FieldId::gradient_accumulation, plan.gradient_accumulation,
               micro_batches_kept(reading, after));
    return changes;
  }
  after.data = 1;
  const auto times = whole_micro_batches(sequences_of_a_rank(reading), after);
  if (!times) return std::nullopt;
  if (accumulation != nullptr) {
    if (accumulation->to != *times) return std::nullopt;
  } else {
    set_change(changes, FieldId::gradient_accumulation, plan.gradient_accumulation, *times);
  }
  return changes;
}

// Where the launch says how many GPUs there are, larger replicas are fewer, and the sequences of a step that
// the file states stay as many. Nothing where the GPUs would be others, or not make whole replicas.
std::optional<std::vector<Change>> with_launch_kept(const model::Reading& reading,
                                                    std::vector<Change> changes) {
  using model::FieldId;
  const model::Plan& plan = reading.setup.plan;
  const auto after = [&](FieldId field, std::int64_t now) {
    const Change* change = find_change(changes, field);
    return change == nullptr ? now : change->to;
  };
  Context start;
  start.reading = &reading;
  start.setup = &reading.setup;
  const std::int64_t gpus = launched_gpus(start);
  const std::int64_t now = model::times(plan.tensor, plan.pipeline, plan.context);
  if (gpus <= 0 || model::times(now, plan.data) != gpus) return changes;
  const std::int64_t replica =
      model::times(after(FieldId::tensor, plan.tensor), after(FieldId::pipeline, plan.pipeline),
                   after(FieldId::context, plan.context));
  if (replica < 1 || gpus % replica != 0) return std::nullopt;
  const std::int64_t data = gpus / replica;
  if (find_change(changes, FieldId::data) != nullptr) {
    if (after(FieldId::data, plan.data) != data) return std::nullopt;
    return changes;
  }
  if (data == plan.data) return changes;
  set_change(changes, FieldId::data, plan.data, data);
  if (plan.mode != model::Mode::train || extra(reading, "fixes_batch") <= 0) return changes;
  model::Plan changed = plan;
  changed.micro_batch_size = after(FieldId::micro_batch_size, plan.micro_batch_size);
  changed.data = data;
  const auto times = whole_micro_batches(global_batch(plan), changed);
  if (!times) return std::nullopt;
  set_change(changes, FieldId::gradient_accumulation, plan.gradient_accumulation, *times);
  return changes;
}

// Smaller replicas leave GPUs over for more of them: on the same GPUs each takes fewer sequences, and nothing
// that is trained changes. Nothing where a file that counts its replicas has a batch that they could not
// share; where the launch counts them and the batch cannot be shared, they are left to it.
std::optional<std::vector<Change>> with_gpus_kept(const model::Reading& reading,
                                                  std::vector<Change> changes) {
  using model::FieldId;
  const model::Plan& plan = reading.setup.plan;
  const bool moves_batch = std::any_of(changes.begin(), changes.end(), [](const Change& each) {
    return each.field == FieldId::data || each.field == FieldId::micro_batch_size ||
           each.field == FieldId::gradient_accumulation;
  });
  if (plan.mode != model::Mode::train || moves_batch || reading.dialect == "native") return changes;
  model::Setup after = reading.setup;
  for (const Change& each : changes) {
    if (each.field != model::no_field) model::set(after, each.field, each.to);
  }
  const std::int64_t left = std::max<std::int64_t>(1, gpus_of_plan(after.plan));
  const std::int64_t times = gpus_of_plan(plan) / left;
  if (times < 2 || gpus_of_plan(plan) % left != 0) return changes;
  const bool counts_replicas = model::is_stated(reading, FieldId::data);
  const bool fixes_batch = extra(reading, "fixes_batch") > 0;
  const bool states_step = model::is_stated(reading, FieldId::gradient_accumulation);
  if (!counts_replicas && (fixes_batch || !states_step)) return changes;
  if (plan.gradient_accumulation % times == 0) {
    set_change(changes, FieldId::gradient_accumulation, plan.gradient_accumulation,
               plan.gradient_accumulation / times);
  } else if (!counts_replicas) {
    return changes;
  } else if (!fixes_batch && plan.micro_batch_size % times == 0) {
    set_change(changes, FieldId::micro_batch_size, plan.micro_batch_size, plan.micro_batch_size / times);
  } else {
    return std::nullopt;
  }
  if (counts_replicas) set_change(changes, FieldId::data, plan.data, plan.data * times);
  return changes;
}

void add_unique(std::vector<suggest::Candidate>& all, suggest::Candidate candidate) {
  const bool known = std::any_of(all.begin(), all.end(), [&](const suggest::Candidate& each) {
    return each.changes == candidate.changes && each.implied == candidate.implied;
  });
  if (!known) all.push_back(std::move(candidate));
}

// Collects the candidates of one finding, fix by fix.
class Proposer {
 public:
  Proposer(const model::Reading& reading, const suggest::FieldDependencies& links,
           const ProposalRequest& request)
      : reading_(reading),
        links_(links),
        request_(request),
        rule_(request.rule->rule()),
        fails_(rule_.effect == FindingKind::fails || request.stops_run),
        overflows_(rule_.effect == FindingKind::overflows) {}

  std::vector<suggest::Candidate> propose() {
    const bool of_layers = info(rule_.scope).blames == Blames::layer_numbers;
    for (const Fix& fix : rule_.fixes) {
      ++fix_number_;
      if (of_layers) {
        // Layers are padded together, which may be more than one width moves.
        for (const Hit& hit : request_.hits) consider(layer_changes(*request_.rule, fix, hit), false);
        continue;
      }
      if (!fix.set.empty()) set(fix);
      if (!fix.vary.empty()) vary(fix);
    }
    if (all_.empty() && overflows_) return std::move(full_);
    return std::move(all_);
  }

 private:
  // What the fix's expressions give, on each GPU.
  void set(const Fix& fix) {
    for (const Hit& hit : request_.hits) {
      auto changes = request_.rule->changes(fix, hit.context, hit.blame.field);
      if (changes && reading_.setup.plan.mode != model::Mode::train) {
        std::erase_if(*changes, [](const Change& each) { return model::is_training_only(each.field); });
        if (changes->empty()) continue;
      }
      if (changes && !fails_) {
        const bool by_launch = overflows_ || shares_batch_by_launch();
        changes = by_launch ? with_launch_kept(reading_, *std::move(changes))
                            : with_gpus_kept(reading_, *std::move(changes));
      }
      if (changes) changes = with_batch_kept(reading_, *std::move(changes));
      if (changes) consider(*std::move(changes), !fails_);
    }
  }

  void vary(const Fix& fix) {
    const Blame& blame = request_.hits.front().blame;
    const std::size_t mixer = request_.hits.front().context.mixer;
    std::vector<model::FieldId> fields;
    for (const std::string_view name : fix.vary) {
      fields.push_back(name == "blamed" ? blame.field : model::of_mixer(model::find_field(name), mixer));
    }
    vary(fields, blame.field);
    // Another field of a derived dimension may be easier to change.
    if (fix.vary != std::vector<std::string_view>{"blamed"} || !is_of_ops(rule_.scope)) return;
    for (const model::FieldId related : blame.related) {
      if (related != blame.field && model::info(related).section != "parallel") vary({related}, related);
    }
  }

  void vary(const std::vector<model::FieldId>& fields, model::FieldId blamed) {
    // What is only the longest that a sequence may be gives no GEMM its size.
    const bool is_limit = extra(reading_, "sequence_is_limit") > 0;
    if (is_limit && std::find(fields.begin(), fields.end(), model::FieldId::sequence_length) != fields.end())
      return;
    suggest::NearLimits limits;
    limits.reach = width_reach;
    limits.parameters = fails_ ? -1 : parameter_tolerance;
    limits.keep = max_candidates;
    limits.faster_only = !fails_ && !overflows_;
    for (suggest::Candidate& candidate :
         suggest::search_near(reading_, links_, fields, request_.constraints, request_.evaluators, limits)) {
      // Beside other fields the blamed one must change, or the gain would be of something else.
      const bool about_it =
          fields.size() == 1 || std::any_of(candidate.changes.begin(), candidate.changes.end(),
                                            [&](const Change& change) { return change.field == blamed; });
      if (!about_it || still_fails(candidate.setup)) continue;
      auto kept = with_batch_kept(reading_, candidate.changes);
      if (!kept) continue;
      if (kept->size() == candidate.changes.size()) {
        add(std::move(candidate));
      } else {
        consider(*std::move(kept), false);
      }
    }
  }

  void consider(std::vector<Change> changes, bool only_near) {
    auto candidate = suggest::make_candidate(reading_, links_, std::move(changes), request_.constraints);
    if (!candidate || still_fails(candidate->setup)) return;
    if ((overflows_ && extra(reading_, "world_size") > 0) || shares_batch_by_launch())
      leave_to_launch(*candidate);
    if (only_near && !is_near(*candidate, reading_.setup)) return;
    if (!suggest::fits(candidate->setup, reading_.setup, request_.evaluators)) return;
    suggest::price(*candidate, reading_.setup, request_.evaluators);
    add(*std::move(candidate));
  }

  // The launch counts the GPUs and the file the sequences of a step, so that smaller replicas are more, of
  // fewer micro-batches each.
  bool shares_batch_by_launch() const {
    return !fails_ && !overflows_ && reading_.setup.plan.mode == model::Mode::train &&
           extra(reading_, "world_size") > 0 && extra(reading_, "fixes_batch") > 0 &&
           !model::is_stated(reading_, model::FieldId::data);
  }

  // Replicas follow from the launch, and micro-batches from the step's sequences where the file states these.
  void leave_to_launch(suggest::Candidate& candidate) const {
    const auto follows = [&](const Change& each) {
      return each.field == model::FieldId::data ||
             (each.field == model::FieldId::gradient_accumulation && extra(reading_, "fixes_batch") > 0);
    };
    const bool moves_replicas = find_change(candidate.changes, model::FieldId::data) != nullptr;
    if (!moves_replicas || std::all_of(candidate.changes.begin(), candidate.changes.end(), follows)) return;
    for (const Change& each : candidate.changes) {
      if (follows(each)) candidate.implied.push_back(each);
    }
    std::erase_if(candidate.changes, follows);
  }

  // Whether less is enough: an earlier way out changes the same fields, or some of them.
  bool is_answered(const suggest::Candidate& candidate) const {
    const auto changes = [&](const Change& earlier) {
      return std::any_of(candidate.changes.begin(), candidate.changes.end(),
                         [&](const Change& change) { return change.field == earlier.field; });
    };
    return std::any_of(all_.begin(), all_.end(), [&](const suggest::Candidate& each) {
      return std::all_of(each.changes.begin(), each.changes.end(), changes);
    });
  }

  // A width that the framework works out of another is no key's, nor are the patches of an image.
  bool lacks_key(const suggest::Candidate& candidate) const {
    return std::any_of(candidate.changes.begin(), candidate.changes.end(), [&](const Change& change) {
      using model::FieldId;
      return (change.field == FieldId::sequence_length &&
              model::origin(reading_, change.field).kind == model::Origin::Kind::derived) ||
             (change.field == FieldId::intermediate_size &&
              model::extra_named(reading_, model::unsettable(change.field)) > 0);
    });
  }

  void add(suggest::Candidate candidate) {
    if (lacks_key(candidate) || (overflows_ && is_answered(candidate))) return;
    candidate.origin = fix_number_;
    add_unique(fills_memory(candidate.setup) ? full_ : all_, std::move(candidate));
  }

  // It takes nearly all that is there, which the estimate cannot tell from all, and markedly more than the
  // start. Rows that only pad take next to nothing.
  bool fills_memory(const model::Setup& setup) const {
    constexpr double most = 0.98;  // of what tensors can have
    constexpr double markedly = 1.01;
    if (fails_) return false;
    return std::any_of(request_.evaluators.begin(), request_.evaluators.end(), [&](const auto* each) {
      const double needed = each->memory_bytes(setup);
      return needed > most * suggest::usable_bytes(gpu::memory_gib(each->gpu()), setup) &&
             (overflows_ || needed > markedly * each->memory_bytes(reading_.setup));
    });
  }

  // The search holds a candidate to the constraints that the start meets; a way out of a failure must also
  // meet the one that it does not.
  bool still_fails(const model::Setup& setup) const {
    if (overflows_) return still_overflows(setup);
    if (!is_fixed(setup)) return true;
    if (!fails_ || is_of_ops(rule_.scope)) return false;
    const Result<bool> broken = request_.rule->holds_for_any(context_of(setup));
    return !broken || *broken;
  }

  Context context_of(const model::Setup& setup, const gpu::Gpu* gpu = nullptr) const {
    Context context;
    context.reading = &reading_;
    context.setup = &setup;
    context.gpu = gpu;
    return context;
  }

  // On all of the GPUs.
  bool is_fixed(const model::Setup& setup) const {
    return std::all_of(request_.evaluators.begin(), request_.evaluators.end(), [&](const auto* each) {
      return request_.rule->is_fixed(context_of(setup, &each->gpu()));
    });
  }

  // On any of the GPUs.
  bool still_overflows(const model::Setup& setup) const {
    return std::any_of(request_.evaluators.begin(), request_.evaluators.end(), [&](const auto* each) {
      const gpu::Gpu& gpu = each->gpu();
      const Result<bool> holds = request_.rule->holds_for_any(context_of(setup, &gpu));
      return !holds || *holds ||
             suggest::memory_bytes(setup) > suggest::usable_bytes(gpu::memory_gib(gpu), setup);
    });
  }

  const model::Reading& reading_;
  const suggest::FieldDependencies& links_;
  const ProposalRequest& request_;
  const Rule& rule_;
  bool fails_;
  bool overflows_;
  std::size_t fix_number_ = 0;
  std::vector<suggest::Candidate> all_;
  std::vector<suggest::Candidate> full_;  // leave next to nothing of a GPU's memory
};

}  // namespace

std::vector<suggest::Candidate> propose(const model::Reading& reading,
                                        const suggest::FieldDependencies& links,
                                        const ProposalRequest& request) {
  const bool fails = request.rule->rule().effect == FindingKind::fails;
  if (!fails || !takes_what_fits(reading)) return Proposer(reading, links, request).propose();
  // Sequences that have no room wait, so what starts a server needs memory for one of them.
  model::Reading of_one = reading;
  of_one.setup.plan.micro_batch_size = 1;
  return Proposer(of_one, links, request).propose();
}

}  // namespace shapelint::rules

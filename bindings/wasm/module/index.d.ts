// What index.mjs gives. Structs, their members and units are those of the C++ library (include/shapelint): gains and shares are
// fractions, times are in microseconds, lines and columns count from 1.

/** A text with the path that it is called by; `base` is what it was before a change. */
export interface Source {
  path: string;
  text?: string;
  base?: string;
}
/** A text, an object as of a config.json, or a source. */
export type Given = string | Source | Record<string, unknown>;

export interface ReadOptions {
  /** further files that the source may name: paths and contents */
  files?: Record<string, string>;
  /** fields' values instead of what the file says: `{ micro_batch_size: 8, dtype: "fp8" }` */
  settings?: Record<string, string | number | boolean>;
  /** sizes of the symbolic dimensions of a graph */
  dimensions?: Record<string, number>;
  /** path of the configuration, among `files` */
  config?: string;
  isolated?: boolean;
  assume_native?: boolean;
}
export interface StepOptions extends ReadOptions {
  /** ids or aliases; A100 and H100 unless the file or its configuration names others */
  gpu?: string | string[];
  gpu_files?: string[];
  sm_count?: number;
}
export interface LintOptions extends StepOptions {
  select?: string[];
  extend_select?: string[];
  ignore?: string[];
  shape?: Shape;
  head_multiple?: number;
  min_gain?: number;
  fail_severity?: Severity;
  min_severity?: Severity;
  with_suppressed?: boolean;
  with_fields?: boolean;
  with_operations?: boolean;
  baseline?: string;
  with_known?: boolean;
  expect_models?: boolean;
  allow_unrecognised?: boolean;
}
export interface SuggestOptions extends StepOptions {
  model?: string;
  vary?: string[];
  fix?: string[];
  ranges?: string[];
  where?: string[];
  shape?: Shape;
  head_multiple?: number;
  budget?: { parameters?: number; tokens?: number; flops?: number; aspect?: number; memory?: boolean };
  objective?: "tokens" | "mfu" | "step" | "prefill" | "decode" | "cost";
  basket?: "worst" | "mean";
  weights?: Record<string, number>;
  prices?: Record<string, number>;
  top?: number;
  every?: boolean;
}
export interface PlanOptions extends StepOptions {
  model?: string;
  /** `8`, `"8..64"`, or `"auto"`: the fewest */
  num_gpus?: number | string;
  /** by GPU, of an hour */
  prices?: Record<string, number>;
  /** sequences of an optimizer step */
  global_batch?: number;
  /** of the training run */
  tokens?: number;
  /** of a request; with output_tokens the plans are of serving */
  input_tokens?: number;
  output_tokens?: number;
  ttft_ms?: number;
  tpot_ms?: number;
  /** requests per second of the whole service */
  rate?: number;
  formats?: string[];
  top?: number;
}

/** What the caller or the file got wrong, as many errors as were found. */
export class ShapelintError extends Error {
  problems: Problem[];
}

export interface Shapelint {
  readonly version: string;
  /** Findings of one or several files. Errors of files are in the result. */
  lint(sources: Given | Given[], options?: LintOptions): LintResult;
  /** A file as read. */
  read(source: Given, options?: ReadOptions): ReadResult;
  /** What a step costs, for each model of the file and each GPU. */
  step(source: Given, options?: StepOptions): Step[];
  /** GPUs, layout, batch and cost of training or serving. */
  plan(source: Given, options?: PlanOptions): PlanResult;
  /** Better shapes near the file's. */
  suggest(source: Given, options?: SuggestOptions): SuggestResult;
  /** One matrix product. */
  gemm(gpu: string, gemm: Gemm): KernelCost;
  /** One fused attention kernel, forward. */
  attention(gpu: string, attention: AttentionKernel): KernelCost;
  gpus(): Gpu[];
  rules(): Rule[];
  fields(): Field[];
  /** One rule by its code or name. */
  explain(rule: string): Rule;
  /** The command line, on files in memory. `written`: files that it wrote or changed. */
  run(args: string[], given?: { files?: Record<string, string>; input?: string }):
    { exit_code: number; out: string; err: string; written: Record<string, string> };
}

/** `source`: where the WebAssembly is when it is not beside this module: a URL, a response, its bytes, or a compiled module. */
export function load(source?: string | URL | Response | BufferSource | WebAssembly.Module | Promise<Response>): Promise<Shapelint>;

export interface Gemm {
  m?: number;
  n?: number;
  k?: number;
  batch?: number;
  dtype?: string;
  /** tn: y = x W^T; nn: two row-major matrices; nt: a weight gradient; tt: neither */
  layout?: string;
}
export interface AttentionKernel {
  sequences?: number;
  heads?: number;
  key_value_heads?: number;
  query_length?: number;
  key_length?: number;
  head_dim?: number;
  causal?: boolean;
  dtype?: string;
}

// What follows is written by the library from its own descriptions (include/shapelint).
/** A field's value: a whole number, a boolean, or the name of a choice. */
export type Scalar = number | boolean | string;
export type Origin = "unknown" | "stated" | "given" | "derived" | "default";
export type Severity = "info" | "warning" | "error";
export type Confidence = "estimated" | "measured" | "certain";
export type Applicability = "safe" | "unsafe" | "manual";
export type Bound = "compute" | "memory" | "communication" | "overhead" | "bubble";
export type FieldType = "integer" | "boolean" | "choice";
export type Shape = "free" | "padding" | "fixed";

/** A place in a text. */
export interface Place {
  /** from 1 */
  line: number;
  /** from 1, in Unicode code points */
  column: number;
  /** from 0 */
  byte: number;
}

/** Some bytes of a text. */
export interface Range {
  start: Place;
  /** behind the last */
  end: Place;
}

/** Why there is no answer, or none about a file. */
export interface Problem {
  /** what kind it is: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, unable, no-candidates */
  code: string;
  /** what was seen */
  message: string;
  /** what to try */
  hint?: string;
  /** of the file that it is about */
  path?: string;
  /** in that file; absent: the file as a whole */
  range?: Range;
}

/** Figures of vendors' documents. */
export interface Gpu {
  /** `a100-sxm4-80gb` */
  id: string;
  name: string;
  vendor: string;
  /** other names that it is found by */
  aliases: string[];
  /** `ampere` */
  architecture: string;
  /** `8.0` */
  compute_capability?: string;
  /** compute units on AMD */
  sm_count: number;
  /** by number format that it multiplies: fp32, tf32, fp16, bf16, fp8, int8, fp4; dense, with fp32 accumulation */
  peaks_tflops: Record<string, number>;
  /** of these, what its matrix units multiply */
  tensor_core_dtypes: string[];
  /** 10^9 bytes per second */
  dram_gb_s: number;
  /** of its memory */
  dram_bytes: number | null;
  /** of its last cache */
  l2_bytes: number | null;
  /** per direction, within a node */
  link_gb_s: number | null;
  boost_clock_mhz: number | null;
  tdp_w: number | null;
  /** how well predictions are backed: calibrated, architecture, uncalibrated … */
  calibration: string;
  /** what they are backed by */
  calibration_source?: string;
}

/** A field's value, and where it comes from. */
export interface Value {
  value: Scalar | null;
  /** unknown: nobody gave it; stated: the file; given: the caller or the configuration; derived: other fields; default: somebody's default */
  origin: Origin;
  /** derived: from what; default: whose */
  note?: string;
  /** stated: in this file, which may be another one (inheritance) */
  path?: string;
  /** stated: as the file calls it */
  key_path?: string;
  /** stated: the value */
  range?: Range;
  /** stated: its key */
  key_range?: Range;
}

/** Something in a file that was not understood, or had to be decided. */
export interface Note {
  message: string;
  /** of the file */
  path?: string;
  key_path?: string;
  range?: Range;
}

/** A model that was linted. */
export interface LintedModel {
  /** path and part: `config.json#text`; what other objects call it by */
  id: string;
  name: string;
  /** of its file */
  path: string;
  /** which of several: `text`, `vision` */
  part?: string;
  /** `native`, `huggingface` … */
  dialect: string;
  /** as the file calls it: `llama` */
  type?: string;
  /** enough is known to cost it */
  complete: boolean;
  /** of all ranks together */
  parameters: number | null;
  /** that take part in one token's forward pass */
  active_parameters: number | null;
  /** by name, where they are asked for */
  fields?: Record<string, Value>;
  /** what was not understood, or had to be decided */
  notes: Note[];
  /** nobody named one */
  gpus_assumed: boolean;
  /** ids of those named that cannot multiply what is stored */
  gpus_left_out: string[];
  /** what of the model is taken as fixed, and why */
  shape_note?: string;
  /** findings that save less are left out */
  min_gain: number;
}

/** What something saves on one GPU: a share of the time per token, 1 - new / old. */
export interface GpuGain {
  /** id */
  gpu: string;
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** of a proposal: of a step now, and with it */
  step_us?: number;
  new_step_us?: number;
}

/** A field set to another value. */
export interface Change {
  /** `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels` */
  field: string;
  before: Scalar;
  after: Scalar;
}

/** New text for some bytes of a file; of several, make all, the last first. */
export interface Edit {
  /** of the file */
  path: string;
  range: Range;
  new_text: string;
}

/** One way out of a finding. */
export interface Proposal {
  /** all of it in words, on one line */
  summary: string;
  /** safe: it leaves what is trained as it is; unsafe: it does not; manual: the file alone cannot take it */
  applicability: Applicability;
  /** what to edit */
  changes: Change[];
  /** what follows without being edited */
  implied: Change[];
  /** that make the changes in the linted file; none of a manual one */
  edits: Edit[];
  /** share of the step's time, the mean over the finding's GPUs */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  by_gpu: GpuGain[];
  parameters_before: number;
  parameters_after: number;
  /** that the run needs on one GPU */
  memory_bytes_before: number | null;
  memory_bytes_after: number | null;
  /** of one change: other multiples of this, near it and in its direction, gain as much */
  or_multiple_of?: number;
}

/** Something that costs time, or does not run. */
export interface Finding {
  /** stays the same when lines are added above or the file is reformatted; the same in every output */
  id: string;
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  rule: string;
  severity: Severity;
  /** what the gain rests on: the cost model alone, measurements on this GPU, or arithmetic */
  confidence: Confidence;
  /** its id */
  model: string;
  /** id of the only GPU that it holds for; absent: all of the run */
  gpu?: string;
  /** what is wrong, with numbers */
  message: string;
  /** what it leads to or why, in a few words */
  label?: string;
  /** the mechanism */
  why?: string;
  /** what else to know: whose default a value is */
  note?: string;
  /** the gain in words */
  cost?: string;
  /** how the file's framework does what is proposed first */
  how?: string;
  /** that is blamed */
  field?: string;
  /** of the file that states it */
  path: string;
  /** as the file calls it: `model.hidden_size` */
  key_path?: string;
  /** the value; absent when no file states it */
  range?: Range;
  /** where it is used, when it is written elsewhere */
  use_range?: Range;
  /** the run cannot start */
  certain_to_fail: boolean;
  /** share of the step that the best proposal saves */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  by_gpu: GpuGain[];
  /** best first */
  proposals: Proposal[];
  /** names of those that lose time */
  operations: string[];
  /** fields that it is about, too */
  related: string[];
  /** fields that nobody stated, and it would be another without */
  assumed: string[];
  /** of the rule's page */
  url?: string;
}

/** Bytes of one GPU's memory, by what they are for. */
export interface MemoryParts {
  weights?: number;
  gradients?: number;
  /** states, and the copy of weights that it updates */
  optimizer?: number;
  /** beside these, at the fullest moment */
  activations?: number;
  /** of the sequences of a step, and what recurrent layers keep */
  kv_cache?: number;
}

/** What a run needs of one GPU's memory, an estimate. */
export interface Memory {
  /** that it needs: the parts together; null where nobody says how weights are stored */
  total_bytes: number | null;
  /** that tensors can have of the GPU's */
  usable_bytes: number | null;
  /** that the GPU has */
  capacity_bytes: number | null;
  /** total_bytes are usable */
  fits: boolean | null;
  parts: MemoryParts;
  /** in the host's memory, of this GPU */
  host_bytes?: number;
}

/** A dimension of an operation. */
export interface OperationSize {
  value: number;
  /** where it comes from: `3 * hidden_size / tensor` */
  expression?: string;
}

/** Shares in (0, 1] that multiply to ideal_us / run_us; 1: nothing is lost. */
export interface Efficiency {
  /** dimensions that are no multiple of what the hardware loads at once */
  alignment: number;
  /** partial tiles that are computed in full */
  tile: number;
  /** SMs that idle in the last wave */
  wave: number;
  /** launch, ramp, and rates below the data sheet */
  rest: number;
}

/** How a matrix product is divided over SMs. */
export interface Tile {
  m: number;
  n: number;
  /** tiles that share one part of the result */
  split_k: number;
  /** tiles by those that run at once */
  waves: number;
}

/** A kernel or a collective of a step: what one run and all of them take. */
export interface Operation {
  /** name and pass: `layer.mlp.up/forward` */
  id: string;
  /** `layer.mlp.up` */
  name: string;
  /** gemm, attention, scan, elementwise, collective */
  kind: string;
  /** forward, recompute, grad_input, grad_weight, backward, update */
  pass: string;
  dtype: string;
  /** how often it runs in the step */
  runs: number;
  /** gemm: batch, m, n, k of C[m,n] = A[m,k] B[k,n]; attention: sequences, heads, key_value_heads, query_length, key_length, head_dim, value_head_dim; scan: sequences, length, key_heads, value_heads, key_dim, value_dim, chunk */
  sizes?: Record<string, OperationSize>;
  /** of a gemm; tn: y = x W^T; nn: its input gradient; nt: its weight gradient */
  layout?: string;
  /** attention to what is before alone */
  causal?: boolean;
  /** attention to so many keys at most */
  window?: number;
  /** elementwise: moved; collective: the whole buffer */
  bytes?: number;
  /** which: all-reduce, all-gather … */
  collective?: string;
  /** that take part in a collective */
  ranks?: number;
  /** a collective that hides behind computation */
  overlapped?: boolean;
  /** of one run */
  run_us: number;
  /** the same at the roofline of the data sheet */
  ideal_us: number;
  /** what limits it */
  bound: Bound;
  /** what arithmetic would take alone; the three overlap */
  compute_us: number;
  /** what moving bytes would take alone */
  memory_us: number;
  /** what launch and ramp take */
  overhead_us: number;
  efficiency: Efficiency;
  /** of a matrix product */
  tile?: Tile;
  /** of all runs */
  total_us: number;
  /** total_us of the step's time; communication behind computation has one, too, so that shares may add up to more than 1 */
  share: number;
  /** attention: what the kernel computes of each head, zeros included; absent where no kernel takes it */
  kernel_head_dim?: number;
}

/** A step with all proposals that go together. */
export interface After {
  /** of that step */
  step_us: number;
  mfu: number;
  /** share of the time per token, of all together */
  gain: number;
  /** nothing: there is nothing to apply */
  applied: Change[];
  /** what does not go with them */
  left_out: Change[];
  left_out_because?: string;
}

/** What an engine has room for on one GPU. */
export interface Capacity {
  /** that the engine may take */
  budget_bytes: number | null;
  /** activations of its longest step, context, kernels, NCCL's buffers */
  runtime_bytes: number;
  /** left for the KV cache */
  kv_cache_bytes: number | null;
  /** that it holds, in sequences of the longest length */
  kv_cache_tokens: number | null;
  /** tokens that a request may have */
  longest_sequence: number | null;
  /** of that length, at a time */
  concurrent_requests: number | null;
  /** tokens of the longest sequence that has room */
  largest_sequence: number | null;
  /** the GPU's memory and the weights' format are */
  weights_known: boolean;
  /** the engine does */
  starts: boolean | null;
}

/** A step as the file has it, and with all proposals that go together. */
export interface LintedStep {
  /** its id */
  model: string;
  /** which of a file's several models: `text`, `vision` */
  part?: string;
  /** id */
  gpu: string;
  /** of the step: the five parts below together */
  step_us: number;
  /** of ten published steps of its kind one is faster */
  low_us?: number;
  /** of ten published steps of its kind one is slower */
  high_us?: number;
  compute_us: number;
  memory_us: number;
  /** that is waited for */
  communication_us: number;
  overhead_us: number;
  /** of the pipeline */
  bubble_us: number;
  /** communication behind computation; not part of step_us */
  hidden_us: number;
  /** the largest part */
  bound: Bound;
  /** arithmetic that the model needs / (time x peak) */
  mfu: number;
  /** with what is computed again */
  hfu: number;
  /** what is counted as tokens: `tokens`, or `images` of a CNN */
  produces: string;
  /** of one replica of the model */
  tokens_per_step: number;
  /** of one replica, by the GPUs that it is spread over */
  tokens_per_s_per_gpu: number;
  /** of all replicas */
  tokens_per_s_all_gpus: number;
  /** that the run takes */
  num_gpus: number;
  /** of a step */
  model_flops_per_gpu: number;
  /** with what is computed again */
  hardware_flops_per_gpu: number;
  /** of the model, all ranks together */
  parameters: number;
  memory: Memory;
  /** where they are asked for */
  operations?: Operation[];
  after: After;
  /** of a model that an engine serves */
  capacity?: Capacity;
}

/** A model of a whole. */
export interface WholePart {
  part: string;
  /** how often it runs in it */
  runs: number;
  /** that it takes */
  num_gpus: number;
}

/** What a whole takes on one GPU. */
export interface WholeTime {
  /** id */
  gpu: string;
  /** of all parts, as the file has them */
  step_us: number;
  /** of it, by part */
  shares: number[];
}

/** Models of one file that are one step together, or its plans that are one iteration. */
export interface Whole {
  /** of the file */
  path: string;
  parts: WholePart[];
  /** of models that are held at once */
  memory_bytes: number | null;
  by_gpu: WholeTime[];
}

/** How many findings there are, and are not. */
export interface Counts {
  /** findings of this severity */
  error: number;
  warning: number;
  info: number;
  /** not severe enough to be shown */
  hidden: number;
  /** a comment or the configuration leaves out */
  suppressed: number;
  /** the baseline knows, or a source's `base` had */
  baselined: number;
  /** files of a folder of which too little is known */
  not_whole: number;
  /** files of a folder that are no model's configuration */
  not_recognised: number;
}

/** What the linter found in files. */
export interface LintResult {
  /** all that were looked at */
  gpus: Gpu[];
  /** by path */
  models: LintedModel[];
  /** by path, then model; of each, certain failures first, then by gain */
  findings: Finding[];
  /** for each model, by GPU */
  steps: LintedStep[];
  together: Whole[];
  counts: Counts;
  /** some finding is as severe as its file's fail level, a warning unless somebody says otherwise */
  fails: boolean;
  /** why files and GPUs are passed over, what was not understood */
  notes: string[];
  /** of a file: the others are linted anyway; of a configuration or of the options: nothing is */
  problems: Problem[];
}

/** One model of a file, as it is understood. */
export interface Model {
  /** path and part: `config.json#text`; what other objects call it by */
  id: string;
  name: string;
  /** of its file */
  path: string;
  /** which of several: `text`, `vision` */
  part?: string;
  /** `native`, `huggingface` … */
  dialect: string;
  /** as the file calls it: `llama` */
  type?: string;
  /** enough is known to cost it */
  complete: boolean;
  /** of all ranks together */
  parameters: number | null;
  /** that take part in one token's forward pass */
  active_parameters: number | null;
  /** by name, where they are asked for */
  fields?: Record<string, Value>;
  /** what was not understood, or had to be decided */
  notes: Note[];
}

/** What is understood of a file. */
export interface ReadResult {
  /** a configuration of a known dialect; it may still hold no model */
  recognised: boolean;
  models: Model[];
  /** why it is not understood, or what in it was not */
  notes: Note[];
  /** whatever else is in here is then not to be relied on */
  problems: Problem[];
}

/** What the file's own shape comes to on one GPU. */
export interface StartOnGpu {
  /** id */
  gpu: string;
  step_us: number;
  mfu: number;
  tokens_per_s_per_gpu: number;
  /** of 10^6 tokens, where a price is known */
  dollars_per_m_tokens?: number;
  /** that it needs */
  memory_bytes: number;
  /** that the GPU has */
  capacity_bytes: number | null;
}

/** The file's own shape. */
export interface SuggestStart {
  parameters: number;
  by_gpu: StartOnGpu[];
}

/** A change made alone. */
export interface AloneChange {
  /** `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels` */
  field: string;
  before: Scalar;
  after: Scalar;
  /** some only are together */
  possible: boolean;
  /** where it is possible */
  gain?: number;
}

/** Time that one effect takes less in one operation: a share of the start's step. Negative: more. */
export interface Cause {
  /** its name */
  operation: string;
  /** `alignment`, `tile`, `wave` …, or `work` */
  effect: string;
  /** the same for people */
  description: string;
  share: number;
  /** what changed: `n 50257 → 50304` */
  sizes: string;
}

/** What a suggestion comes to on one GPU. */
export interface SuggestionOnGpu {
  /** id */
  gpu: string;
  /** of the objective: 1 - new / old cost */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** measurements on this GPU back most of it */
  measured: boolean;
  step_us: number;
  mfu: number;
  tokens_per_s_per_gpu: number;
  /** of 10^6 tokens, where a price is known */
  dollars_per_m_tokens?: number;
  /** that it needs */
  memory_bytes: number;
  /** that the GPU has */
  capacity_bytes: number | null;
  /** largest first */
  causes: Cause[];
  /** what the rest adds up to */
  other: number;
}

/** A better shape. */
export interface Suggestion {
  /** of the objective, as the basket says */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** of several GPUs: 1 is each one's own best */
  of_best?: number;
  parameters: number;
  changes: Change[];
  /** what follows without being edited */
  implied: Change[];
  /** each change made alone */
  alone: AloneChange[];
  by_gpu: SuggestionOnGpu[];
}

/** No other shape is as large and faster. */
export interface FrontPoint {
  parameters: number;
  /** relative to the start */
  speed: number;
  changes: Change[];
  /** what follows without being edited */
  implied: Change[];
}

/** A condition, and the share of the combinations that break it. */
export interface Exclusion {
  condition: string;
  share: number;
}

/** A search for better shapes near the file's. */
export interface SuggestResult {
  /** its name */
  model: string;
  /** of its file */
  path: string;
  /** tokens, mfu, step, prefill, decode or cost */
  objective: string;
  /** of several GPUs: worst or mean */
  basket: string;
  /** codes of those that the start breaks */
  broken_rules: string[];
  /** numbers of heads are multiples of this or divide it */
  head_multiple: number;
  /** what of the model is taken as fixed, and why */
  shape_note?: string;
  /** what the stack makes of it */
  stack_note?: string;
  /** shapes that were left out as their gain is within its error */
  doubtful: number;
  /** ids */
  gpus: string[];
  start: SuggestStart;
  /** best first; none: nothing better was found */
  suggestions: Suggestion[];
  front: FrontPoint[];
  /** how much faster the fastest shape with as many parameters is */
  behind_front: number;
  /** combinations of the space */
  candidates: number;
  /** that were looked at one by one, of a search that was stopped */
  priced?: number;
  /** share that breaks a condition */
  excluded?: number;
  exclusions?: Exclusion[];
  /** false: stopped early */
  complete: boolean;
  /** nothing is better than the first suggestion by more; null: infinite, nobody knows */
  gap: number | null;
}

/** How the plans of the enumeration ended. */
export interface SearchCounts {
  all: number;
  too_large: number;
  /** that break a rule that any framework has */
  by_rules: number;
  /** by the stack's packages */
  refused: number;
  /** training: recompute more or wait longer than a plan that fits and differs in nothing else */
  needless: number;
  /** not priced, since none can be faster than those listed */
  bounded: number;
  priced: number;
}

/** Degrees of parallelism; the first four multiply to num_gpus. */
export interface Parallel {
  tensor: number;
  pipeline: number;
  context: number;
  data: number;
  expert: number;
  expert_tensor: number;
}

/** A way of training a model over GPUs. */
export interface TrainingPlan {
  parallel: Parallel;
  sequence_parallel: boolean;
  /** chunks of layers of each stage */
  virtual_pipeline: number;
  /** order of forward and backward passes on a stage */
  pipeline_schedule: string;
  /** of embedding and head, those that count as a layer */
  embedding_stages: number;
  /** layers of all stages but the last, which has the rest; 0: as even as can be */
  stage_layers: number;
  /** what the exchange of tokens among experts runs beside */
  overlap: string;
  /** what data-parallel ranks share */
  zero: number;
  /** sequences of one rank at a time */
  micro_batch_size: number;
  gradient_accumulation: number;
  recompute: string;
  /** besides, of every layer */
  recompute_parts?: string[];
  /** percent of the optimizer's states */
  offload_optimizer: number;
  step_us: number;
  /** of ten published steps of its kind one is faster */
  low_us: number;
  /** of ten published steps of its kind one is slower */
  high_us: number;
  mfu: number;
  tokens_per_s_all_gpus: number;
  tokens_per_s_per_gpu: number;
  /** of step_us: stages wait for each other */
  bubble_us: number;
  /** of step_us: communication that nothing hides */
  exposed_communication_us: number;
  memory: Memory;
  /** for --tokens */
  run_hours?: number;
  /** with --price */
  run_cost?: number;
}

/** The best plan without a choice of the first plan. */
export interface WithoutChoice {
  field: string;
  /** the choice */
  value: string;
  /** null: none fits */
  plan: TrainingPlan | null;
}

/** A way of serving a model over GPUs. */
export interface ServingPlan {
  parallel: Parallel;
  /** with its recipe: `fp8:block128` */
  dtype: string;
  /** of all replicas */
  num_gpus: number;
  num_gpus_per_replica: number;
  replicas: number;
  /** of all replicas */
  concurrent_requests: number;
  /** of one data-parallel rank of a replica */
  concurrent_requests_per_rank: number;
  /** time to a request's first token */
  ttft_us: number;
  /** between two tokens of a request, prompts of others included */
  tpot_us: number;
  /** from a request's arrival to its last token */
  request_us: number;
  /** that all GPUs together can take */
  requests_per_s: number;
  /** of requests_per_s, what arrives; 1 without --rate */
  load: number;
  output_tokens_per_s_all_gpus: number;
  input_tokens_per_s_all_gpus: number;
  output_tokens_per_s_per_gpu: number;
  output_tokens_per_s_per_user: number;
  /** that one GPU needs */
  memory_bytes: number;
  /** that tensors can have of it */
  usable_bytes: number | null;
  /** that the cache of one data-parallel rank has room for */
  kv_cache_tokens_per_rank: number;
  /** of input and output tokens */
  kv_cache_requests_per_rank: number;
  /** tokens of the longest request that has room */
  largest_context: number;
  /** what bounds a decoding step */
  bound: string;
  /** what keeps more requests out */
  binds: string;
  /** with --price */
  cost_per_million_input_tokens?: number;
  /** with --price */
  cost_per_million_output_tokens?: number;
}

/** The plans of one GPU and number of them. */
export interface PlanCount {
  /** id */
  gpu: string;
  num_gpus: number;
  /** as it was given */
  price_per_gpu_hour?: number;
  /** no plan of the enumeration is predicted to be better */
  proved_best: boolean;
  enumerated: SearchCounts;
  /** training: on one GPU, of the plan that needs least */
  least_memory_bytes?: number;
  /** training: the fastest first */
  plans?: TrainingPlan[];
  /** training, of the number that is printed in full: without each choice of the first plan */
  without?: WithoutChoice[];
  /** training */
  as_the_file_says?: TrainingPlan;
  /** serving; absent: none does what is asked */
  cheapest?: ServingPlan;
  /** serving */
  fastest?: ServingPlan;
  /** serving */
  fewest_gpus?: ServingPlan;
  /** serving: no plan is both faster and cheaper */
  front?: ServingPlan[];
}

/** The best ways over GPUs. */
export interface PlanResult {
  /** training or serving */
  kind: string;
  /** its name */
  model: string;
  /** training: of all GPUs together */
  sequences_per_step?: number;
  /** training */
  sequence_length?: number;
  /** serving: of a request */
  input_tokens?: number;
  /** serving */
  output_tokens?: number;
  /** training: of the whole run, as asked for */
  training_tokens?: number;
  /** training: by which predicted times are multiplied, as the measured step of the file's plan asks for */
  measured_scale?: number;
  /** serving: that arrive, as asked for */
  requests_per_s?: number;
  /** for each GPU and number of them */
  counts: PlanCount[];
  /** place in `counts`, from 0, of the one with most tokens for the money, or without prices of a GPU; for a rate with the least money an hour; null: nothing does what is asked */
  best: number | null;
  /** training: how the first plan is said in the file */
  in_the_file?: string[];
  /** serving: the command of each engine that starts a replica of the cheapest plan */
  launch?: Record<string, string>;
}

/** A number of a rule that a configuration may set. */
export interface RuleParameter {
  /** unless somebody sets it */
  value: number;
  doc: string;
}

/** What the linter looks for. */
export interface Rule {
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  name: string;
  /** the version that it came with */
  since: string;
  /** preview, stable, deprecated; all but stable ones run only when they are selected */
  status: string;
  severity: Severity;
  confidence: Confidence;
  /** what it is evaluated on: model, gemm, attention … */
  scope: string;
  /** what it finds: slower, fails, advice */
  effect: string;
  /** one line */
  summary: string;
  /** one or two sentences: why this costs time */
  mechanism: string;
  /** all of the above and more, as Markdown */
  page: string;
  sources: string[];
  /** by name */
  parameters: Record<string, RuleParameter>;
}

/** Something that can be said of a model or of how it is run; Setting sets it. */
export interface Field {
  /** `hidden_size` */
  name: string;
  /** of the native file: model, model.moe, model.mla, run, parallel */
  section: string;
  /** there: `num_experts` of `moe_num_experts` */
  key: string;
  type: FieldType;
  minimum: number;
  maximum: number;
  /** what a choice can be */
  choices?: string[];
  unit?: string;
  doc: string;
}

/** One run of one kernel. */
export interface KernelCost {
  /** of one run */
  run_us: number;
  /** the same at the roofline of the data sheet */
  ideal_us: number;
  /** what limits it */
  bound: Bound;
  /** what arithmetic would take alone; the three overlap */
  compute_us: number;
  /** what moving bytes would take alone */
  memory_us: number;
  /** what launch and ramp take */
  overhead_us: number;
  efficiency: Efficiency;
  /** of a matrix product */
  tile?: Tile;
}

/** A step, and what it is made of. */
export interface Step {
  /** its id */
  model: string;
  /** which of a file's several models: `text`, `vision` */
  part?: string;
  /** id */
  gpu: string;
  /** of the step: the five parts below together */
  step_us: number;
  /** of ten published steps of its kind one is faster */
  low_us?: number;
  /** of ten published steps of its kind one is slower */
  high_us?: number;
  compute_us: number;
  memory_us: number;
  /** that is waited for */
  communication_us: number;
  overhead_us: number;
  /** of the pipeline */
  bubble_us: number;
  /** communication behind computation; not part of step_us */
  hidden_us: number;
  /** the largest part */
  bound: Bound;
  /** arithmetic that the model needs / (time x peak) */
  mfu: number;
  /** with what is computed again */
  hfu: number;
  /** what is counted as tokens: `tokens`, or `images` of a CNN */
  produces: string;
  /** of one replica of the model */
  tokens_per_step: number;
  /** of one replica, by the GPUs that it is spread over */
  tokens_per_s_per_gpu: number;
  /** of all replicas */
  tokens_per_s_all_gpus: number;
  /** that the run takes */
  num_gpus: number;
  /** of a step */
  model_flops_per_gpu: number;
  /** with what is computed again */
  hardware_flops_per_gpu: number;
  /** of the model, all ranks together */
  parameters: number;
  memory: Memory;
  /** where they are asked for */
  operations?: Operation[];
}

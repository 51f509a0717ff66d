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
  /** of a request, to its last token */
  e2e_ms?: number;
  /** requests per second of the whole service */
  rate?: number;
  /** concurrent requests of the whole service */
  concurrency?: number;
  formats?: string[];
  /** of training: values of fields to try, `optimizer_bits=32,8` */
  over?: string[];
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
  /** exclusive */
  end: Place;
}

/** Reason for a missing result. */
export interface Problem {
  /** not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, unable, no-candidates */
  code: string;
  /** what is wrong */
  message: string;
  /** what to try */
  hint?: string;
  /** of the file */
  path?: string;
  /** in that file; absent: the whole file */
  range?: Range;
}

/** Data-sheet figures of a GPU. */
export interface Gpu {
  /** `a100-sxm4-80gb` */
  id: string;
  name: string;
  vendor: string;
  /** other names */
  aliases: string[];
  /** `ampere` */
  architecture: string;
  /** `8.0` */
  compute_capability?: string;
  /** compute units on AMD */
  sm_count: number;
  /** by dtype: fp32, tf32, fp16, bf16, fp8, int8, fp4; dense, with fp32 accumulation */
  peaks_tflops: Record<string, number>;
  /** those with tensor cores */
  tensor_core_dtypes: string[];
  /** 10^9 bytes per second */
  dram_gb_s: number;
  /** memory size */
  dram_bytes: number | null;
  /** size of the last-level cache */
  l2_bytes: number | null;
  /** per direction, within a node */
  link_gb_s: number | null;
  boost_clock_mhz: number | null;
  tdp_w: number | null;
  /** basis of predictions: calibrated, architecture, uncalibrated … */
  calibration: string;
  /** measurements behind them */
  calibration_source?: string;
}

/** A field's value and its origin. */
export interface Value {
  value: Scalar | null;
  /** unknown; stated: in the file; given: by the caller or the configuration; derived: from other fields; default: of the framework or of shapelint */
  origin: Origin;
  /** derived: the source field; default: the framework */
  note?: string;
  /** stated: the file, which may be an inherited one */
  path?: string;
  /** stated: key in the file */
  key_path?: string;
  /** stated: the value */
  range?: Range;
  /** stated: its key */
  key_range?: Range;
}

/** A part of a file that was not understood, or a decision made. */
export interface Note {
  message: string;
  /** of the file */
  path?: string;
  key_path?: string;
  range?: Range;
}

/** A model that was linted. */
export interface LintedModel {
  /** path and part: `config.json#text`; other objects refer to it */
  id: string;
  name: string;
  /** of its file */
  path: string;
  /** one of several: `text`, `vision` */
  part?: string;
  /** config format: `native`, `huggingface` … */
  dialect: string;
  /** model type in the file: `llama` */
  type?: string;
  /** enough fields are known to price it */
  complete: boolean;
  /** of the whole model */
  parameters: number | null;
  /** used in one token's forward pass */
  active_parameters: number | null;
  /** by name, if requested */
  fields?: Record<string, Value>;
  /** parts that were not understood, and decisions made */
  notes: Note[];
  /** the GPUs are defaults */
  gpus_assumed: boolean;
  /** ids of named GPUs without support for the stored dtype */
  gpus_left_out: string[];
  /** which dimensions are fixed, and why */
  shape_note?: string;
  /** findings that save less are omitted */
  min_gain: number;
}

/** The saving on one GPU: a share of the time per token, 1 - new / old. */
export interface GpuGain {
  /** id */
  gpu: string;
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** of a proposal: step time now */
  step_us?: number;
  /** with the proposal */
  new_step_us?: number;
}

/** A field set to another value. */
export interface Change {
  /** `hidden_size`; for a CNN layer the file's name: `conv[2].out_channels` */
  field: string;
  before: Scalar;
  after: Scalar;
}

/** New text for a range of a file; apply several from the last to the first. */
export interface Edit {
  /** of the file */
  path: string;
  range: Range;
  new_text: string;
}

/** One fix of a finding. */
export interface Proposal {
  /** on one line */
  summary: string;
  /** safe: the trained model is unchanged; unsafe: it changes; manual: needs more than an edit of the file */
  applicability: Applicability;
  /** what to edit */
  changes: Change[];
  /** derived values that change too */
  implied: Change[];
  /** edits of the linted file that make the changes; empty if manual */
  edits: Edit[];
  /** share of the step time, mean over the finding's GPUs */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  by_gpu: GpuGain[];
  parameters_before: number;
  parameters_after: number;
  /** per GPU */
  memory_bytes_before: number | null;
  memory_bytes_after: number | null;
  /** of one change: nearby multiples of this in its direction gain as much */
  or_multiple_of?: number;
}

/** A value that costs time or makes the job fail. */
export interface Finding {
  /** stable if lines are added above or the file is reformatted; the same in every output */
  id: string;
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  rule: string;
  severity: Severity;
  /** basis of the gain: cost model, measurements on this GPU, or arithmetic */
  confidence: Confidence;
  /** its id */
  model: string;
  /** id of the only GPU it applies to; absent: every GPU of the run */
  gpu?: string;
  /** title: the fact, with numbers */
  message: string;
  /** mechanism or consequence, in a few words */
  label?: string;
  /** the mechanism */
  why?: string;
  /** additional context, such as the source of a default */
  note?: string;
  /** the gain in words */
  cost?: string;
  /** how the file's framework makes the first proposal */
  how?: string;
  /** the blamed field */
  field?: string;
  /** of the file that states it */
  path: string;
  /** key in the file: `model.hidden_size` */
  key_path?: string;
  /** the value; absent if no file states it */
  range?: Range;
  /** where the value is used, if it is written elsewhere */
  use_range?: Range;
  /** the job fails at startup */
  certain_to_fail: boolean;
  /** share of the step time that the best proposal saves */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  by_gpu: GpuGain[];
  /** best first */
  proposals: Proposal[];
  /** names of the slow operations */
  operations: string[];
  /** other fields involved */
  related: string[];
  /** defaults that the finding depends on */
  assumed: string[];
  /** of the rule's page */
  url?: string;
}

/** Memory per GPU by use, in bytes. */
export interface MemoryParts {
  weights?: number;
  gradients?: number;
  /** states and FP32 copy of the weights */
  optimizer?: number;
  /** at the peak of the step */
  activations?: number;
  /** KV cache and recurrent states of the step's sequences */
  kv_cache?: number;
}

/** Estimated memory per GPU. */
export interface Memory {
  /** sum of the parts; null if the dtype of the weights is unknown */
  total_bytes: number | null;
  /** GPU memory available to tensors */
  usable_bytes: number | null;
  /** GPU memory */
  capacity_bytes: number | null;
  /** total_bytes <= usable_bytes */
  fits: boolean | null;
  parts: MemoryParts;
  /** host memory per GPU */
  host_bytes?: number;
}

/** A dimension of an operation. */
export interface OperationSize {
  value: number;
  /** the fields it is computed from: `3 * hidden_size / tensor` */
  expression?: string;
}

/** Shares in (0, 1] whose product is ideal_us / run_us; 1: no loss. */
export interface Efficiency {
  /** dimensions that are misaligned for tensor cores or vector loads */
  alignment: number;
  /** tile quantization: partial tiles are computed in full */
  tile: number;
  /** wave quantization: SMs idle in the last wave */
  wave: number;
  /** launch, ramp, and throughput below the data sheet */
  rest: number;
}

/** Tiling of a GEMM over SMs. */
export interface Tile {
  m: number;
  n: number;
  /** split-K factor: CTAs per output tile */
  split_k: number;
  /** tiles / concurrent tiles */
  waves: number;
}

/** A kernel or a collective of a step, with the cost of one run and of all. */
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
  /** runs per step */
  runs: number;
  /** gemm: batch, m, n, k of C[m,n] = A[m,k] B[k,n]; attention: sequences, heads, key_value_heads, query_length, key_length, head_dim, value_head_dim; scan: sequences, length, key_heads, value_heads, key_dim, value_dim, chunk */
  sizes?: Record<string, OperationSize>;
  /** of a gemm; tn: y = x W^T; nn: its input gradient; nt: its weight gradient */
  layout?: string;
  /** each token attends to those before it only */
  causal?: boolean;
  /** sliding window: most keys of a query */
  window?: number;
  /** elementwise: bytes moved; collective: size of the full buffer */
  bytes?: number;
  /** all-reduce, all-gather, reduce-scatter, all-to-all, send */
  collective?: string;
  /** ranks of a collective */
  ranks?: number;
  /** a collective that is overlapped with computation */
  overlapped?: boolean;
  /** one run */
  run_us: number;
  /** one run at the roofline of the data sheet */
  ideal_us: number;
  /** limiting resource */
  bound: Bound;
  /** compute time alone; the three overlap */
  compute_us: number;
  /** memory time alone */
  memory_us: number;
  /** launch and ramp time */
  overhead_us: number;
  efficiency: Efficiency;
  /** GEMM only */
  tile?: Tile;
  /** all runs */
  total_us: number;
  /** total_us / step_us; overlapped communication has one too, so shares may add up to more than 1 */
  share: number;
  /** attention: head_dim of the kernel, padding included; absent if no kernel supports it */
  kernel_head_dim?: number;
}

/** A step with all compatible proposals. */
export interface After {
  /** step time */
  step_us: number;
  mfu: number;
  /** share of the time per token that all of them save */
  gain: number;
  /** empty: there is nothing to apply */
  applied: Change[];
  /** proposals that conflict with them */
  left_out: Change[];
  left_out_because?: string;
}

/** KV cache capacity of a serving engine on one GPU. */
export interface Capacity {
  /** memory available to the engine */
  budget_bytes: number | null;
  /** activations of the longest step, CUDA context, kernels, NCCL buffers */
  runtime_bytes: number;
  /** available to the KV cache */
  kv_cache_bytes: number | null;
  /** KV cache capacity, in sequences of the longest length */
  kv_cache_tokens: number | null;
  /** maximum tokens per request */
  longest_sequence: number | null;
  /** of that length */
  concurrent_requests: number | null;
  /** longest sequence that fits, in tokens */
  largest_sequence: number | null;
  /** GPU memory and dtype of the weights are known */
  weights_known: boolean;
  /** whether the engine starts */
  starts: boolean | null;
}

/** A step as in the file, and with all compatible proposals. */
export interface LintedStep {
  /** its id */
  model: string;
  /** one of a file's several models: `text`, `vision` */
  part?: string;
  /** id */
  gpu: string;
  /** step time: sum of the five parts below */
  step_us: number;
  /** 10 % quantile of published steps of its kind */
  low_us?: number;
  /** 90 % quantile of published steps of its kind */
  high_us?: number;
  compute_us: number;
  memory_us: number;
  /** exposed communication */
  communication_us: number;
  overhead_us: number;
  /** pipeline bubble */
  bubble_us: number;
  /** overlapped communication; not part of step_us */
  hidden_us: number;
  /** largest part of the step */
  bound: Bound;
  /** model FLOPs / (time x peak) */
  mfu: number;
  /** the same with activation recomputation and padding */
  hfu: number;
  /** unit of the token counts: `tokens`, or `images` of a CNN */
  produces: string;
  /** per model replica */
  tokens_per_step: number;
  /** of one replica, per GPU of the replica */
  tokens_per_s_per_gpu: number;
  /** all replicas */
  tokens_per_s_all_gpus: number;
  /** GPUs of the run */
  num_gpus: number;
  /** per step */
  model_flops_per_gpu: number;
  /** with activation recomputation and padding */
  hardware_flops_per_gpu: number;
  /** of the whole model */
  parameters: number;
  memory: Memory;
  /** if requested */
  operations?: Operation[];
  after: After;
  /** of a served model */
  capacity?: Capacity;
  /** the step does not fit: its times are hypothetical */
  out_of_memory?: boolean;
}

/** One model of a step of several. */
export interface WholePart {
  part: string;
  /** runs per step of the whole */
  runs: number;
  num_gpus: number;
}

/** Time of the whole on one GPU. */
export interface WholeTime {
  /** id */
  gpu: string;
  /** all parts, as in the file */
  step_us: number;
  /** share of each part */
  shares: number[];
}

/** Models of one file that run as one step, or launch configs that form one iteration. */
export interface Whole {
  /** of the file */
  path: string;
  parts: WholePart[];
  /** of models in memory at the same time */
  memory_bytes: number | null;
  by_gpu: WholeTime[];
}

/** Numbers of findings and files, shown and not. */
export interface Counts {
  /** findings of this severity */
  error: number;
  warning: number;
  info: number;
  /** below the severity or the saving that is shown */
  hidden: number;
  /** by a comment or the configuration */
  suppressed: number;
  /** in the baseline, or in the `base` of a source */
  baselined: number;
  /** files of a folder with too few known fields */
  not_whole: number;
  /** files of a folder that are not model configurations */
  not_recognised: number;
}

/** Findings in files. */
export interface LintResult {
  /** every GPU of the run */
  gpus: Gpu[];
  /** by path */
  models: LintedModel[];
  /** by path, then model; certain failures first, then by gain */
  findings: Finding[];
  /** for each model, by GPU */
  steps: LintedStep[];
  together: Whole[];
  counts: Counts;
  /** a finding reaches its file's fail level (default: warning) */
  fails: boolean;
  /** skipped files and GPUs, and parts that were not understood */
  notes: string[];
  /** about one file: the others are linted; about a configuration or an option: nothing is linted */
  problems: Problem[];
}

/** One model of a file, as read. */
export interface Model {
  /** path and part: `config.json#text`; other objects refer to it */
  id: string;
  name: string;
  /** of its file */
  path: string;
  /** one of several: `text`, `vision` */
  part?: string;
  /** config format: `native`, `huggingface` … */
  dialect: string;
  /** model type in the file: `llama` */
  type?: string;
  /** enough fields are known to price it */
  complete: boolean;
  /** of the whole model */
  parameters: number | null;
  /** used in one token's forward pass */
  active_parameters: number | null;
  /** by name, if requested */
  fields?: Record<string, Value>;
  /** parts that were not understood, and decisions made */
  notes: Note[];
}

/** A file, as read. */
export interface ReadResult {
  /** the config format is known; the file may still hold no model */
  recognised: boolean;
  models: Model[];
  /** why it is not understood, or which parts are not */
  notes: Note[];
  /** if there are any, the rest is unreliable */
  problems: Problem[];
}

/** The file's own shape on one GPU. */
export interface StartOnGpu {
  /** id */
  gpu: string;
  step_us: number;
  mfu: number;
  tokens_per_s_per_gpu: number;
  /** per 10^6 tokens, if a price is known */
  dollars_per_m_tokens?: number;
  /** per GPU */
  memory_bytes: number;
  /** GPU memory */
  capacity_bytes: number | null;
}

/** The file's own shape. */
export interface SuggestStart {
  parameters: number;
  by_gpu: StartOnGpu[];
}

/** A change made alone. */
export interface AloneChange {
  /** `hidden_size`; for a CNN layer the file's name: `conv[2].out_channels` */
  field: string;
  before: Scalar;
  after: Scalar;
  /** some changes work only together */
  possible: boolean;
  /** if possible */
  gain?: number;
}

/** Time saved by one effect in one operation: a share of the start's step. Negative: lost. */
export interface Cause {
  /** its name */
  operation: string;
  /** `alignment`, `tile`, `wave` …, or `work` */
  effect: string;
  /** the same in words */
  description: string;
  share: number;
  /** changed sizes: `n 50257 → 50304` */
  sizes: string;
}

/** A suggestion on one GPU. */
export interface SuggestionOnGpu {
  /** id */
  gpu: string;
  /** of the objective: 1 - new / old cost */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** mostly backed by measurements on this GPU */
  measured: boolean;
  step_us: number;
  mfu: number;
  tokens_per_s_per_gpu: number;
  /** per 10^6 tokens, if a price is known */
  dollars_per_m_tokens?: number;
  /** per GPU */
  memory_bytes: number;
  /** GPU memory */
  capacity_bytes: number | null;
  /** largest first */
  causes: Cause[];
  /** sum of the rest */
  other: number;
}

/** A better shape. */
export interface Suggestion {
  /** of the objective, combined over GPUs by `basket` */
  gain: number;
  /** half width of its interval */
  gain_error: number | null;
  /** of several GPUs: 1 is the best of each */
  of_best?: number;
  parameters: number;
  changes: Change[];
  /** derived values that change too */
  implied: Change[];
  /** each change made alone */
  alone: AloneChange[];
  by_gpu: SuggestionOnGpu[];
}

/** A point of the Pareto front of parameters and speed. */
export interface FrontPoint {
  parameters: number;
  /** relative to the start */
  speed: number;
  changes: Change[];
  /** derived values that change too */
  implied: Change[];
}

/** A condition, and the share of the combinations that break it. */
export interface Exclusion {
  condition: string;
  share: number;
}

/** Better shapes near the file's. */
export interface SuggestResult {
  /** its name */
  model: string;
  /** of its file */
  path: string;
  /** tokens, mfu, step, prefill, decode or cost */
  objective: string;
  /** of several GPUs: worst or mean */
  basket: string;
  /** codes of the rules that the start violates */
  broken_rules: string[];
  /** numbers of heads are multiples of this or divide it */
  head_multiple: number;
  /** which dimensions are fixed, and why */
  shape_note?: string;
  /** effect of the stack */
  stack_note?: string;
  /** shapes omitted because their gain is within its error */
  doubtful: number;
  /** ids */
  gpus: string[];
  start: SuggestStart;
  /** best first; empty: nothing better was found */
  suggestions: Suggestion[];
  front: FrontPoint[];
  /** how much faster the fastest shape with as many parameters is */
  behind_front: number;
  /** combinations in the search space */
  candidates: number;
  /** of a stopped search: combinations predicted one by one */
  priced?: number;
  /** share that violates a condition */
  excluded?: number;
  exclusions?: Exclusion[];
  /** false: stopped early */
  complete: boolean;
  /** bound on how much better than the first suggestion any other is; null: unknown */
  gap: number | null;
}

/** Outcome of the enumerated plans. */
export interface SearchCounts {
  all: number;
  too_large: number;
  /** rejected by a rule of every framework */
  by_rules: number;
  /** rejected by the stack's packages */
  refused: number;
  /** training: more recomputation or pipeline bubble than an otherwise equal plan that fits */
  needless: number;
  /** not predicted: none can be faster than those listed */
  bounded: number;
  priced: number;
}

/** TP, PP, CP, DP, EP and expert TP; the first four multiply to num_gpus. */
export interface Parallel {
  tensor: number;
  pipeline: number;
  context: number;
  data: number;
  expert: number;
  expert_tensor: number;
}

/** A parallelism layout and batch for training. */
export interface TrainingPlan {
  parallel: Parallel;
  /** dtype of the GEMMs, with its scaling recipe */
  dtype: string;
  /** values of --over, by field */
  over?: Record<string, string>;
  sequence_parallel: boolean;
  /** virtual pipeline stages (VPP) per stage */
  virtual_pipeline: number;
  /** order of forward and backward passes on a stage */
  pipeline_schedule: string;
  /** whether embedding and head count as a layer each */
  embedding_stages: number;
  /** layers of every stage but the last, which has the rest; 0: balanced */
  stage_layers: number;
  /** what overlaps the expert all-to-all */
  overlap: string;
  /** ZeRO stage: what data-parallel ranks shard */
  zero: number;
  /** sequences per micro-batch on one rank */
  micro_batch_size: number;
  gradient_accumulation: number;
  recompute: string;
  /** modules recomputed in every layer */
  recompute_parts?: string[];
  /** percent of the optimizer states */
  offload_optimizer: number;
  step_us: number;
  /** 10 % quantile of published steps of its kind */
  low_us: number;
  /** 90 % quantile of published steps of its kind */
  high_us: number;
  mfu: number;
  tokens_per_s_all_gpus: number;
  tokens_per_s_per_gpu: number;
  /** pipeline bubble, part of step_us */
  bubble_us: number;
  /** exposed communication, part of step_us */
  exposed_communication_us: number;
  memory: Memory;
  /** for --tokens */
  run_hours?: number;
  /** with --price */
  run_cost?: number;
}

/** The best plan without one choice of the first plan. */
export interface WithoutChoice {
  field: string;
  /** the choice */
  value: string;
  /** null: no plan fits */
  plan: TrainingPlan | null;
}

/** A parallelism layout and batch for serving. */
export interface ServingPlan {
  parallel: Parallel;
  /** with its recipe: `fp8:block128` */
  dtype: string;
  /** all replicas */
  num_gpus: number;
  num_gpus_per_replica: number;
  replicas: number;
  /** all replicas */
  concurrent_requests: number;
  /** per data-parallel rank of a replica */
  concurrent_requests_per_rank: number;
  /** chunked prefill: prompt tokens per step; null: whole prompts between decode steps */
  prefill_chunk_tokens: number | null;
  /** whole prompts read at once between decode steps */
  prompts_per_pass?: number;
  /** drafted per decode step by the model's MTP layer, or as the file states */
  speculative_tokens?: number;
  /** that a request gains, by the stated acceptance */
  tokens_per_decode_step: number;
  /** time to first token */
  ttft_us: number;
  /** mean time per output token after the first, prefills of other requests included; null: one output token */
  tpot_us: number | null;
  /** longest time between two tokens of a request: a decode step with one pass of prompts, or with one chunk */
  longest_gap_us: number;
  /** request latency: arrival to last token */
  request_us: number;
  /** maximum request rate of all GPUs */
  requests_per_s: number;
  /** request rate / requests_per_s; 1 without --rate */
  load: number;
  output_tokens_per_s_all_gpus: number;
  input_tokens_per_s_all_gpus: number;
  output_tokens_per_s_per_gpu: number;
  output_tokens_per_s_per_user: number;
  /** per GPU */
  memory_bytes: number;
  /** GPU memory available to tensors */
  usable_bytes: number | null;
  /** KV cache capacity of a data-parallel rank */
  kv_cache_tokens_per_rank: number;
  /** KV cache capacity in requests of input and output tokens */
  kv_cache_requests_per_rank: number;
  /** longest request that fits in the KV cache, in tokens */
  largest_context: number;
  /** limiting resource of a decode step */
  bound: string;
  /** what limits the number of concurrent requests */
  binds: string;
  /** with --price */
  cost_per_million_input_tokens?: number;
  /** with --price */
  cost_per_million_output_tokens?: number;
}

/** The plans of one GPU and GPU count. */
export interface PlanCount {
  /** id */
  gpu: string;
  num_gpus: number;
  /** as given */
  price_per_gpu_hour?: number;
  /** no enumerated plan is predicted to be better */
  proved_best: boolean;
  enumerated: SearchCounts;
  /** training: least memory per GPU of any plan */
  least_memory_bytes?: number;
  /** training: rules that some of the plans violate */
  violated_rules?: string[];
  /** training: fastest first */
  plans?: TrainingPlan[];
  /** training, for the GPU count printed in full: the best plan without each choice of the first plan */
  without?: WithoutChoice[];
  /** training: the launch config in the file */
  as_the_file_says?: TrainingPlan;
  /** serving; absent: no plan meets the targets */
  cheapest?: ServingPlan;
  /** serving */
  fastest?: ServingPlan;
  /** serving */
  fewest_gpus?: ServingPlan;
  /** serving: Pareto front of speed and cost */
  front?: ServingPlan[];
  /** serving, if no plan meets the targets: of any plan */
  least_ttft_us?: number;
  /** the same */
  least_tpot_us?: number;
  /** the same */
  least_request_us?: number;
  /** serving, if no plan takes the rate: the most that one takes within the other targets */
  most_requests_per_s?: number;
}

/** The best plans. */
export interface PlanResult {
  /** training or serving */
  kind: string;
  /** its name */
  model: string;
  /** training: global batch size */
  sequences_per_step?: number;
  /** training */
  sequence_length?: number;
  /** serving: per request */
  input_tokens?: number;
  /** serving */
  output_tokens?: number;
  /** training: tokens of the whole run, as requested */
  training_tokens?: number;
  /** training: factor applied to predicted times, from the measured step of the file's launch config */
  measured_scale?: number;
  /** serving: request rate, as requested */
  requests_per_s?: number;
  /** one for each GPU and GPU count */
  counts: PlanCount[];
  /** index into `counts` of the best tokens per money, or per GPU without prices; with a rate, the least cost per hour; null: no plan meets the targets */
  best: number | null;
  /** training: the first plan in the file's format */
  in_the_file?: string[];
  /** serving: each engine's command that starts a replica of the cheapest plan */
  launch?: Record<string, string>;
  /** what was not searched, and what would be needed for it */
  notes?: string[];
}

/** A number of a rule that a configuration may set. */
export interface RuleParameter {
  /** default */
  value: number;
  doc: string;
}

/** A rule of the linter. */
export interface Rule {
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  name: string;
  /** first version */
  since: string;
  /** preview, stable, deprecated; all but stable ones run only if selected */
  status: string;
  severity: Severity;
  confidence: Confidence;
  /** unit of evaluation: model, gemm, attention … */
  scope: string;
  /** slower, fails, advice */
  effect: string;
  /** one line */
  summary: string;
  /** why it is slow or fails, in one or two sentences */
  mechanism: string;
  /** the whole page, as Markdown */
  page: string;
  sources: string[];
  /** by name */
  parameters: Record<string, RuleParameter>;
}

/** A property of a model or of its launch config; Setting sets it. */
export interface Field {
  /** `hidden_size` */
  name: string;
  /** table of the native file: model, model.moe, model.mla, run, parallel */
  section: string;
  /** key in that table: `num_experts` of `moe_num_experts` */
  key: string;
  type: FieldType;
  minimum: number;
  maximum: number;
  /** allowed values of a choice */
  choices?: string[];
  unit?: string;
  doc: string;
}

/** One run of one kernel. */
export interface KernelCost {
  /** one run */
  run_us: number;
  /** one run at the roofline of the data sheet */
  ideal_us: number;
  /** limiting resource */
  bound: Bound;
  /** compute time alone; the three overlap */
  compute_us: number;
  /** memory time alone */
  memory_us: number;
  /** launch and ramp time */
  overhead_us: number;
  efficiency: Efficiency;
  /** GEMM only */
  tile?: Tile;
}

/** A step and its operations. */
export interface Step {
  /** its id */
  model: string;
  /** one of a file's several models: `text`, `vision` */
  part?: string;
  /** id */
  gpu: string;
  /** step time: sum of the five parts below */
  step_us: number;
  /** 10 % quantile of published steps of its kind */
  low_us?: number;
  /** 90 % quantile of published steps of its kind */
  high_us?: number;
  compute_us: number;
  memory_us: number;
  /** exposed communication */
  communication_us: number;
  overhead_us: number;
  /** pipeline bubble */
  bubble_us: number;
  /** overlapped communication; not part of step_us */
  hidden_us: number;
  /** largest part of the step */
  bound: Bound;
  /** model FLOPs / (time x peak) */
  mfu: number;
  /** the same with activation recomputation and padding */
  hfu: number;
  /** unit of the token counts: `tokens`, or `images` of a CNN */
  produces: string;
  /** per model replica */
  tokens_per_step: number;
  /** of one replica, per GPU of the replica */
  tokens_per_s_per_gpu: number;
  /** all replicas */
  tokens_per_s_all_gpus: number;
  /** GPUs of the run */
  num_gpus: number;
  /** per step */
  model_flops_per_gpu: number;
  /** with activation recomputation and padding */
  hardware_flops_per_gpu: number;
  /** of the whole model */
  parameters: number;
  memory: Memory;
  /** if requested */
  operations?: Operation[];
}

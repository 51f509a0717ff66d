// What index.mjs gives. Structs, their members and units are those of the C++ library (include/shapelint): gains and shares are
// fractions, times are in microseconds, lines and columns count from 1.

export type Severity = "info" | "warning" | "error";
export type Confidence = "estimated" | "measured" | "certain";
export type Bound = "compute" | "memory" | "communication" | "overhead";
export type Origin = "unknown" | "stated" | "given" | "derived" | "defaulted";
export type FieldType = "integer" | "boolean" | "choice";
export type Shape = "free" | "padding" | "fixed";

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

/** What the caller or the file got wrong, as many errors as were found. */
export class ShapelintError extends Error {
  errors: ErrorAt[];
}

export interface Shapelint {
  readonly version: string;
  /** Findings of one or several files. Errors of files are in the result. */
  lint(sources: Given | Given[], options?: LintOptions): LintResult;
  /** What is understood of a file. */
  read(source: Given, options?: ReadOptions): ReadResult;
  /** What a step costs, for each model of the file and each GPU. */
  step(source: Given, options?: StepOptions): Step[];
  /** Better shapes near the file's. */
  suggest(source: Given, options?: SuggestOptions): SuggestResult;
  /** One GEMM. */
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

export interface Place {
  /** from 1 */
  line: number;
  /** from 1, in Unicode code points */
  column: number;
}
export interface Range {
  begin_byte: number;
  end_byte: number;
  begin: Place;
  end: Place;
}
export interface ErrorAt {
  /** what kind it is: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, unable, no-candidates */
  code: string;
  message: string;
  /** may be empty */
  hint: string;
  /** of the file that it is about; empty: of none */
  path: string;
  /** in that file; absent: the file as a whole */
  range: Range | null;
}
export interface GpuGain {
  /** id */
  gpu: string;
  gain: number;
  /** half width of its interval; 0: not known */
  error: number;
}
export interface Change {
  /** `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels` */
  field: string;
  /** as a native file states it */
  from: string;
  to: string;
  from_number: number;
  to_number: number;
}
export interface Edit {
  range: Range;
  text: string;
}
export interface Proposal {
  /** all of it in words, on one line */
  summary: string;
  changes: Change[];
  /** what follows without being edited */
  implied: Change[];
  /** the mean over the finding's GPUs */
  gain: number;
  gain_error: number;
  gains: GpuGain[];
  parameters_before: number;
  parameters_after: number;
  /** that the run needs on one GPU, as suggest() counts it; 0: not known */
  memory_before_gb: number;
  memory_after_gb: number;
  /** that make the changes in the linted file; empty where it alone cannot take them */
  edits: Edit[];
}
export interface Finding {
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  rule: string;
  severity: Severity;
  confidence: Confidence;
  /** its place in LintResult::models */
  model: number;
  /** id of the only GPU that it holds for; empty: all of the run */
  gpu: string;
  /** what is wrong, with numbers */
  message: string;
  /** the mechanism */
  why: string;
  /** what else to know: whose default a value is */
  note: string;
  /** the gain in words; empty where none is known */
  cost: string;
  /** how the file's framework does what is proposed first; may be empty */
  how: string;
  /** that is blamed; may be empty */
  field: string;
  /** of the file that states it */
  path: string;
  /** the value; absent when no file states it */
  range: Range | null;
  /** where it is used, when it is written elsewhere */
  use_range: Range | null;
  key_path: string;
  /** the run cannot start */
  certain_to_fail: boolean;
  /** share of the step that the best proposal saves */
  gain: number;
  /** half width of its interval; 0: not known */
  gain_error: number;
  gains: GpuGain[];
  /** best first */
  proposals: Proposal[];
  /** that lose time */
  operations: string[];
  /** of the rule's page, where the configuration says where those are */
  url: string;
}
export interface Improvement {
  /** its place in LintResult::models */
  model: number;
  before: Step;
  after_us: number;
  /** of all together */
  gain: number;
  /** empty: nothing to apply */
  applied: Change[];
}
export interface LintResult {
  /** by path, then model; of each, certain failures first, then by gain */
  findings: Finding[];
  models: Model[];
  /** for each model, by GPU */
  steps: Improvement[];
  /** all that were looked at */
  gpus: Gpu[];
  /** findings that a comment or the configuration leaves out */
  suppressed: number;
  /** findings that the baseline knows, or that a source's `base` had */
  known: number;
  /** some finding is as severe as its file's fail_severity, a warning unless somebody says otherwise */
  fails: boolean;
  /** why files and GPUs are passed over, what was not understood */
  notes: string[];
  /** Of a file: the others are linted all the same. Of a configuration or of the options: nothing is. */
  errors: ErrorAt[];
}
export interface Value {
  field: string;
  /** as a native file states it: `4096`, `true`, `bf16`; empty when unknown */
  text: string;
  /** 0 or 1 of a boolean, the index of a choice */
  number: number;
  origin: Origin;
  /** derived: from what; defaulted: whose default */
  note: string;
  /** stated: in this file, which may be another one (inheritance) */
  path: string;
  /** stated: as the file calls it */
  key_path: string;
  /** stated: the value */
  range: Range | null;
  /** stated: its key */
  key_range: Range | null;
}
export interface Note {
  message: string;
  path: string;
  key_path: string;
  range: Range | null;
}
export interface Model {
  name: string;
  path: string;
  /** `native`, `huggingface` … */
  dialect: string;
  /** as the file calls it: `llama` */
  type: string;
  /** which of several: `text`, `vision` */
  part: string;
  /** enough is known to cost it */
  complete: boolean;
  /** one for each of fields(), in its order */
  values: Value[];
  /** of all ranks; 0 unless complete */
  parameters: number;
  /** that take part in one token's forward pass */
  active_parameters: number;
  /** what was not understood, or had to be decided */
  notes: Note[];
}
export interface ReadResult {
  /** a configuration of a known dialect; it may still hold no model */
  recognised: boolean;
  models: Model[];
  /** why it is not understood, or what in it was not */
  notes: Note[];
  /** whatever else is in here is then not to be relied on */
  errors: ErrorAt[];
}
export interface OperationDim {
  value: number;
  expression: string;
}
export interface Operation {
  /** `layer.mlp.up` */
  name: string;
  /** gemm, attention, elementwise, collective */
  kind: string;
  /** forward, recompute, grad_input, grad_weight, backward, update */
  pass: string;
  dtype: string;
  /** how often it runs in the step */
  count: number;
  /** of one run */
  cost: KernelCost;
  /** of all runs */
  total_us: number;
  /** total_us of the step's time. Communication behind computation has one, too, so that shares may add up to more than 1. */
  share: number;
  /** a collective that hides behind computation */
  overlapped: boolean;
  /** gemm: C[m,n] = A[m,k] B[k,n], `batch` times */
  batch?: OperationDim;
  m?: OperationDim;
  n?: OperationDim;
  k?: OperationDim;
  /** tn: y = x W^T; nn: its input gradient; nt: its weight gradient */
  layout?: string;
  /** attention */
  sequences?: OperationDim;
  heads?: OperationDim;
  key_value_heads?: OperationDim;
  query_length?: OperationDim;
  key_length?: OperationDim;
  head_dim?: OperationDim;
  /** attention: that the kernel computes, zeros included; 0 where none takes it */
  kernel_head_dim?: number;
  /** elementwise: moved; collective: the whole buffer */
  bytes?: number;
  /** collective */
  ranks?: number;
}
export interface Step {
  model: string;
  part: string;
  /** id */
  gpu: string;
  /** the five parts below together */
  time_us: number;
  compute_us: number;
  memory_us: number;
  /** that is waited for */
  communication_us: number;
  overhead_us: number;
  /** of the pipeline */
  bubble_us: number;
  /** communication behind computation; not part of time_us */
  hidden_us: number;
  /** the largest part */
  bound: Bound;
  /** arithmetic that the model needs / (time x peak) */
  mfu: number;
  /** with what is computed again */
  hfu: number;
  /** images of a CNN; of one replica of the model */
  tokens_per_step: number;
  tokens_per_s: number;
  /** of one GPU */
  model_flops: number;
  parameters: number;
  /** that one GPU needs, an estimate */
  memory_bytes: number;
  /** 0: not known */
  memory_capacity_bytes: number;
  operations: Operation[];
}
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
export interface KernelCost {
  time_us: number;
  /** the roofline of the data sheet */
  ideal_us: number;
  bound: Bound;
  /** what each would take alone; they overlap */
  compute_us: number;
  memory_us: number;
  overhead_us: number;
  efficiency: Efficiency;
  /** of a GEMM; 0 elsewhere */
  tile_m: number;
  tile_n: number;
  split_k: number;
  waves: number;
}
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
export interface PeakRate {
  /** fp32, tf32, fp16, bf16, fp8, int8, fp4 */
  dtype: string;
  tflops: number;
  tensor_cores: boolean;
}
export interface Gpu {
  /** `a100-sxm4-80gb` */
  id: string;
  name: string;
  vendor: string;
  aliases: string[];
  /** `ampere` */
  architecture: string;
  /** `8.0` */
  compute_capability: string;
  /** compute units on AMD */
  sm_count: number;
  peaks: PeakRate[];
  dram_bandwidth_gb_s: number;
  dram_gb: number;
  /** MiB are 2^20 bytes */
  l2_mib: number;
  /** per direction, within a node */
  link_gb_s: number;
  boost_clock_mhz: number;
  tdp_w: number;
  /** how well predictions are backed: calibrated, architecture, uncalibrated … */
  calibration: string;
  calibration_source: string;
}
export interface RuleParameter {
  name: string;
  value: number;
  doc: string;
}
export interface Rule {
  /** `SL101` */
  code: string;
  /** `vocab-misaligned` */
  name: string;
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
  parameters: RuleParameter[];
}
export interface Field {
  /** `hidden_size` */
  name: string;
  /** of the native file: model, model.moe, model.mla, run, parallel */
  section: string;
  type: FieldType;
  minimum: number;
  maximum: number;
  /** FieldType::choice */
  choices: string[];
  /** may be empty */
  unit: string;
  doc: string;
}
export interface Performance {
  /** of the step */
  time_us: number;
  mfu: number;
  /** of one GPU */
  tokens_per_s: number;
  /** where a price is known */
  dollars_per_m_tokens: number;
  /** that it needs */
  memory_gb: number;
  /** of the GPU; 0: not known */
  capacity_gb: number;
}
export interface Cause {
  operation: string;
  /** `alignment`, `tile`, `wave` …, or `work` */
  effect: string;
  /** the same for people */
  description: string;
  share: number;
  /** what changed: `n 50257 → 50304` */
  sizes: string;
}
export interface SuggestionOnGpu {
  /** id */
  gpu: string;
  performance: Performance;
  /** of the objective: 1 - new / old cost */
  gain: number;
  gain_error: number;
  /** measurements on this GPU back most of it */
  measured: boolean;
  /** largest first */
  causes: Cause[];
  /** what the rest adds up to */
  other: number;
}
export interface AloneChange {
  change: Change;
  /** some only are together */
  possible: boolean;
  gain: number;
}
export interface Suggestion {
  changes: Change[];
  implied: Change[];
  parameters: number;
  /** of the objective, as the basket says */
  gain: number;
  gain_error: number;
  /** several GPUs: 1 is each one's own best */
  of_best: number;
  gpus: SuggestionOnGpu[];
  alone: AloneChange[];
}
export interface FrontPoint {
  changes: Change[];
  implied: Change[];
  parameters: number;
  /** relative to the start */
  speed: number;
}
export interface Exclusion {
  condition: string;
  share: number;
}
export interface SuggestResult {
  model: string;
  path: string;
  /** what of the model is taken as fixed, and why; empty: nothing */
  shape_note: string;
  /** ids */
  gpus: string[];
  /** by GPU */
  start: Performance[];
  start_parameters: number;
  /** best first; none: nothing better was found */
  suggestions: Suggestion[];
  front: FrontPoint[];
  /** how much faster the fastest shape with as many parameters is */
  behind_front: number;
  /** combinations of the space */
  candidates: number;
  /** that were looked at one by one */
  priced: number;
  /** share that breaks a condition; known only when nothing was found */
  excluded: number;
  exclusions: Exclusion[];
  /** false: stopped early, and */
  complete: boolean;
  /** nothing is better than the first suggestion by more; infinite: nobody knows */
  gap: number | null;
}

// The data of a page, as in schemas/output/explore.schema.json. Numbers are in base units (byte, flop, s); the page
// computes only shares of them.

export type Value = number | string | boolean | null | Value[];
export type Row = {[column: string]: Value | Row[]};

/** A report as written by `--format json`; metrics are further keys. */
export interface Report {
  model: string;
  execution: string | null;
  stack?: string;
  system: string | null;
  accounting: string;
  units: {[metricOrTableColumn: string]: string};  // Unit of a metric or column, such as `iteration` or `stages.memory`.
  metrics?: {[id: string]: string};  // Name of a metric in the accounting.
  labels?: {[id: string]: string};  // Label for people.
  tables: {[name: string]: Row[]};
  totals?: {[table: string]: Row};
  notes?: {[table: string]: string[]};
  left_out?: {[tableOrColumn: string]: number};
  violations: {reason: string; message: string}[];
  [metric: string]: unknown;
}

/** A heading and the ids of its metrics. */
export interface Section {
  title: string;
  metrics: string[];
  labels: string[];  // Label of each metric in this report.
}

/** A drawing of a view, as declared by the accounting in `views`. */
export interface Drawing {
  draw: 'numbers' | 'table' | 'nodes' | 'stacks' | 'lines' | 'roofline' | 'beside' | 'waterfall' | 'fill' | 'hints';
  report?: string;  // Report with every section, for `numbers`.
  table?: string;  // Table, for kinds that draw a table.
  by?: string;  // Column with the subject of a row: a node, a stage, a time or a pass.
  columns?: string[];  // Columns for colors (`nodes`), parts (`stacks`) or lines (`lines`, `beside`; default: every column).
  limit?: string;  // Id of a metric drawn as a line, for `stacks`, `lines` and `fill`.
  title?: string;  // Heading, for `waterfall` and `fill`.
  total?: string;  // Id of the metric to which `parts` add up.
  parts?: {group: string; metrics: string[]}[];
  series?: {[name: string]: [string, string, string]};  // Columns of intensity, rate and size by phase, for `roofline`.
  ceilings?: {table: string; by: string; columns: string[]};  // Rates; each row and column is a ceiling.
  slopes?: {table: string; by: string; columns: string[]};  // Bandwidths; each row and column is a slope.
}

export interface View {
  name: string;  // Name in the address and on the tab.
  drawings: Drawing[];
}

export interface Placement {
  sharded: {[dimension: string]: string[]};
  partial?: string[];
}

export interface GraphNode {
  name: string;
  op: string;
  segment: string;
  component: string;
  tags: string[];
  inputs: {port?: string; tensor: string; dims: string[]}[];
  outputs: string[];
  weights: string[];
  attributes: {[name: string]: string[]};
  sharded?: {[dimension: string]: string[]};
  recomputed?: boolean;
  marks?: {[name: string]: {value: string; rule: string | null}};
}

export interface Transfer {
  phase: string;
  cadence: string;
  collective: string;
  axes: string[];
  what: string;
  segment: string;
  dims: string[];
  message: Placement;
  reader: string | null;
  between_stages: boolean;
  rule: string | null;
}

/** A graph as written by `graph --format json`; elements refer to each other by name. */
export interface Graph {
  dimensions: {[name: string]: Value};
  axes?: string[];
  segments: {name: string; block: string | null; layers: Value; rounds?: Value; inputs: string[]; output: string; sources?: (string | null)[]}[];
  nodes: GraphNode[];
  tensors: {name: string; dims: string[]; producer: string | null; data: boolean; gradient: boolean}[];
  weights: {name: string; dims: string[]; uses: string[]}[];
  transfers?: Transfer[];
  saved?: {tensor: string; placement: Placement; recomputed: boolean; once: boolean; readers: string[]; rule: string | null}[];
  rules?: {[rule: string]: string};  // File position of each rule.
}

/** A formula and its position. */
export interface Definition {
  name: string;
  unit?: string;
  doc?: string;
  source?: string;  // Source of the formula, such as a paper.
  formula: string;  // Formula; empty for a value from a document.
  file?: string;
  line?: number;
  column?: number;
  text?: string;  // Source line, unless it only repeats the formula.
}

interface Shown {
  value: Value;
  unit?: string;
  shown?: string;  // Text for people, if it differs from the formatted value.
}

/** A name at a point, explained one level deep: its operands are further entries of the list. */
export interface ExplainedName extends Shown {
  kind: 'name' | 'call' | 'terms' | 'term';
  name: string;
  definition?: number;
  point?: {[set: string]: string};
  own_unit?: string;
  put_in?: string;  // Formula with values instead of names.
  because?: string;  // Condition whose failure makes the value 0.
  joined_by?: string;  // Operation that joins the terms: sum, max, …
  more?: {terms: number; value?: Value; unit?: string; shown?: string};
  arguments?: ({name: string} & Shown)[];
  children?: Child[];
}

/** An operand: an explanation, or an index in Explanations.opened. */
export type Child = number | ExplainedName;

export interface RulePlace {
  name: string;
  file?: string;
  line?: number;
  column?: number;
}

/** A node of a large graph, without details. */
export interface BriefNode {
  name: string;
  operator: string;
  brief: true;
  transfers: ExplainedNode['transfers'];
  kept: ExplainedNode['kept'];
}

export interface ExplainedNode {
  name: string;
  brief?: undefined;
  operator: string;
  doc: string;
  source: string;
  file?: string;
  line?: number;
  inputs: {name: string; tensor?: string; dimensions: string[]}[];
  weights: {name: string; tensor?: string; dimensions: string[]}[];
  outputs: {name: string; dimensions: string[]}[];
  placement: {dimension: string; axes: string; rule: RulePlace | null}[];
  recomputed: boolean;
  transfers: ({phase: string; collective: string; axes: string; what: string; shape: string; cadence: string; rule: RulePlace | null} & Shown)[];
  kept: ({name: string; shape: string; how: string} & Shown)[];
  quantities: Child[];  // Quantities by phase; numbers are indices in Explanations.opened.
}

export interface Explanations {
  definitions: Definition[];
  opened: ExplainedName[];  // Names at a point.
  metrics: {[id: string]: number};  // Index in `opened` of each metric of a report.
  columns: {[tableColumn: string]: number};  // Index in `definitions` of each column, such as `stages.memory`.
  cells: {[tableColumn: string]: number[]};  // Index in `opened` of each row, for small tables; -1: none.
  nodes: (ExplainedNode | BriefNode)[];
  left_out: number;  // Number of names omitted because of the size limit.
}

/** A simulated step of a rank in each stage. Lists have equal length, with an entry for each task. */
export interface Timeline {
  schedule: string;
  work_end: number;
  end: number;  // End of the step, including waiting, in seconds.
  kinds: string[];
  microbatches?: number;  // Number of included microbatches, if later ones are omitted.
  stages: {
    start: (number | null)[];  // Start in seconds; null: the end of the previous task.
    end: number[];
    work: string[];  // Name of the task, such as `3F0`.
    kind: number[];  // Index in `kinds`.
    piece: number[];  // Chunk of the model; -1: the end of the step.
    microbatch: number[];
    levels: {at: number[]; activations: number[]};  // Bytes of stored activations from each time on.
    standing: {[kind: string]: number};  // Bytes that are resident during the whole step.
  }[];
}

export interface Run {
  command: string;  // Arguments of `opledger` that compute this run, quoted for a shell.
  report: Report;
  hints: {message: string; see: string}[];  // Sentences about the run, each with an address on the page.
  headline: {label: string; metric: string}[];  // Main figures; may be empty.
  layers: {[segment: string]: number};
  sections: {[report: string]: Section[]};
  titles: {[table: string]: string};
  minor: {[table: string]: string[]};  // Columns that narrow tables leave out first, in this order.
  docs: {[table: string]: string};
  views: View[];
  graph: Graph | null;
  explanations: Explanations;
  timeline: Timeline | null;
}

/** The candidates of a search; large searches include only the most relevant ones. */
export interface Space {
  about: string;  // Arguments of `opledger`; may be empty.
  axes: string[];  // Columns of `candidates` that the search varies.
  metrics: string[];  // Columns of `candidates` that the search computes.
  objective: {metric: string; largest: boolean};
  units: {[column: string]: string};
  // Number of candidates in the file. The page has the best, the front, and the best for each pair of values of two
  // axes.
  total: number;
  candidates: {[column: string]: Value[]};  // Lists of equal length.
  pareto: {metric: string; largest: boolean}[];  // Metrics of the front; the objective is first.
  front: number[];  // Indices of Pareto-optimal candidates.
  front_size: number;  // Number of candidates on the complete front.
  complete: boolean;  // True if the search was not interrupted.
  best: number[];  // Indices of the best candidates, best first.
  commands: string[];  // Arguments of `opledger` that write a candidate's execution; empty: unknown.
  runs: {candidate: number; run: number}[];  // Included runs: an index in ExploreDocument.runs.
}

export interface ExploreDocument {
  format: 1;
  title: string;
  runs: Run[];  // A run; two compared runs; or the runs of a search.
  differences: Report | null;  // The content of `diff --format json` for the first two runs.
  space: Space | null;
}

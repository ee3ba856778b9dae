// What a page holds: schemas/output/explore.schema.json. Numbers are in base units (byte, flop, s); the page computes nothing of them but shares.

export type Value = number | string | boolean | null | Value[];
export type Row = {[column: string]: Value | Row[]};

/** A report as `--format json` writes it: values of metrics stand beside these keys. */
export interface Report {
  model: string;
  execution: string | null;
  stack?: string;
  system: string | null;
  accounting: string;
  units: {[metricOrTableColumn: string]: string};  // `iteration`, `stages.memory`
  metrics?: {[id: string]: string};                // what the accounting calls it
  labels?: {[id: string]: string};                 // for people
  tables: {[name: string]: Row[]};
  totals?: {[table: string]: Row};
  notes?: {[table: string]: string[]};
  left_out?: {[tableOrColumn: string]: number};
  violations: {reason: string; message: string}[];
  [metric: string]: unknown;
}

/** A heading and the ids of the metrics below it. */
export interface Section {
  title: string;
  metrics: string[];
  labels: string[];  // of the metrics, in this report
}

/** What the accounting (`views`) says a view consists of, in its order. */
export interface Drawing {
  draw: 'numbers' | 'table' | 'nodes' | 'stacks' | 'lines' | 'roofline' | 'beside';
  report?: string;                                       // numbers: a report, all of its sections
  table?: string;                                        // all others
  by?: string;                                           // the column that says what a row is of: a node, a stage, a moment, a pass
  columns?: string[];                                    // nodes: colours. stacks: parts. lines: a line each. beside: a line each; default all
  limit?: string;                                        // stacks, lines: a metric's id in the report, drawn as a line
  series?: {[name: string]: [string, string, string]};   // roofline: columns of intensity, rate, size, by phase
  ceilings?: {table: string; by: string; columns: string[]};  // rates, for each row and column one
  slopes?: {table: string; by: string; columns: string[]};    // bandwidths
}

export interface View {
  name: string;  // in the address and on its tab
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

/** The graph as `graph --format json` writes it: things name each other by their names. */
export interface Graph {
  dimensions: {[name: string]: Value};
  axes?: string[];
  segments: {name: string; block: string | null; layers: Value; rounds?: Value; inputs: string[]; output: string; sources?: (string | null)[]}[];
  nodes: GraphNode[];
  tensors: {name: string; dims: string[]; producer: string | null; data: boolean; gradient: boolean}[];
  weights: {name: string; dims: string[]; uses: string[]}[];
  transfers?: Transfer[];
  saved?: {tensor: string; placement: Placement; recomputed: boolean; once: boolean; readers: string[]; rule: string | null}[];
  rules?: {[rule: string]: string};  // where each is written
}

/** A formula, and where it is written. */
export interface Definition {
  name: string;
  unit?: string;
  doc?: string;
  source?: string;  // where the formula comes from
  formula: string;  // empty: given as a whole
  file?: string;
  line?: number;
  column?: number;
  text?: string;    // the line of the file, where it does not have the formula
}

interface Shown {
  value: Value;
  unit?: string;
  shown?: string;  // for people, where the value is null or says less
}

/** A name at a point, opened one level: what it is made of is opened elsewhere in the list. */
export interface Opened extends Shown {
  kind: 'name' | 'call' | 'terms' | 'term';
  name: string;
  definition?: number;
  point?: {[set: string]: string};
  own_unit?: string;
  put_in?: string;     // the formula with values in the place of names
  because?: string;    // a condition that does not hold: the value is 0 for that
  joined_by?: string;  // of terms: sum, max, …
  more?: {terms: number; value?: Value; unit?: string; shown?: string};
  arguments?: ({name: string} & Shown)[];
  children?: Child[];
}

/** A number: a place in Explanations.opened. */
export type Child = number | Opened;

export interface RulePlace {
  name: string;
  file?: string;
  line?: number;
  column?: number;
}

export interface ExplainedNode {
  name: string;
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
  quantities: Child[];  // a quantity in a phase each: places in Explanations.opened
}

export interface Explanations {
  definitions: Definition[];
  opened: Opened[];                     // names, each at one point
  metrics: {[id: string]: number};      // of a report: a place in `opened`
  columns: {[tableColumn: string]: number};  // `stages.memory`: a place in `definitions`
  cells: {[tableColumn: string]: number[]};  // of small tables: of each row a place in `opened`; -1: none
  nodes: ExplainedNode[];
  left_out: number;                     // names that were not opened because there are too many
}

/** One step played out, a rank of each stage. Lists of equal length: a work each. */
export interface Timeline {
  schedule: string;
  work_end: number;
  end: number;              // of the step as it is played, waiting included
  kinds: string[];
  microbatches?: number;  // only the first so many of them are here
  stages: {
    start: (number | null)[];  // null: when the work before it ends
    end: number[];
    work: string[];         // `3F0`
    kind: number[];         // a place in `kinds`
    piece: number[];        // -1: the end of the step
    microbatch: number[];
    levels: {at: number[]; activations: number[]};  // bytes kept of microbatches, from then on
    standing: {[what: string]: number};             // bytes that are there all the time
  }[];
}

export interface Run {
  command: string;  // the words behind `opledger` that ask for this run: quoted for a shell
  report: Report;
  headline: {label: string; metric: string}[];  // what tells most of it; may be empty
  layers: {[segment: string]: number};
  sections: {[report: string]: Section[]};
  titles: {[table: string]: string};
  docs: {[table: string]: string};
  views: View[];
  graph: Graph | null;
  explanations: Explanations;
  timeline: Timeline | null;
}

/** Candidates of a search: those that matter. */
export interface Space {
  about: string;           // the words behind `opledger`; may be empty
  axes: string[];          // columns of `candidates` that are chosen
  metrics: string[];       // columns that follow
  objective: {metric: string; largest: boolean};
  units: {[column: string]: string};
  total: number;           // in the file; `candidates` holds the best, the front, and the best of every pair of values of two axes
  candidates: {[column: string]: Value[]};  // lists of equal length
  pareto: {metric: string; largest: boolean}[];  // metrics of the front, the objective first
  front: number[];         // places in those lists: no other candidate is as good in all of them and better in one
  front_size: number;      // of the whole front: of a large one some are here
  complete: boolean;       // whether the search was not interrupted
  best: number[];          // the same, the best first
  commands: string[];      // the words behind `opledger` that write a candidate's execution; empty: not known
  runs: {candidate: number; run: number}[];  // whole runs that the page holds: a place in ExploreDocument.runs
}

export interface ExploreDocument {
  format: 1;
  title: string;
  runs: Run[];             // one; two that are compared; those of a space
  differences: Report | null;  // `diff --format json` of the first two
  space: Space | null;
}

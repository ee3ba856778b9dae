import type {Run} from './document';

/** The run of a page without runs, such as a search in a file that names no documents. */
export const noRun: Run = {
  command: '',
  report: {format: 1, model: '', execution: null, system: null, accounting: '', units: {}, tables: {}, violations: []},
  headline: [], hints: [], layers: {}, sections: {}, titles: {}, minor: {}, docs: {}, views: [], graph: null, timeline: null,
  explanations: {definitions: [], opened: [], metrics: {}, columns: {}, cells: {}, nodes: [], left_out: 0},
};

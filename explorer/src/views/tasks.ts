// Tasks of a timeline, found by time.
import type {Row, Timeline} from '../document';

export interface Lane {
  start: Float64Array;
  end: Float64Array;
}

export interface Place {
  stage: number;
  index: number;
}

// Decodes starts: a missing start is the end of the previous task.
export function lanesOf(timeline: Timeline): Lane[] {
  return timeline.stages.map(stage => {
    const start = new Float64Array(stage.end.length);
    stage.end.forEach((_, index) => { start[index] = stage.start[index] ?? stage.end[index - 1] ?? 0; });
    return {start, end: Float64Array.from(stage.end)};
  });
}

/** Returns the first task that ends after `time`, by binary search. */
export function firstAfter({end}: Lane, time: number): number {
  let low = 0;
  let high = end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function taskAt(lane: Lane, time: number): number | null {
  const index = firstAfter(lane, time);
  return index < lane.end.length && lane.start[index]! <= time ? index : null;
}

/** Returns the task of another stage that is nearest in time. */
export function nearest(lane: Lane, time: number): number {
  return Math.min(firstAfter(lane, time), lane.end.length - 1);
}

export function chunksOf(timeline: Timeline): number {
  return timeline.stages.reduce((most, stage) => stage.piece.reduce((now, piece) => Math.max(now, piece + 1), most), 1);
}

const places = new WeakMap<Row, Place>();

/** Returns every task as a row of a table. */
export function rowsOfTasks(timeline: Timeline, lanes: Lane[]): Row[] {
  return timeline.stages.flatMap((stage, at) => stage.end.map((end, index) => {
    const row: Row = {
      stage: at, work: stage.work[index]!, kind: timeline.kinds[stage.kind[index]!] ?? '',
        piece: stage.piece[index]! < 0 ? null : stage.piece[index]!,
      microbatch: stage.microbatch[index]!, start: lanes[at]!.start[index]!, end,
    };
    places.set(row, {stage: at, index});
    return row;
  }));
}

/** Returns a function for the document path of a cell, if the document contains its value. */
export function atOfTask(timeline: Timeline, path: string): (row: Row, column: string) => string | undefined {
  return (row, column) => {
    const place = places.get(row);
    if (!place || column === 'stage') return undefined;
    if (column === 'start' && timeline.stages[place.stage]!.start[place.index] === null) return undefined;
    return `${path}.stages.${place.stage}.${column}.${place.index}`;
  };
}

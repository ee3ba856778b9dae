import {shown} from '../quantity';
import type {Box} from './tree';

/** How often a segment stands in the model. */
export function repeats(box: Box): string {
  const layers = box.segment?.layers;
  return layers === undefined || layers === null || layers === 1 || layers === '1' ? '' : `× ${shown(layers)}`;
}

import {useMemo, useState} from 'preact/hooks';
import type {Run} from '../document';
import {useAddress} from '../address';
import {Figure} from '../figure';
import {titled} from '../quantity';
import {DataTable} from '../table';
import type {DrawingProps} from './drawing';
import {LabelPlaces} from './label_places';
import {largeMarks, markLabels, Marks, Shape} from './marks';
import {boundsOf, marksOf, pointsOf, roofsOf, type Bounds, type Point, type Roof} from './roofs';
import {docOf, rowsOf, titleOf, unitOf} from './rows';
import {RoofLines, roofLines} from './roof_lines';
import {decades, logScale, tick} from './scale';
import {useWidth} from './width';

const margin = {left: 74, right: 12, top: 12, bottom: 40};
const height = 460;

interface PictureProps {
  run: Run;
  points: Point[];
  ceilings: Roof[];
  slopes: Roof[];
  bounds: Bounds;
  units: [string, string];
  name: string;
  chosen: string;
}

function Picture({run, points, ceilings, slopes, bounds, units, name, chosen}: PictureProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const x = logScale(...bounds.x, margin.left, width - margin.right);
  const y = logScale(...bounds.y, height - margin.bottom, margin.top);
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const marks = marksOf(points, x.at, y.at);
  const places = new LabelPlaces({left: margin.left, right: width, top: 0, bottom}, 11.5, largeMarks(marks, x, y));
  const lines = roofLines({x, y, ceilings, slopes}, places);
  return (
    <div ref={element}>
      {width > 0 && (
        <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`${name}: rates over intensity`}>
          {decades(y, 8).map(value => (
            <g><line class="grid" x1={margin.left} x2={right} y1={y.at(value)} y2={y.at(value)} />
              <text class="tick" x={margin.left - 7} y={y.at(value) + 4} text-anchor="end">{tick(value, units[1])}</text></g>
          ))}
          {decades(x, (right - margin.left) / 62).map(value => {
            const text = tick(value, '');
            return (
              <g><line class="grid" x1={x.at(value)} x2={x.at(value)} y1={margin.top} y2={bottom} />
                <text class="tick" x={Math.min(x.at(value), width - places.width(text) / 2)} y={bottom + 18} text-anchor="middle">{text}</text></g>
            );
          })}
          <text class="tick" x={right} y={height - 4} text-anchor="end">{units[0]}, logarithmic →</text>
          <RoofLines lines={lines} />
          <Marks {...{run, x, y, units, chosen}} points={marks} labels={markLabels(marks, x, y, places)} />
        </svg>
      )}
    </div>
  );
}

function Phases({phases, off, toggle}: {phases: string[]; off: ReadonlySet<string>; toggle: (phase: string) => void}) {
  return (
    <div class="legend" role="group" aria-label="Shown phases">
      {phases.map((phase, part) => (
        <label key={phase}>
          <input type="checkbox" checked={!off.has(phase)} onChange={() => toggle(phase)} />
          <svg width="14" height="14" aria-hidden="true"><Shape part={part} x={7} y={7} r={5.5} /></svg> <bdi>{titled(phase)}</bdi>
        </label>
      ))}
      <span class="hint">Size: share of all</span>
    </div>
  );
}

function useShown(drawing: DrawingProps['drawing'], run: Run, runIndex: number, everyRoof: boolean) {
  return useMemo(() => {
    const points = pointsOf(run, drawing);
    const all = roofsOf(run, runIndex, drawing, 'ceilings');
    const ceilings = all.filter(roof => everyRoof || roof.used);
    const slopes = roofsOf(run, runIndex, drawing, 'slopes').filter(roof => everyRoof || roof.used);
    return {points, ceilings, slopes, unused: all.some(roof => !roof.used), bounds: boundsOf(points, ceilings, slopes)};
  }, [drawing, run, runIndex, everyRoof]);
}

/** A roofline: the speed of each node compared with the limits of the machine. */
export function RooflineDrawing({drawing, run, runIndex}: DrawingProps) {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [everyRoof, setEveryRoof] = useState(false);
  const name = drawing.table ?? '';
  const phases = Object.entries(drawing.series ?? {});
  const {points, ceilings, slopes, unused, bounds} = useShown(drawing, run, runIndex, everyRoof);
  if (points.length === 0) return null;
  const toggle = (phase: string) => setOff(new Set(off.has(phase) ? [...off].filter(one => one !== phase) : [...off, phase]));
  const units: [string, string] = [unitOf(run, name, phases[0]![1][0]), unitOf(run, name, phases[0]![1][1])];
  const title = titleOf(run, name);
  const {item: chosen} = useAddress();
  const tables = () => [name, drawing.ceilings?.table, drawing.slopes?.table].map(table => table && (
    <DataTable {...{run}} rows={rowsOf(run, table)} path={`runs.${runIndex}.report.tables.${table}`} caption={titleOf(run, table)} />
  ));
  return (
    <Figure title={title} doc={docOf(run, name)} table={() => <>{tables()}</>}
      tools={unused && <button type="button" class="quiet" aria-pressed={everyRoof} onClick={() => setEveryRoof(!everyRoof)}>All roofs</button>}>
      <Phases phases={phases.map(([phase]) => phase)} off={off} toggle={toggle} />
      <Picture {...{run, ceilings, slopes, bounds, units, chosen}} name={title} points={points.filter(point => !off.has(point.phase))} />
    </Figure>
  );
}

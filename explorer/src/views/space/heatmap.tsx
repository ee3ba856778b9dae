import type {Space} from '../../document';
import {href} from '../../address';
import {titled} from '../../quantity';
import {Quantity} from '../../quantity_view';
import {candidateName, textAt, type Column} from './columns';

interface Props {
  space: Space;
  rows: Column;
  columns: Column;
  value: Column;
  largest: boolean;
  passes: boolean[];
}

// Returns the best candidate of each cell.
function best({rows, columns, value, largest, passes}: Props): Map<string, number> {
  const cells = new Map<string, number>();
  passes.forEach((pass, index) => {
    if (!pass || typeof value.values[index] !== 'number') return;
    const key = `${rows.rank[index]} ${columns.rank[index]}`;
    const now = cells.get(key);
    const better = now === undefined || (largest ? value.rank[index]! > value.rank[now]! : value.rank[index]! < value.rank[now]!);
    if (better) cells.set(key, index);
  });
  return cells;
}

// Returns the quality of a cell, from 0 (worst) to 1 (best).
function goodness({value, largest}: Props, index: number): number {
  const share = value.share(value.rank[index]!);
  return largest ? share : 1 - share;
}

export function Heatmap(props: Props) {
  const {space, rows, columns, value} = props;
  const cells = best(props);
  const name = `Best ${titled(value.name)} by ${titled(rows.name)} and ${titled(columns.name)}`;
  return (
    <div class="scroll free" tabIndex={0} role="group" aria-label={name}>
      <table class="heatmap" aria-label={name}>
        <thead>
          <tr><th scope="col" class="corner"><bdi>{titled(rows.name)}</bdi> ↓ <bdi>{titled(columns.name)}</bdi> →</th>
            {columns.distinct.map((_, rank) => <th key={rank} scope="col"><bdi>{textAt(columns, rank)}</bdi></th>)}</tr>
        </thead>
        <tbody>
          {rows.distinct.map((_, row) => (
            <tr key={row}>
              <th scope="row"><bdi>{textAt(rows, row)}</bdi></th>
              {columns.distinct.map((__, column) => {
                const index = cells.get(`${row} ${column}`);
                if (index === undefined) return <td key={column} class="none">–</td>;
                return (
                  <td key={column} style={{'--heat': `${Math.round(goodness(props, index) * 46)}%`}} title={candidateName(space, index)}>
                    <Quantity value={value.values[index]} unit={value.unit} at={`space.candidates.${value.name}.${index}`}
                      link={href({view: 'space', item: String(index)})} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

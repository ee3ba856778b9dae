import {href, useAddress} from '../address';
import {heatStyle, heatText} from '../graph/box';
import {Repeats, repeats} from '../graph/repeats';
import {columnsOf} from '../graph/shares';
import type {Box} from '../graph/tree';
import {titled} from '../quantity';
import {ColumnValues} from './columns';
import type {PanelProps} from './panel';

const MOST = 12;

function leaves(box: Box): Box[] {
  return box.node ? [box] : box.inside.flatMap(leaves);
}

// The nodes with the largest values, as links with bars.
function Largest({box, coloring}: PanelProps & {box: Box}) {
  const address = useAddress();
  if (!coloring) return null;
  const nodes = leaves(box).map(node => ({node, heat: coloring.heat(node)})).filter(({heat}) => heat.value);
  nodes.sort((a, b) => Math.abs(b.heat.value!) - Math.abs(a.heat.value!));
  if (!nodes.length) return null;
  const most = Math.abs(nodes[0]!.heat.share) || 1;
  const options = new Map(address.options);
  options.delete('name');
  const prefix = box.id ? box.id.replace(/\.$/, '') + '.' : '';
  return (
    <section>
      <h4>{coloring.changes ? 'Largest changes of ' : 'Largest by '}{titled(coloring.column.name)}</h4>
      <ol class="largest">
        {nodes.slice(0, MOST).map(({node, heat}) => (
          <li key={node.id}>
            <a href={href({view: 'graph', item: node.id, options})} title={node.id} style={heatStyle(heat, most)}>
              <bdi>{node.id.startsWith(prefix) ? node.id.slice(prefix.length) : node.id}</bdi><span class="heat">{heatText(coloring, heat)}</span>
            </a>
          </li>
        ))}
      </ol>
      {nodes.length > MOST && <p class="note">{nodes.length - MOST} more</p>}
    </section>
  );
}

function Keys({tree, run}: PanelProps) {
  const signs = [
    leaves(tree.root).some(({node}) => node!.recomputed) && '↻ recomputed in the backward pass',
    run.explanations.nodes.some(({transfers}) => transfers.some(({cadence}) => cadence !== 'step')) && '⇄ communicates',
  ].filter(Boolean).join(', ');
  return (
    <section class="keys">
      <h4>Keys</h4>
      <p><kbd>↑</kbd> <kbd>↓</kbd> along edges, <kbd>←</kbd> <kbd>→</kbd> to neighbors, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes.</p>
      {signs && <><h4>Signs</h4><p>{signs}.</p></>}
    </section>
  );
}

/** The panel of a block, or of the whole graph. */
export function BlockPanel(props: PanelProps & {box: Box}) {
  const {box, tree, run, runIndex} = props;
  const whole = box === tree.root;
  return (
    <>
      <h3><bdi>{whole ? run.report.model : box.id}</bdi></h3>
      <p class="kind">
        {box.count} operator{box.count === 1 ? '' : 's'}{box.segment?.block && <> · <bdi>{box.segment.block}</bdi></>}
        {repeats(box) && <> · <Repeats box={box} runIndex={runIndex} /></>}
      </p>
      {columnsOf(run).length > 0 && <ColumnValues {...props} box={box} />}
      <Largest {...props} />
      {whole && <Keys {...props} />}
    </>
  );
}

import type {GraphNode} from '../document';
import {Folded} from '../folded';
import {FilePlace} from '../definition';
import {columnsOf} from '../graph/shares';
import {Prose} from '../views/prose';
import {ColumnValues} from './columns';
import {Kept, Marks, Placements, Transfers} from './execution';
import {Operands} from './operands';
import {Quantities} from './quantities';
import {TableRows} from './rows';
import type {PanelProps} from './panel';

function Head({node, run}: {node: GraphNode; run: PanelProps['run']}) {
  const found = run.explanations.nodes.find(({name}) => name === node.name);
  const explained = found?.brief ? undefined : found;
  const facts = [node.op, node.component, ...node.tags, node.recomputed ? 'recomputed' : ''].filter(Boolean);
  return (
    <>
      <h3><bdi>{node.name}</bdi></h3>
      <p class="kind">{facts.map((fact, i) => <span key={i}>{i > 0 && ' · '}<bdi>{fact}</bdi></span>)}</p>
      {explained?.doc && <p class="doc"><Prose text={explained.doc} /></p>}
      {explained?.source && <p class="source">Source or derivation: <Prose text={explained.source} /></p>}
      {explained?.file && <p class="place"><FilePlace file={explained.file} line={explained.line} /></p>}
    </>
  );
}

export function NodePanel(props: PanelProps & {node: GraphNode}) {
  const {node, run, runIndex, selected, document} = props;
  const place = run.explanations.nodes.findIndex(({name}) => name === node.name);
  const found = run.explanations.nodes[place];
  const explained = found?.brief ? undefined : found;
  const other = document.runs.length === 2 && !document.space ? 1 - runIndex : null;
  const otherNode = other === null ? undefined : document.runs[other]!.explanations.nodes.find(({name}) => name === node.name);
  return (
    <>
      <Head node={node} run={run} />
      {found?.brief && <p class="because">Its details are not on this page{run.command.startsWith('eval ') && <>: <code>
        <bdi>opledger explain {run.command.slice('eval '.length)} {node.name}</bdi></code></>}.</p>}
      {columnsOf(run).length > 0 && <ColumnValues {...props} box={selected!} />}
      {explained && <Quantities run={run} runIndex={runIndex} explained={explained} />}
      {other !== null && otherNode && !otherNode.brief && (
        <Folded class="other-run" summary={other === 0 ? 'In the first run' : 'In the second run'}>
          {() => <Quantities run={document.runs[other]!} runIndex={other} explained={otherNode} />}
        </Folded>
      )}
      <Operands node={node} graph={run.graph!} explained={explained} />
      {explained && <Placements explained={explained} />}
      {found && <Transfers explained={found} at={`runs.${runIndex}.explanations.nodes.${place}.transfers`} />}
      {found && <Kept explained={found} at={`runs.${runIndex}.explanations.nodes.${place}.kept`} />}
      <Marks node={node} rules={run.graph!.rules} />
      <TableRows node={node.name} run={run} runIndex={runIndex} />
    </>
  );
}

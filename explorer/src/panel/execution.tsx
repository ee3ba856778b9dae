import type {ExplainedNode, Graph, GraphNode} from '../document';
import {FilePlace, RuleText} from '../definition';
import {Shown} from '../shown';

export function Placements({explained: {placement}}: {explained: ExplainedNode}) {
  if (!placement.length) return null;
  return (
    <section>
      <h4>Placement</h4>
      <ul class="facts">
        {placement.map(({dimension, axes, rule}, i) => (
          <li key={i}><span><bdi class="symbol">{dimension}</bdi> over <bdi class="symbol">{axes}</bdi></span><RuleText rule={rule} /></li>
        ))}
      </ul>
    </section>
  );
}

export function Transfers({explained: {transfers}, at}: {explained: Pick<ExplainedNode, 'transfers'>; at: string}) {
  if (!transfers.length) return null;
  return (
    <section>
      <h4>Collectives</h4>
      <ul class="facts">
        {transfers.map((transfer, i) => (
          <li key={i}>
            <span class="pair">
              <span><b><bdi>{transfer.collective}</bdi></b> over <bdi class="symbol">{transfer.axes}</bdi></span>
              <Shown of={transfer} at={`${at}.${i}.value`} />
            </span>
            <span><bdi>{transfer.phase}</bdi>, per <bdi>{transfer.cadence}</bdi>: <bdi class="symbol">{transfer.what}</bdi></span>
            <bdi class="shape">{transfer.shape}</bdi>
            <RuleText rule={transfer.rule} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Kept({explained: {kept}, at}: {explained: Pick<ExplainedNode, 'kept'>; at: string}) {
  if (!kept.length) return null;
  return (
    <section>
      <h4>Kept for the backward pass</h4>
      <ul class="facts">
        {kept.map((tensor, i) => (
          <li key={i}>
            <span class="pair"><bdi class="symbol">{tensor.name}</bdi><Shown of={tensor} at={`${at}.${i}.value`} /></span>
            <bdi class="shape">{tensor.shape}</bdi>
            {tensor.how && <bdi>{tensor.how}</bdi>}
          </li>
        ))}
      </ul>
    </section>
  );
}

// A position in the notation of the graph: `file:line:column`.
function WrittenAt({text}: {text: string | undefined}) {
  const parts = /^(.*?):(\d+)(?::\d+)?$/su.exec(text ?? '');
  return parts ? <FilePlace file={parts[1]} line={Number(parts[2])} /> : null;
}

export function Marks({node: {marks}, rules}: {node: GraphNode; rules: Graph['rules']}) {
  const all = Object.entries(marks ?? {});
  if (!all.length) return null;
  return (
    <section>
      <h4>Marks</h4>
      <ul class="facts">
        {all.map(([name, {value, rule}]) => (
          <li key={name}>
            <span><bdi class="symbol">{name}</bdi> = <bdi class="symbol">{value}</bdi></span>
            {rule && <span class="rule"><bdi>{rule}</bdi> <WrittenAt text={rules && Object.hasOwn(rules, rule) ? rules[rule] : undefined} /></span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

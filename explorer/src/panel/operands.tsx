import type {ExplainedNode, Graph, GraphNode} from '../document';
import {href, useAddress} from '../address';

interface Operand {
  port: string;
  tensor: string;
  dims: string[];
  nodes: string[];  // Producer or readers of the tensor.
}

interface Props {
  node: GraphNode;
  graph: Graph;
  explained: ExplainedNode | undefined;
}

// Finds the producing node of a tensor; outputs without a tensor entry are searched among the nodes.
function producer(graph: Graph, tensor: string): string[] {
  const found = graph.tensors.find(({name}) => name === tensor)?.producer ?? graph.nodes.find(({outputs}) => outputs.includes(tensor))?.name;
  return found ? [found] : [];
}

function readers(graph: Graph, tensor: string): string[] {
  return graph.nodes.filter(({inputs}) => inputs.some(input => input.tensor === tensor)).map(({name}) => name);
}

function dimsOf(graph: Graph, tensor: string): string[] {
  return graph.tensors.find(({name}) => name === tensor)?.dims ?? [];
}

function List({title, operands, verb}: {title: string; operands: Operand[]; verb: string}) {
  const address = useAddress();
  if (!operands.length) return null;
  const options = new Map(address.options);
  options.delete('name');
  return (
    <section>
      <h4>{title}</h4>
      <ul class="facts">
        {operands.map(({port, tensor, dims, nodes}, i) => (
          <li key={i}>
            <span>{port && port !== tensor && <><bdi class="symbol">{port}</bdi> </>}<bdi class="tensor">{tensor}</bdi></span>
            {dims.length > 0 && <span class="dims" role="group" aria-label="Dimensions">{dims.map((dim, k) => <bdi key={k}>{dim}</bdi>)}</span>}
            {nodes.length > 0 && (
              <span class="whom">{verb} {nodes.map((name, k) => (
                <span key={name}>{k > 0 && ', '}<a href={href({view: 'graph', item: name, options})}><bdi>{name}</bdi></a></span>
              ))}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Operands({node, graph, explained}: Props) {
  const inputs = node.inputs.map(({port, tensor, dims}) => ({port: port ?? '', tensor, dims, nodes: producer(graph, tensor)}));
  const weights = node.weights.map(tensor => {
    const weight = graph.weights.find(({name}) => name === tensor);
    const port = explained?.weights.find(other => other.tensor === tensor)?.name ?? '';
    return {port, tensor, dims: weight?.dims ?? [], nodes: (weight?.uses ?? []).filter(name => name !== node.name)};
  });
  const outputs = node.outputs.map((tensor, i) =>
    ({port: explained?.outputs[i]?.name ?? '', tensor, dims: dimsOf(graph, tensor), nodes: readers(graph, tensor)}));
  return (
    <>
      <List title="Inputs" operands={inputs} verb="from" />
      <List title="Weights" operands={weights} verb="shared with" />
      <List title="Outputs" operands={outputs} verb="to" />
    </>
  );
}

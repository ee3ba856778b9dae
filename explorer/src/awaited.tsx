import {Component, type ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {PendingList} from './lists';

interface Props {
  children: () => ComponentChildren;
}

function Content({children}: Props) {
  return <>{children()}</>;
}

/** Content that may access pending lists. It is drawn again once the list that it accessed is read. */
export class Awaited extends Component<Props, {status: string}> {
  override state = {status: ''};

  override componentDidCatch(thrown: unknown): void {
    if (!(thrown instanceof PendingList)) throw thrown;
    this.setState({status: 'Reading data…'});
    thrown.read().then(() => this.setState({status: ''}), (error: unknown) => this.setState({status: `This data cannot be read: ${String(error)}`}));
  }

  override render() {
    const {status} = this.state;
    return status ? <p class="doc" role="status">{status}</p> : <Content>{this.props.children}</Content>;
  }
}

/** Returns the accessed data, or null while one of its lists is read, which begins after the first drawing; the component is drawn again then. Parts of a view that it can do without at first use it. */
export function useLater<T>(access: () => T): T | null {
  const [, redraw] = useState(0);
  let result: T | null = null;
  let pending: PendingList | null = null;
  try {
    result = access();
  } catch (thrown) {
    if (!(thrown instanceof PendingList)) throw thrown;
    pending = thrown;
  }
  useEffect(() => void pending?.read().then(() => redraw(count => count + 1)), [pending]);
  return result;
}

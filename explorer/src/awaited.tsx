import {Component, type ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
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

/** Returns the accessed data, or null while one of its lists is read; the component is drawn again afterwards. Parts of a view that it can do without at first use it. */
export function useLater<T>(access: () => T): T | null {
  const [, redraw] = useState(0);
  try {
    return access();
  } catch (thrown) {
    if (!(thrown instanceof PendingList)) throw thrown;
    void thrown.read().then(() => redraw(count => count + 1));
    return null;
  }
}

import {Component, type ComponentChildren} from 'preact';
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

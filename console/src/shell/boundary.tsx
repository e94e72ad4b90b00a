/** A page that fails takes nothing else with it. */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface Props {
  /** Another place is another try. */
  at: string;
  children: ReactNode;
}

export class Boundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (before.at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="panel empty" role="alert">
        <h3>This page could not be shown</h3>
        <p>{error.message}</p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Load it again
        </Button>
      </div>
    );
  }
}

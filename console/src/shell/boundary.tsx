/** Contains the failure of a page. */
import { Button } from '@mantine/core';
import { Component, type ReactNode, Suspense } from 'react';
import { Outdated } from './lazily.tsx';

interface Props {
  /** A new address retries. */
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
        <h3>{error instanceof Outdated ? 'A new version is available' : 'This page could not be shown'}</h3>
        <p>{error.message}</p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    );
  }
}

interface AsideProps {
  /** The failed part stays hidden. */
  onFailed?: () => void;
  children: ReactNode;
}

/** Contains the failure of a part; the rest of the page keeps its input. */
export class Aside extends Component<AsideProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch() {
    this.props.onFailed?.();
  }

  override render() {
    return this.state.failed ? null : <Suspense>{this.props.children}</Suspense>;
  }
}

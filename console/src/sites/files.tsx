/** The files of a site as they are served. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../api/read.ts';
import { Copy } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { Site } from './words.ts';

const KINDS = ['robots.txt', 'license.xml', 'tdmrep.json', 'tdm-policy', 'headers'] as const;
type Kind = (typeof KINDS)[number];

export function Files({ site: { host, version } }: { site: Site }) {
  const [kind, setKind] = useState<Kind>('robots.txt');
  return (
    <Panel
      title="Files"
      lead="As Postern serves them now."
      actions={
        <SegmentedControl
          className="stacks"
          aria-label="File"
          size="xs"
          data={[...KINDS]}
          value={kind}
          onChange={(value) => setKind(value)}
        />
      }
    >
      <FileText key={`${kind} ${version}`} host={host} kind={kind} />
    </Panel>
  );
}

function FileText({ host, kind }: { host: string; kind: Kind }) {
  const file = useText(`GET /v1/sites/{host}/signals/${kind}`, { path: { host } });
  return (
    <Loaded of={file}>
      {(text: string | null) =>
        text === null ? (
          <Empty title="Switched off" />
        ) : (
          <>
            <pre className="json file" aria-label={kind} tabIndex={0}>
              {text}
            </pre>
            <Copy text={text} what={kind} />
          </>
        )
      }
    </Loaded>
  );
}

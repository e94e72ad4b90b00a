/** Figures as people read them: a table in the terminal, and RESULTS.md, a section for each part. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Figure, Part, Result } from './figure.ts';
import type { Machine } from './machine.ts';

const INTRO = `# Benchmarks

Made by \`npm run bench\`; what each part measures and why is at the top of its file in this folder. A figure stands beside
what it was compared with in the same run: values depend on the machine, ratios much less.
`;
const HEADINGS = ['Figure', 'Value', 'Beside it', 'Ratio', 'Target'];

/** Three digits that count, thousands apart. */
function numberText(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

const valueText = (value: number, unit: string): string =>
  `${numberText(value)}${unit.startsWith('/') ? unit : ` ${unit}`}`;

function cellsOf({ what, value, unit, against, target }: Figure): string[] {
  return [
    what,
    valueText(value, unit),
    against === undefined ? '' : `${against.what}: ${valueText(against.value, unit)}`,
    against === undefined ? '' : numberText(against.ratio),
    target === undefined ? '' : `${target.text}: ${target.met ? 'reached' : 'missed'}`,
  ];
}

export function tableOf({ figures, notes }: Result): string {
  const rows = [HEADINGS, ...figures.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...notes].join('\n');
}

/** Puts a part's section in the place of its last one; those of other parts stay as they are. */
export function saveResults(file: string, part: Part, result: Result, machine: Machine): void {
  const sections = new Map<string, string>();
  for (const text of existsSync(file)
    ? readFileSync(file, 'utf8')
        .split(/^(?=## )/m)
        .slice(1)
    : []) {
    sections.set(/^## (\S+)/.exec(text)?.[1] ?? '', text.trimEnd());
  }
  sections.set(part.name, sectionOf(part, result, machine));
  writeFileSync(file, `${[INTRO.trimEnd(), ...sections.values()].join('\n\n')}\n`);
}

function sectionOf({ name, about }: Part, { figures, notes }: Result, machine: Machine): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [row(HEADINGS), row(HEADINGS.map(() => '---')), ...figures.map((figure) => row(cellsOf(figure)))];
  const made = [
    new Date().toISOString().slice(0, 10),
    `commit ${machine.commit}`,
    `${machine.cores} cores of ${machine.model}, ${machine.memory}`,
    `${machine.system}, Node ${machine.node}`,
    `load average before ${machine.load}`,
  ];
  return [
    `## ${name}\n`,
    `${about}. \`npm run bench -- --only ${name}\`\n`,
    ...table,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
    `\n${made.join(' · ')}`,
  ].join('\n');
}

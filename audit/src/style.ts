/** The style of the page, in light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #5b6570; --line: #d9dee3; --page: #ffffff; --card: #f6f8fa;
  --training: #c2410c; --search: #2563eb; --user_fetch: #7c3aed; --index: #0f766e; --preview: #94a3b8;
  --monitoring: #64748b; --other: #a8a29e; --forged: #dc2626; --verified: #15803d; --unknown: #b0b8c1; --none: #cbd5e1;
  --allowed: #15803d; --denied: #c2410c; --not_covered: #b0b8c1; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #9aa5b1; --line: #333b44; --page: #14181c;
  --card: #1c2228; --training: #f97316; --search: #60a5fa; --user_fetch: #a78bfa; --index: #2dd4bf; --preview: #64748b;
  --monitoring: #94a3b8; --other: #78716c; --forged: #f87171; --verified: #4ade80; --unknown: #6b7580; --none: #475569;
  --allowed: #4ade80; --denied: #f97316; --not_covered: #6b7580; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 44px 0 4px; }
p { margin: 4px 0 12px; max-width: 75ch; }
.soft, small { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 24px 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.card b { display: block; font-size: 26px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 12px; font-size: 13px; }
.legend span::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px;
  background: var(--kind); }
.bars { display: grid; gap: 6px; }
.row { display: grid; grid-template-columns: 220px 1fr 90px; gap: 12px; align-items: center; }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.label small { margin-left: 6px; }
.bar { display: flex; height: 16px; gap: 1px; }
.part { border-radius: 2px; background: var(--kind); }
.value, .n { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; }
svg line { stroke: var(--line); }
svg text { fill: var(--soft); font-size: 11px; }
svg rect { fill: var(--kind); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 6px 9px 6px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: 12px; }
td.n, th.n { text-align: right; }
td:last-child, th:last-child { padding-right: 0; }
.tag { display: inline-block; padding: 0 8px; border-radius: 99px; border: 1px solid var(--kind); color: var(--kind);
  font-size: 12px; }
.tag.unknown { color: var(--soft); }
.bars + .wide { margin-top: 16px; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
.note { border-left: 3px solid var(--forged); background: var(--card); padding: 10px 14px; margin: 12px 0; }
details { margin: 6px 0; } summary { cursor: pointer; }
footer { margin-top: 56px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { .row { grid-template-columns: 120px 1fr 64px; } main { padding: 20px 16px; } }
@media print { details { display: block; } main { max-width: none; } }
`;

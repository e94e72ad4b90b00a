/** The styles of a printed statement. */
export const STYLE = `
:root{color-scheme:light;--ink:#1a1d21;--soft:#5b636d;--line:#d5dae0;--tint:#f5f7f9}
*{box-sizing:border-box}
body{margin:0;background:#e9ecf0;color:var(--ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:820px;margin:32px auto;padding:56px 64px;background:#fff;box-shadow:0 1px 8px #0002}
header{display:flex;justify-content:space-between;align-items:flex-start;border-bottom:2px solid var(--ink)}
.sender{margin-bottom:40px;font-style:normal;font-size:13px;line-height:1.5;color:var(--soft);text-align:right}
.sender strong{font-size:17px;font-weight:650;color:var(--ink)}
h1{margin:0 0 16px;font-size:34px;line-height:1.1;font-weight:650}
h2{margin:0 0 4px;font-size:12px;font-weight:600;color:var(--soft);text-transform:uppercase;letter-spacing:.06em}
p{margin:0}
.kind{color:var(--soft);margin-bottom:4px}
.status{padding:4px 12px;border:1px solid var(--line);border-radius:99px;font-size:12px;color:var(--soft)}
.status.final{border-color:#1f7a4d;color:#1f7a4d}
.parties{display:flex;justify-content:space-between;gap:32px;margin:28px 0 32px}
.name{font-size:18px;font-weight:600}
.id,.none,.note{color:var(--soft)}
dl{display:grid;grid-template-columns:auto auto;gap:2px 16px;margin:0;font-size:13px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}
th{text-align:left;font-size:12px;font-weight:600;color:var(--soft)}
th,td{padding:8px 8px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}
.n{text-align:right;padding-right:0;font-variant-numeric:tabular-nums;white-space:nowrap}
th.n,td.n{padding-left:16px}
tfoot th,tfoot td{border-bottom:0;border-top:2px solid var(--ink);font-size:18px;font-weight:650;color:var(--ink);padding-top:12px}
small{color:var(--soft)}
.note{margin-top:16px}
.proof{margin-top:48px;font-size:12px;color:var(--soft)}
.proof table{margin-top:8px}
.proof .n+th,.proof .n+td{padding-left:16px}
.mono{font:11px/1.5 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
footer{display:flex;justify-content:space-between;margin-top:48px;padding-top:12px;border-top:1px solid var(--line);font-size:12px;color:var(--soft)}
@media (max-width:640px){main{margin:0;padding:24px 16px}.parties{display:block}dl{margin-top:16px}th.n,td.n{padding-left:8px}.sender{text-align:left}}
@media (min-width:641px),print{.ids{white-space:nowrap}}
@page{margin:18mm 16mm}
@media print{body{background:#fff;font-size:11pt}main{max-width:none;margin:0;padding:0;box-shadow:none}tr,.parties,footer{break-inside:avoid}thead{display:table-header-group}tfoot{display:table-row-group}}
`;

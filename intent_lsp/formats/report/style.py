"""The style sheet and the script of the report page.

Invariant: both are constants, and the page's Content-Security-Policy allows only their hashes.
Invariant: without the script everything can be read. It only hides records that do not match the
filter.
"""

import base64
import hashlib
from typing import Final

STYLE: Final = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --sheet: #f6f8fa; --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0;
  --blue: #0969da; --green: #1a7f37; --amber: #9a6700; --red: #cf222e;
  --green-wash: #dafbe1; --red-wash: #ffebe9; --amber-wash: #fff8c5; --heat: 9, 105, 218;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --sheet: #151b23; --ink: #f0f6fc; --soft: #9198a1; --rule: #3d444d;
    --blue: #4493f8; --green: #3fb950; --amber: #d29922; --red: #f85149;
    --green-wash: #12261e; --red-wash: #2d1517; --amber-wash: #272115; --heat: 68, 147, 248;
  }
}
body.vscode-dark, body.vscode-high-contrast {
  color-scheme: dark;
  --sheet: #8888881f; --soft: #a5adb5; --rule: #88888855; --blue: #4493f8; --green: #3fb950;
  --amber: #d29922; --red: #f85149; --green-wash: #12261e; --red-wash: #2d1517;
  --amber-wash: #272115; --heat: 68, 147, 248;
}
body.vscode-light, body.vscode-high-contrast-light {
  color-scheme: light;
  --sheet: #8888881a; --soft: #59636e; --rule: #88888844; --blue: #0969da; --green: #1a7f37;
  --amber: #9a6700; --red: #cf222e; --green-wash: #dafbe1; --red-wash: #ffebe9;
  --amber-wash: #fff8c5; --heat: 9, 105, 218;
}
body[class*="vscode-"] {
  --paper: var(--vscode-editor-background); --ink: var(--vscode-editor-foreground);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem 4rem;
  background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
p { margin: .25rem 0 .75rem; }
.soft, caption, figcaption { color: var(--soft); }
.break, bdi { overflow-wrap: break-word; }
code, .mono { font: .87em/1.5 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace; }
a { color: var(--blue); }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
.chip {
  display: inline-block; padding: 0 .5rem; margin: 0 .25rem .25rem 0; border-radius: 1rem;
  border: 1px solid var(--rule); background: var(--sheet); font-size: .85rem;
}
.PASS, .EXEMPT, .FAIL, .failed {
  display: inline-block; min-width: 4.2rem; padding: 0 .45rem; border-radius: .3rem;
  text-align: center; font-size: .8rem; font-weight: 600;
}
.PASS { color: var(--green); background: var(--green-wash); }
.EXEMPT { color: var(--amber); background: var(--amber-wash); }
.FAIL, .failed { color: var(--red); background: var(--red-wash); }
.verdict {
  margin: 1.5rem 0; padding: 1rem 1.25rem; border: 1px solid var(--rule);
  border-left: .4rem solid;
  border-radius: .5rem; background: var(--sheet);
}
.verdict h2 { margin: 0 0 .5rem; font-size: 1.25rem; }
.verdict .wide { margin-top: 1rem; }
.sound { border-left-color: var(--green); } .sound h2 { color: var(--green); }
.broken { border-left-color: var(--red); } .broken h2 { color: var(--red); }
dl {
  display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .2rem 1rem;
  margin: 0;
}
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: break-word; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(7.25rem, 1fr)); gap: .75rem;
  padding: 0; margin: 0; list-style: none;
}
.cards li {
  padding: .7rem .8rem; border: 1px solid var(--rule); border-radius: .5rem; font-size: .9rem;
}
.cards b {
  display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums;
}
.cards .alarm b { color: var(--red); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; padding-bottom: .4rem; }
th, td {
  padding: .3rem .6rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule);
}
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; overflow-wrap: break-word; }
th.number, .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.when { white-space: nowrap; font-variant-numeric: tabular-nums; }
.heat td {
  text-align: center; font-variant-numeric: tabular-nums; border: 1px solid var(--paper);
}
.heat thead th {
  text-align: center; white-space: normal; overflow-wrap: break-word; vertical-align: bottom;
}
.heat thead th { min-width: 4.5rem; } .heat tbody th { min-width: 11rem; }
.heat thead th:first-child { text-align: left; }
.h1 { background: rgba(var(--heat), .08); } .h2 { background: rgba(var(--heat), .18); }
.h3 { background: rgba(var(--heat), .3); } .h4 { background: rgba(var(--heat), .42); }
.h5 { background: rgba(var(--heat), .55); }
.mark { color: var(--red); font-weight: 700; white-space: nowrap; }
.h4 .mark, .h5 .mark { background: var(--paper); border-radius: .25rem; padding: 0 .2rem; }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; }
svg .axis { stroke: var(--rule); stroke-width: 1; }
svg .pass { fill: var(--green); }
svg .exempt { fill: var(--amber); }
svg .fail { fill: var(--red); }
.key {
  list-style: none; display: flex; gap: 1.25rem; padding: 0; margin: .5rem 0 0;
  font-size: .88rem;
}
.key svg {
  display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
  vertical-align: -.05rem;
}
.bar { display: inline-block; width: 7rem; height: .6rem; margin-right: .6rem; }
.bar .of { fill: var(--rule); }
.bar .is { fill: var(--blue); }
.tools { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 0 0 .75rem; }
.tools[hidden] { display: none; }
.tools input {
  flex: 1 1 18rem; padding: .45rem .7rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--rule); border-radius: .4rem;
}
.tools button {
  padding: .4rem .8rem; font: inherit; color: inherit; cursor: pointer;
  background: var(--sheet); border: 1px solid var(--rule); border-radius: .4rem;
}
details { border-bottom: 1px solid var(--rule); }
details > summary { padding: .35rem .25rem; cursor: pointer; }
#records > details > summary {
  display: grid; gap: .1rem .75rem; align-items: baseline;
  grid-template-columns: 11.2rem 5rem minmax(5rem, 10rem) minmax(10rem, 1fr) 6.5rem;
}
#records > details > summary .when::before { content: "▸"; color: var(--soft); margin-right: .5em; }
#records > details[open] > summary .when::before { content: "▾"; }
#records > details[open] > summary { background: var(--sheet); }
#records > details > dl { padding: .5rem .25rem 1rem 1rem; }
#records h3 {
  grid-column: 1 / -1; font-size: .95rem; margin: .6rem 0 .1rem; overflow-wrap: break-word;
}
footer {
  margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: 1rem; color: var(--soft);
}
@media (max-width: 45rem) {
  #records > details > summary { grid-template-columns: 1fr 1fr; }
  dl { grid-template-columns: 1fr; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11px; }
  .tools { display: none; } .verdict, tr, #records > details { break-inside: avoid; }
}
"""

SCRIPT: Final = """
(() => {
  const box = document.getElementById("filter");
  const told = document.getElementById("shown");
  const toggle = document.getElementById("toggle");
  const records = [...document.querySelectorAll("#records > details")];
  const texts = records.map((record) => record.textContent.toLowerCase());
  const show = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    records.forEach((record, place) => {
      record.hidden = !words.every((word) => texts[place].includes(word));
      count += record.hidden ? 0 : 1;
    });
    told.textContent = `${count} of ${records.length} shown`;
  };
  const reveal = () => {
    const wanted = records.find((record) => "#" + record.id === location.hash);
    if (!wanted) return;
    box.value = "";
    show();
    wanted.open = true;
    wanted.scrollIntoView();
  };
  if (!box) return;
  box.closest(".tools").hidden = false;
  box.addEventListener("input", show);
  toggle.addEventListener("click", () => {
    const open = records.some((record) => !record.hidden && !record.open);
    records.forEach((record) => { record.open = open && !record.hidden; });
  });
  addEventListener("hashchange", reveal);
  show();
  reveal();
})();
"""


def policy() -> str:
    """Return the Content-Security-Policy: only this style sheet and this script, no network."""
    return (
        f"default-src 'none'; style-src '{_hash(STYLE)}'; script-src '{_hash(SCRIPT)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

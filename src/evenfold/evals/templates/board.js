"use strict";
// Sorts the board by a click on a heading and filters its rows; nothing is loaded.
const table = document.getElementById("board");
const body = table.tBodies[0];
const filter = document.getElementById("filter");
const tiers = document.getElementById("tier");
const shown = document.getElementById("shown");
const rows = [...body.rows];

const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

function number(text) {
  const found = text.replaceAll("\u2212", "-").match(/(-?\d+(?:\.\d+)?)(?: \u00d7 10(\S+))?/);
  if (!found) return NaN;
  const power = [...(found[2] ?? "")].map((c) => (c === "\u207b" ? "-" : RAISED.indexOf(c))).join("");
  return parseFloat(found[1] + "e" + (power || "0"));
}

function compare(a, b, numeric) {
  if (!numeric) return a.localeCompare(b);
  const x = number(a), y = number(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
  return x - y;
}

function sort(heading, column) {
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const numeric = heading.classList.contains("n");
  rows.sort((a, b) => compare(a.cells[column].textContent, b.cells[column].textContent, numeric));
  if (down) rows.reverse();
  body.append(...rows);
}

function choose() {
  const word = filter.value.toLowerCase();
  let left = 0;
  for (const row of rows) {
    const there = row.dataset.name.toLowerCase().includes(word)
      && (tiers.value === "" || row.dataset.tier === tiers.value);
    row.hidden = !there;
    left += there;
  }
  shown.textContent = left + " of " + rows.length + " models";
}

[...table.tHead.rows[0].cells].forEach((heading, column) => {
  heading.querySelector("button").addEventListener("click", () => sort(heading, column));
});
filter.addEventListener("input", choose);
tiers.addEventListener("change", choose);
choose();

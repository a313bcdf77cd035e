// Sorts and filters the tables, walks the drill-down and points at the charts of a report.
// The page reads without it: what only it can use is hidden until it runs. Nothing is loaded, sent or stored.
"use strict";
(() => {
  const language = document.documentElement.lang;
  const collator = new Intl.Collator(language, { numeric: true });
  const FEW = 15; // rows of a table before somebody asks for all
  const MANY = 8; // rows from which a filter is worth its place

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const folded = (text) => text.normalize("NFKC").toLocaleLowerCase(language);
  const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const counted = new Intl.NumberFormat(language);

  // Amounts are decimal text with up to twelve places. They are compared and added as whole numbers of the
  // twelfth place, so that no digit is lost; null is an unknown amount.
  const PLACES = 12;
  const isAmount = (text) => /^-?\d+(\.\d+)?$/.test(text);
  function units(text) {
    const [whole, part = ""] = text.split(".");
    return BigInt(whole + part.padEnd(PLACES, "0").slice(0, PLACES));
  }
  function written(amount, places) {
    const digits = String(amount < 0n ? -amount : amount).padStart(PLACES + 1, "0");
    const text = `${amount < 0n ? "-" : ""}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
    const shape = { minimumFractionDigits: places, maximumFractionDigits: places, roundingMode: "halfEven" };
    return new Intl.NumberFormat(language, shape).format(text);
  }

  // "12 of 500 rows", and what they cost together where the table tells money that adds up.
  function told(place, items, chosen) {
    const { words, together, code, places } = place.dataset;
    const count = filled(words, { shown: counted.format(chosen.length), all: counted.format(items.length) });
    const known = chosen.filter((item) => item.amount !== null);
    if (!together || !known.length) return count;
    const sum = known.reduce((added, item) => added + item.amount, 0n);
    return `${count} · ${filled(together, { amount: written(sum, Number(places)), code })}`;
  }

  // The text box and the choices of one table or tree; `changed` runs whenever they do.
  function filterOf(place, items, changed) {
    const tools = place.querySelector(".tools");
    const box = tools.querySelector("input");
    const choices = all("select", tools);
    for (const choice of choices) {
      const names = [...new Set(items.map((item) => item.element.dataset[choice.dataset.by]))].filter(Boolean);
      choice.hidden = names.length < 2;
      choice.append(...names.sort(collator.compare).map((name) => new Option(name, name)));
      choice.addEventListener("change", changed);
    }
    box.addEventListener("input", changed);
    tools.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      box.value = "";
      choices.forEach((choice) => (choice.value = ""));
      changed();
    });
    return {
      tools,
      words: () => folded(box.value).split(/\s+/).filter(Boolean),
      active: () => Boolean(box.value.trim() || choices.some((choice) => choice.value)),
      lets: (item) =>
        choices.every((choice) => !choice.value || item.element.dataset[choice.dataset.by] === choice.value),
    };
  }

  // --- tables ---

  // What a row says in words: figures are there to be sorted.
  const named = (row) => {
    const told = [...row.cells].filter((cell) => !cell.matches(".n"));
    return folded(told.map((cell) => cell.textContent).join(" "));
  };

  function table(place) {
    const [body, ...others] = all("tbody", place);
    const more = place.querySelector(".more");
    const status = place.querySelector("[role=status]");
    const items = [...body.rows].map((row) => {
      const value = row.cells[1]?.dataset.v ?? "";
      return { element: row, text: named(row), amount: isAmount(value) ? units(value) : null };
    });
    const nobodys = others.flatMap((one) => [...one.rows]).filter((row) => row.classList.contains("apart"));
    let opened = false;
    let order = items;

    const filter = filterOf(place, items, show);
    filter.tools.hidden = items.length < MANY;

    function show() {
      const words = filter.words();
      const found = order.filter((item) => filter.lets(item) && words.every((word) => item.text.includes(word)));
      const few = !opened && found.length > FEW + 1;
      const shown = new Set(few ? found.slice(0, FEW) : found);
      for (const item of items) item.element.hidden = !shown.has(item);
      for (const row of nobodys) row.hidden = !words.every((word) => named(row).includes(word));
      status.textContent = filter.active() ? told(place, items, found) : "";
      more.hidden = found.length <= FEW + 1;
      more.textContent = filled(few ? more.dataset.more : more.dataset.fewer, { n: counted.format(found.length) });
      more.setAttribute("aria-expanded", String(!few));
    }
    more.addEventListener("click", () => {
      opened = !opened;
      show();
    });
    all("th[data-sorts]", place).forEach((head) => sorter(place, head, (by, turn) => {
      order = [...order].sort((one, other) => compared(by(one.element), by(other.element), turn));
      body.append(...order.map((item) => item.element));
      show();
    }));
    show();
  }

  // A heading becomes a button: the first press sorts amounts from the largest and names from the first.
  function sorter(place, head, sort) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const column = head.cellIndex;
      const falls = head.getAttribute("aria-sort") === (head.classList.contains("n") ? null : "ascending");
      for (const other of all("th[aria-sort]", place)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      sort((row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim(), falls ? -1 : 1);
    });
  }

  // What is unknown comes last, whichever way a column is sorted.
  function compared(one, other, turn) {
    if (!one || !other) return (one ? 0 : 1) - (other ? 0 : 1);
    if (!isAmount(one) || !isAmount(other)) return turn * collator.compare(one, other);
    const apart = units(one) - units(other);
    return apart === 0n ? 0 : apart < 0n ? -turn : turn;
  }

  // --- drill-down ---

  function tree(place) {
    const status = place.querySelector("[role=status]");
    const unfold = place.querySelector(".unfold");
    const branches = all("details", place);
    const path = (branch) => (branch.matches(".tree") ? [] : [...path(branch.parentElement), branch]);
    const nameOf = (branch) => branch.querySelector(".name").textContent;
    const items = all("details.experiment", place).map((branch) => {
      const above = path(branch).slice(0, -1);
      const value = branch.dataset.v;
      return {
        element: branch,
        above,
        names: folded([...above, branch].map(nameOf).join(" ")),
        leaves: all(".leaf", branch).map((leaf) => ({ element: leaf, text: folded(nameOf(leaf)) })),
        amount: isAmount(value) ? units(value) : null,
      };
    });
    const filter = filterOf(place, items, show);
    filter.tools.hidden = false;

    function show() {
      const words = filter.words();
      const active = filter.active();
      const kept = new Set();
      const found = [];
      for (const item of items) {
        const left = words.filter((word) => !item.names.includes(word));
        const leaves = item.leaves.filter((leaf) => left.every((word) => leaf.text.includes(word)));
        const matches = filter.lets(item) && (!left.length || leaves.length > 0);
        for (const leaf of item.leaves) leaf.element.hidden = left.length > 0 && !leaves.includes(leaf);
        if (!matches) continue;
        found.push(item);
        [item.element, ...item.above].forEach((branch) => kept.add(branch));
        if (active) item.above.forEach((branch) => (branch.open = true));
        if (left.length) item.element.open = true;
      }
      for (const branch of branches) branch.hidden = active && !kept.has(branch);
      place.classList.toggle("chosen", active);
      status.textContent = active ? told(place, items, found) : "";
      fold();
    }
    function fold() {
      const open = branches.every((branch) => branch.open);
      unfold.textContent = open ? unfold.dataset.fewer : unfold.dataset.more;
      unfold.setAttribute("aria-expanded", String(open));
    }
    unfold.addEventListener("click", () => {
      const open = branches.every((branch) => branch.open);
      branches.forEach((branch) => (branch.open = !open));
      fold();
    });
    branches.forEach((branch) => branch.addEventListener("toggle", fold));
    place.addEventListener("keydown", (event) => {
      const summary = event.target.closest("summary");
      if (summary) walk(place, summary, event);
    });
  }

  const inView = (summary) =>
    !summary.closest("[hidden]") && !summary.parentElement.parentElement.closest("details:not([open])");

  // As in a tree of files: up and down, right opens and enters, left closes and leaves.
  function walk(place, summary, event) {
    const branch = summary.parentElement;
    const seen = all("summary", place).filter(inView);
    const at = seen.indexOf(summary);
    const inside = branch.querySelector(":scope > details:not([hidden]) > summary");
    const outside = branch.parentElement.closest("details");
    const steps = {
      ArrowDown: () => seen[at + 1],
      ArrowUp: () => seen[at - 1],
      Home: () => seen[0],
      End: () => seen[seen.length - 1],
      ArrowRight: () => (branch.open ? inside : void (branch.open = true)),
      ArrowLeft: () => (branch.open ? void (branch.open = false) : outside?.querySelector("summary")),
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    steps[event.key]()?.focus();
  }

  // --- charts ---

  // What a bar says is its title; here it shows at once, by pointer, touch or arrow keys, and is read out.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  document.body.append(tip);

  function chart(drawing) {
    const bars = all(".bar", drawing);
    if (!bars.length) return;
    const says = new Map(bars.map((bar) => [bar, bar.textContent]));
    bars.forEach((bar) => bar.replaceChildren());
    let at = -1;

    function point(bar) {
      all(".bar.at", drawing).forEach((one) => one.classList.remove("at"));
      tip.textContent = bar ? says.get(bar) : "";
      if (!bar) return;
      bar.classList.add("at");
      const box = bar.getBoundingClientRect();
      const left = Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8);
      const above = box.top - tip.offsetHeight - 8;
      tip.style.left = `${Math.max(8, left)}px`;
      tip.style.top = `${above > 0 ? above : box.bottom + 8}px`;
    }
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "application");
    drawing.setAttribute("aria-label", `${drawing.getAttribute("aria-label")} ${drawing.dataset.arrows}`);
    drawing.addEventListener("pointerover", (event) => point(says.has(event.target) ? event.target : null));
    drawing.addEventListener("pointerleave", () => point(null));
    drawing.addEventListener("blur", () => point(null));
    drawing.addEventListener("keydown", (event) => {
      const last = bars.length - 1;
      const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
      if (event.key === "Escape") point(null);
      if (!(event.key in next)) return;
      event.preventDefault();
      at = Math.max(0, Math.min(last, next[event.key]));
      point(bars[at]);
    });
  }

  all(".sifted").forEach(table);
  all(".tree").forEach(tree);
  all(".drawn").forEach(chart);
  document.documentElement.classList.add("ready");
})();

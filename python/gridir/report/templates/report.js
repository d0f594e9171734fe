"use strict";
// The page's script: the theme, the grid and its blocks, and the links between lines. All texts are in the page already.

const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

function setUpTheme() {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  document.getElementById("theme").addEventListener("click", () => {
    const dark = (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    document.dispatchEvent(new Event("themechange"));
  });
  prefersDark.addEventListener("change", () => document.dispatchEvent(new Event("themechange")));
  // Pictures are drawn again for paper, which is light.
  let onScreen;
  const choose = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    document.dispatchEvent(new Event("themechange"));
  };
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    choose("light");
  });
  addEventListener("afterprint", () => choose(onScreen));
}

const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

/** The coordinates of a number in row-major order. */
function unravel(number, sizes) {
  const coordinates = [];
  for (let i = sizes.length - 1; i >= 0; i--) {
    coordinates[i] = number % sizes[i];
    number = Math.floor(number / sizes[i]);
  }
  return coordinates;
}

/** The number of coordinates in row-major order. */
const ravel = (coordinates, sizes) => coordinates.reduce((number, x, i) => number * sizes[i] + x, 0);

/** One operand's array with the blocks of the programs on it. */
class OperandPicture {
  constructor(figure, operand) {
    this.figure = figure;
    this.operand = operand;
    this.canvas = figure.querySelector("canvas");
    this.witness = null;
    // Dimensions of size 1 show nothing; of the others the last two are a panel, and each index of the rest has one.
    const kept = operand.shape.map((size, i) => i).filter((i) => operand.shape[i] > 1);
    this.rows = kept.length > 1 ? kept[kept.length - 2] : -1;
    this.columns = kept.length ? kept[kept.length - 1] : -1;
    this.outer = kept.slice(0, -2);
    this.outerSizes = this.outer.map((i) => operand.shape[i]);
    this.panels = product(this.outerSizes);
  }

  extent(dimension, of) {
    return dimension < 0 ? 1 : this.operand[of][dimension];
  }

  /** The panels that a block is on, as numbers. */
  panelsOf(start) {
    let panels = [0];
    this.outer.forEach((dimension, i) => {
      const first = Math.max(start[dimension], 0);
      const last = Math.min(start[dimension] + this.operand.block[dimension], this.outerSizes[i]);
      const next = [];
      for (const panel of panels) for (let x = first; x < last; x++) next.push(panel * this.outerSizes[i] + x);
      panels = next;
    });
    return panels;
  }

  draw(step) {
    const { operand, canvas } = this;
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const rows = this.extent(this.rows, "shape"), columns = this.extent(this.columns, "shape");
    const start = operand.starts ? operand.starts[step] : null;
    // Where there are many panels, those of the witness and of this program's block are shown.
    let shown = [...Array(Math.min(this.panels, 12)).keys()];
    if (this.panels > 12) {
      shown = start ? this.panelsOf(start).slice(0, 11) : [0];
      if (this.witness) shown = [...new Set([ravel(this.outer.map((i) => this.witness[i]), this.outerSizes), ...shown])];
    }
    const across = Math.min(shown.length, 4), down = Math.ceil(shown.length / across);
    const room = Math.max(90, 300 / across);
    const margin = 14, label = this.panels > 1 ? 14 : 0;
    const blockRows = this.extent(this.rows, "block"), blockColumns = this.extent(this.columns, "block");
    // What overhangs is drawn, too, as far as a block reaches.
    const reach = (size, block) => Math.ceil(size / Math.max(block, 1)) * block;
    const totalRows = Math.max(rows, start ? reach(rows, Math.min(blockRows, 4 * rows)) : 0);
    const totalColumns = Math.max(columns, start ? reach(columns, Math.min(blockColumns, 4 * columns)) : 0);
    const scale = room / Math.max(totalRows, totalColumns);
    const width = Math.max(totalColumns * scale, 48), height = Math.max(totalRows * scale, 24);
    const sx = width / totalColumns, sy = height / totalRows;
    const ratio = window.devicePixelRatio || 1;
    const fullWidth = across * (width + margin) + margin, fullHeight = down * (height + margin + label) + margin;
    canvas.width = fullWidth * ratio;
    canvas.height = fullHeight * ratio;
    canvas.style.width = `${fullWidth}px`;
    canvas.style.height = `${fullHeight}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const counts = this.countsUntil(step);
    shown.forEach((panel, position) => {
      const x = margin + (position % across) * (width + margin);
      const y = margin + label + Math.floor(position / across) * (height + margin + label);
      context.save();
      context.translate(x, y);
      context.fillStyle = color("--surface");
      context.fillRect(0, 0, columns * sx, rows * sy);
      const rectangle = (s) => [
        (this.columns < 0 ? 0 : s[this.columns]) * sx, (this.rows < 0 ? 0 : s[this.rows]) * sy,
        blockColumns * sx, blockRows * sy,
      ];
      context.fillStyle = color("--accent");
      for (const [block, times] of counts) {
        if (!this.panelsOf(block).includes(panel)) continue;
        context.globalAlpha = Math.min(0.2 + 0.12 * (times - 1), 0.7);
        context.fillRect(...rectangle(block));
        context.globalAlpha = 0.5;
        context.strokeStyle = color("--line");
        context.strokeRect(...rectangle(block));
      }
      context.globalAlpha = 1;
      if (start && this.panelsOf(start).includes(panel)) {
        const now = rectangle(start);
        context.fillStyle = color(operand.role === "output" ? "--write" : "--read");
        context.globalAlpha = 0.75;
        context.fillRect(...now);
        context.globalAlpha = 1;
        this.hatchOutside(context, now, columns * sx, rows * sy, color("--outside"));
      }
      context.strokeStyle = color("--text");
      context.lineWidth = 1;
      context.strokeRect(0, 0, columns * sx, rows * sy);
      if (this.witness && ravel(this.outer.map((i) => this.witness[i]), this.outerSizes) === panel) {
        const at = [
          ((this.columns < 0 ? 0 : this.witness[this.columns]) + 0.5) * sx,
          ((this.rows < 0 ? 0 : this.witness[this.rows]) + 0.5) * sy,
        ];
        context.strokeStyle = context.fillStyle = color("--mark");
        context.lineWidth = 2;
        context.beginPath();
        context.arc(...at, 6, 0, 2 * Math.PI);
        context.stroke();
        context.fillRect(at[0] - 1, at[1] - 1, 2, 2);
      }
      context.restore();
      if (this.panels > 1) {
        const index = operand.shape.map(() => ":");
        unravel(panel, this.outerSizes).forEach((i, n) => (index[this.outer[n]] = i));
        context.fillStyle = color("--muted");
        context.font = "11px system-ui, sans-serif";
        context.fillText(`[${index.join(", ")}]`, x, y - 4);
      }
    });
    this.describe(step, start);
  }

  /** Distinct blocks up to a step, each with how often the block changed to it. */
  countsUntil(step) {
    const counts = new Map();
    if (!this.operand.starts) return [];
    let before = "";
    for (let i = 0; i <= step; i++) {
      const key = this.operand.starts[i].join();
      if (key !== before) {
        const entry = counts.get(key);
        counts.set(key, entry ? [entry[0], entry[1] + 1] : [this.operand.starts[i], 1]);
      }
      before = key;
    }
    return counts.values();
  }

  hatchOutside(context, [x, y, width, height], right, bottom, color) {
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.beginPath();
    context.rect(x, y, width, height);
    context.rect(0, 0, right, bottom);
    context.clip("evenodd");
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    for (let offset = -height; offset < width + height; offset += 6) {
      context.beginPath();
      context.moveTo(x + offset, y);
      context.lineTo(x + offset + height, y + height);
      context.stroke();
    }
    context.restore();
  }

  /** Says in words what the picture shows of one step. */
  describe(step, start) {
    const { operand } = this;
    if (!start) return;
    const key = start.join();
    const spans = start.map((first, i) => `${first}:${first + operand.block[i]}`).join(", ");
    let first = step;
    while (first > 0 && operand.starts[first - 1].join() === key) first--;
    const earlier = operand.starts.slice(0, first).findLastIndex((other) => other.join() === key);
    const outside = start.some((s, i) => s < 0 || s + operand.block[i] > operand.shape[i]);
    const parts = [`${operand.role === "output" ? "writes" : "reads"} [${spans}]`];
    if (first < step) parts.push("as the program before");
    else if (earlier >= 0) parts.push(`left after step ${earlier}, and back`);
    if (outside) parts.push("overhangs the array");
    this.figure.querySelector(".now").textContent = parts.join(", ");
    this.canvas.setAttribute("aria-label", `blocks of ${operand.name}: step ${step} ${parts.join(", ")}`);
  }
}

/** The grid of a kernel, gone through program by program. */
class Stepper {
  constructor(section, grid) {
    this.grid = grid;
    this.section = section;
    this.slider = section.querySelector(".step");
    if (!this.slider) return;
    this.sizes = grid.dimensions.map((dimension) => dimension.size);
    this.pictures = [...section.querySelectorAll("figure.operand")].map(
      (figure) => new OperandPicture(figure, grid.operands[figure.dataset.operand]),
    );
    this.cells = this.drawGrid();
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    section.querySelector(".previous").addEventListener("click", () => this.show(this.step - 1));
    section.querySelector(".next").addEventListener("click", () => this.show(this.step + 1));
    section.querySelector(".play").addEventListener("click", (event) => this.play(event.currentTarget));
    for (const button of section.querySelectorAll("button.witness")) {
      button.addEventListener("click", () => this.showWitness(button));
    }
    document.addEventListener("themechange", () => this.show(this.step));
    this.show(0);
  }

  drawGrid() {
    const svg = this.section.querySelector("svg.grid");
    const last = this.sizes.length ? this.sizes[this.sizes.length - 1] : 1;
    // A grid of one dimension is broken into rows, which a person can hit.
    const columns = this.sizes.length === 1 ? Math.min(last, 16) : last;
    const rows = Math.ceil(this.grid.shown / Math.max(columns, 1));
    const side = Math.max(4, Math.min(26, 320 / Math.max(columns, rows)));
    svg.setAttribute("width", columns * side + 2);
    svg.setAttribute("height", rows * side + 2);
    const cells = [];
    for (let step = 0; step < this.grid.shown; step++) {
      const cell = document.createElementNS(SVG, "rect");
      cell.setAttribute("x", 1 + (step % columns) * side);
      cell.setAttribute("y", 1 + Math.floor(step / columns) * side);
      cell.setAttribute("width", side - 1);
      cell.setAttribute("height", side - 1);
      cell.dataset.step = step;
      cell.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: this.name(step) }));
      svg.append(cell);
      cells.push(cell);
    }
    svg.addEventListener("click", (event) => {
      const { step } = event.target.dataset;
      if (step !== undefined) this.show(Number(step));
    });
    return cells;
  }

  name(step) {
    return `program (${unravel(step, this.sizes).join(", ")})`;
  }

  show(step) {
    this.step = Math.max(0, Math.min(step, this.grid.shown - 1));
    this.slider.value = this.step;
    const text = `${this.name(this.step)}, step ${this.step + 1} of ${this.grid.shown}`;
    this.slider.setAttribute("aria-valuetext", text);
    this.section.querySelector("output.program").textContent = text;
    this.cells.forEach((cell, i) => {
      cell.classList.toggle("now", i === this.step);
      cell.classList.toggle("done", i < this.step);
    });
    for (const picture of this.pictures) picture.draw(this.step);
  }

  play(button) {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.step === this.grid.shown - 1) this.show(0);
      this.timer = setInterval(() => {
        this.show(this.step + 1);
        if (this.step === this.grid.shown - 1) this.play(button);
      }, 250);
    }
    button.textContent = this.timer ? "❚❚" : "▶▶";
    button.setAttribute("aria-label", this.timer ? "pause" : "play");
  }

  showWitness(button) {
    if (button.dataset.program) {
      const step = ravel(JSON.parse(button.dataset.program), this.sizes);
      this.show(step);
      this.cells[this.step].classList.add("witness");
    }
    if (button.dataset.element) {
      for (const picture of this.pictures) {
        picture.witness = picture.operand.name === button.dataset.subject ? JSON.parse(button.dataset.element) : null;
      }
      this.show(this.step);
    }
    this.section.querySelector(".pictures").scrollIntoView({ block: "nearest" });
  }
}

/** The source beside the stages, and the links between their lines. */
class Links {
  constructor(section, listings) {
    this.section = section;
    this.listings = listings;
    this.source = section.querySelector(".pane.source .lines");
    this.stage = section.querySelector(".pane.stages .lines");
    this.sourceLines = new Map([...this.source.querySelectorAll(".line")].map((line) => [line.dataset.key, line]));
    this.lit = new Set();
    const known = new Set(listings.flatMap((listing) => listing.sets.flat()));
    for (const [key, line] of this.sourceLines) line.classList.toggle("linkable", known.has(key));
    this.targetTabs = [...section.querySelectorAll(".tabs.targets [role=tab]")];
    this.stageTabs = [...section.querySelectorAll(".stage-tabs [role=tab]")];
    for (const tab of this.targetTabs) tab.addEventListener("click", () => this.chooseTarget(tab.dataset.target));
    for (const tab of this.stageTabs) tab.addEventListener("click", () => this.chooseListing(Number(tab.dataset.listing)));
    for (const list of section.querySelectorAll("[role=tablist]")) this.moveByArrows(list);
    this.source.addEventListener("click", (event) => this.chosen(event, (line) => this.chooseSource(line.dataset.key)));
    this.stage.addEventListener("click", (event) => this.chosen(event, (line) => this.chooseStage(Number(line.dataset.line))));
    for (const pane of [this.source, this.stage]) pane.addEventListener("keydown", (event) => this.onKey(event, pane));
    this.chooseTarget("0");
  }

  chosen(event, choose) {
    const line = event.target.closest(".line.linkable");
    if (line && !getSelection().toString()) choose(line);
  }

  moveByArrows(list) {
    list.addEventListener("keydown", (event) => {
      const tabs = [...list.querySelectorAll("[role=tab]")];
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
      event.preventDefault();
    });
  }

  chooseTarget(target) {
    for (const tab of this.targetTabs) tab.setAttribute("aria-selected", tab.dataset.target === target);
    for (const list of this.section.querySelectorAll(".stage-tabs")) list.hidden = list.dataset.target !== target;
    // The stage of the same name, where this target has it.
    const tabs = this.stageTabs.filter((tab) => tab.dataset.target === target);
    const tab = tabs.find((other) => other.firstChild.textContent === this.stageName) || tabs[0];
    if (tab) this.chooseListing(Number(tab.dataset.listing));
    else this.stage.replaceChildren();
  }

  chooseListing(number) {
    this.number = number;
    for (const tab of this.stageTabs) {
      const isChosen = Number(tab.dataset.listing) === number;
      tab.setAttribute("aria-selected", isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) this.stageName = tab.firstChild.textContent;
    }
    const find = (listing) => this.section.querySelector(`template[data-listing="${listing}"]`);
    let template = find(number);
    while (template.dataset.same) template = find(template.dataset.same);
    const { lines } = this.listings[number];
    const rows = template.innerHTML.split("\n").map((html, i) => {
      const row = document.createElement("div");
      row.className = lines[i] >= 0 ? "line linkable" : "line";
      row.dataset.line = i;
      row.innerHTML = `<span class="no">${i + 1}</span><span class="text">${html}</span>`;
      return row;
    });
    this.stage.replaceChildren(...rows);
    this.stage.scrollTop = 0;
    this.light();
  }

  keysOf(line) {
    const { sets, lines } = this.listings[this.number];
    return lines[line] >= 0 ? sets[lines[line]] : [];
  }

  chooseSource(key) {
    this.lit = new Set([key]);
    this.chosenSource = key;
    this.chosenStage = -1;
    this.light();
    this.stage.querySelector(".line.lit")?.scrollIntoView({ block: "center" });
  }

  chooseStage(line) {
    this.lit = new Set(this.keysOf(line));
    this.chosenSource = null;
    this.chosenStage = line;
    this.light();
    this.source.querySelector(".line.lit")?.scrollIntoView({ block: "center" });
  }

  /** Lights up what belongs to the lit source lines, on both sides, and counts it on the tabs. */
  light() {
    for (const [key, line] of this.sourceLines) {
      line.classList.toggle("lit", this.lit.has(key));
      line.classList.toggle("chosen", key === this.chosenSource);
    }
    const counts = this.listings.map(({ sets, lines }) => {
      const isLit = sets.map((keys) => keys.some((key) => this.lit.has(key)));
      return lines.filter((set) => set >= 0 && isLit[set]).length;
    });
    this.stageTabs.forEach((tab) => {
      tab.querySelector(".count").textContent = counts[tab.dataset.listing] || "";
    });
    [...this.stage.children].forEach((row, i) => {
      row.classList.toggle("lit", this.keysOf(i).some((key) => this.lit.has(key)));
      row.classList.toggle("chosen", i === this.chosenStage);
    });
  }

  onKey(event, pane) {
    if (event.key === "Escape") {
      this.lit = new Set();
      this.chosenSource = null;
      this.chosenStage = -1;
      this.light();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const lines = [...pane.querySelectorAll(".line.linkable")];
    const current = lines.findIndex((line) => line.classList.contains("chosen"));
    const next = lines[Math.max(0, Math.min(current < 0 ? 0 : current + step, lines.length - 1))];
    if (!next) return;
    if (pane === this.source) this.chooseSource(next.dataset.key);
    else this.chooseStage(Number(next.dataset.line));
    next.scrollIntoView({ block: "nearest" });
  }

  /** Goes to a line of the source; false where it is not shown. */
  goTo(key) {
    const line = this.sourceLines.get(key);
    if (!line) return false;
    this.chooseSource(key);
    line.scrollIntoView({ block: "center" });
    return true;
  }
}

setUpTheme();
const views = [...document.querySelectorAll("section.kernel")].map((section) => {
  const kernel = data.kernels[section.dataset.kernel];
  new Stepper(section, kernel.grid);
  return { section, links: new Links(section, kernel.listings) };
});
for (const link of document.querySelectorAll("a.location")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const own = views.find((view) => view.section.contains(link));
    (own ? [own] : views).some((view) => view.links.goTo(link.dataset.key));
  });
}

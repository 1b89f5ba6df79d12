// Search in the book. The index is a script of its own, loaded when somebody searches: pages opened from a disk may not fetch files.
(() => {
  "use strict";
  const root = document.currentScript.dataset.root;
  const MOST = 12; // results that are shown
  const AROUND = 70; // letters of a result before and after the word that was found

  let sections = null; // [{ address, title, heading, text, plain: { title, heading, text } }]
  let waiting = null;
  let results = [];
  let chosen = -1;

  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

  function load() {
    waiting ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = root + "search-index.js";
      script.onload = () => {
        sections = window.linkworkSearch.map(([address, title, heading, text]) => ({
          address, title, heading, text, plain: { title: plain(title), heading: plain(heading), text: plain(text) },
        }));
        resolve();
      };
      script.onerror = reject;
      document.head.append(script);
    });
    return waiting;
  }

  const isLetter = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);

  // 0 where a word is not there, 1 within other words, 2 where a word begins with it, 3 where it is a word
  function grade(text, word) {
    let best = 0;
    for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
      const begins = !isLetter(text[at - 1]);
      const ends = !isLetter(text[at + word.length]);
      best = Math.max(best, begins && ends ? 3 : begins ? 2 : 1);
    }
    return best;
  }

  // Every word must be found in the section, its heading or the title of its page, and one of them in the section itself; what is found in
  // headings counts most.
  function score({ plain: { title, heading, text } }, words, phrase) {
    let sum = 0;
    let own = 0;
    for (const word of words) {
      const here = 8 * grade(heading, word) + grade(text, word);
      const found = here + 4 * grade(title, word);
      if (found === 0) return 0;
      sum += found;
      own += here;
    }
    if (own === 0) return 0;
    if (heading === phrase) sum += 40;
    else if (heading.includes(phrase)) sum += 10;
    else if (words.length > 1 && text.includes(phrase)) sum += 6;
    return heading === title ? sum + 4 : sum;
  }

  function find(query) {
    const phrase = plain(query).trim().replace(/\s+/g, " ");
    const words = phrase.split(" ").filter((word) => word !== "");
    if (words.length === 0) return [];
    return sections
      .map((section, order) => ({ section, order, score: score(section, words, phrase), words }))
      .filter((result) => result.score > 0)
      .sort((a, b) => b.score - a.score || a.order - b.order)
      .slice(0, MOST);
  }

  // The text around the first word, with all words marked. Places in plain and written text agree but for letters with marks, so the text is cut first.
  function excerpt({ section, words }) {
    const first = words.map((word) => section.plain.text.indexOf(word)).filter((at) => at >= 0);
    const near = (first.length === 0 ? 0 : Math.min(...first)) - AROUND;
    const at = near > 0 ? section.text.indexOf(" ", near) + 1 : 0; // from a whole word on
    const end = Math.min(section.text.length, at + 2 * AROUND + 40);
    return (at > 0 ? "… " : "") + section.text.slice(at, end) + (end < section.text.length ? " …" : "");
  }

  function marked(text, words) {
    const letters = plain(text);
    if (letters.length !== text.length) return [text];
    const parts = [];
    let from = 0;
    while (from < text.length) {
      const hits = words.map((word) => [letters.indexOf(word, from), word.length]).filter(([at]) => at >= 0);
      if (hits.length === 0) break;
      const [at, length] = hits.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] > a[1]) ? b : a));
      const mark = document.createElement("mark");
      mark.textContent = text.slice(at, at + length);
      parts.push(text.slice(from, at), mark);
      from = at + length;
    }
    parts.push(text.slice(from));
    return parts;
  }

  const element = (name, set, ...children) => {
    const made = Object.assign(document.createElement(name), set);
    made.append(...children);
    return made;
  };

  const input = element("input", { type: "search", id: "search-words", autocomplete: "off", spellcheck: false, placeholder: "Search the book" });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-label", "Search the book");
  input.setAttribute("aria-controls", "search-results");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-autocomplete", "list");
  const list = element("ul", { id: "search-results" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  const state = element("p", { className: "state" });
  state.setAttribute("role", "status");
  const dialog = element("dialog", { className: "search" }, input, state, list);
  dialog.setAttribute("aria-label", "Search");
  document.body.append(dialog);

  function show() {
    results = find(input.value);
    list.replaceChildren(
      ...results.map((result, i) => {
        const { section, words } = result;
        const where = section.heading === section.title ? [] : [element("span", { className: "page" }, section.title)];
        const link = element(
          "a",
          { href: root + section.address, tabIndex: -1 },
          element("span", { className: "heading" }, ...marked(section.heading, words)),
          ...where,
          element("span", { className: "text" }, ...marked(excerpt(result), words)),
        );
        link.addEventListener("click", close);
        const item = element("li", { id: `search-${i}` }, link);
        item.setAttribute("role", "option");
        return item;
      }),
    );
    input.setAttribute("aria-expanded", String(results.length > 0));
    const asked = input.value.trim() !== "";
    state.textContent = !asked ? "↑ ↓ choose, Enter opens, Esc closes" : results.length === 0 ? "Nothing found" : results.length < MOST ? `${results.length} found` : `the best ${MOST}`;
    choose(results.length > 0 ? 0 : -1);
  }

  function choose(i) {
    chosen = i;
    [...list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === i)));
    if (i < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", `search-${i}`);
    list.children[i].scrollIntoView({ block: "nearest" });
  }

  async function open(words) {
    if (!dialog.open) dialog.showModal();
    if (words !== undefined) input.value = words;
    input.select();
    try {
      await load();
      show();
    } catch {
      state.textContent = "The index of the book is missing";
    }
  }

  function close() {
    dialog.close();
  }

  input.addEventListener("input", () => sections && show());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && results.length > 0) {
      choose((chosen + step + results.length) % results.length);
      event.preventDefault();
    } else if (event.key === "Enter" && chosen >= 0) {
      list.children[chosen].firstChild.click();
      event.preventDefault();
    } else if (event.key === "Escape") {
      close(); // a search field would only be emptied
      event.preventDefault();
    }
  });
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (slash || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      open();
      event.preventDefault();
    }
  });
  for (const button of document.querySelectorAll("button.find")) {
    button.hidden = false;
    button.addEventListener("click", () => open());
  }
  const asked = new URLSearchParams(location.search).get("search");
  if (asked !== null) open(asked);
})();

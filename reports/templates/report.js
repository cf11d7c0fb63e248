"use strict";
(() => {
  const form = document.getElementById("filters");
  if (form) {
    const list = document.getElementById("instances");
    const articles = [...list.children];
    const means = new Map(articles.map((article) => [article, JSON.parse(article.dataset.means)]));
    const field = (name) => form.elements.namedItem(name);
    const show = () => {
      const [query, subset, model, fate, kind] = ["query", "subset", "model", "fate", "kind"].map(
        (name) => field(name).value.trim(),
      );
      let count = 0;
      for (const article of articles) {
        let entries = 0;
        for (const entry of article.querySelectorAll(".entry")) {
          const { model: by, fate: end, kinds } = entry.dataset;
          const fits =
            (!model || by === model) &&
            (!fate || end === fate) &&
            (!kind || kinds.split(" ").includes(kind));
          entry.hidden = !fits;
          entries += fits ? 1 : 0;
        }
        const { name, subset: part } = article.dataset;
        const fits =
          entries > 0 &&
          (!subset || part === subset) &&
          name.toLowerCase().includes(query.toLowerCase());
        article.hidden = !fits;
        count += fits ? 1 : 0;
      }
      field("count").textContent = `${count} of ${articles.length}`;
      document.getElementById("nothing").hidden = count > 0;
    };
    const sort = () => {
      const chosen = field("order").selectedOptions[0];
      const sign = Number(chosen.dataset.sign ?? 1);
      const worth = (article) => sign * (means.get(article)[chosen.value] ?? Infinity * sign);
      const sorted = chosen.value ? [...articles].sort((a, b) => worth(a) - worth(b)) : articles;
      list.append(...sorted);
    };
    form.addEventListener("input", show);
    field("order").addEventListener("change", sort);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  }

  const dialog = document.getElementById("compare");
  if (!dialog || !dialog.showModal) return;
  const stage = dialog.querySelector(".stage");
  const modes = [...dialog.querySelectorAll("[data-mode]")].filter((one) => one !== stage);
  const part = (name) => document.getElementById(`compare-${name}`);
  const choose = (mode) => {
    stage.dataset.mode = mode;
    for (const button of modes) button.setAttribute("aria-pressed", button.dataset.mode === mode);
  };
  for (const button of modes) button.addEventListener("click", () => choose(button.dataset.mode));
  const held = (on) => () => stage.classList.toggle("held", on);
  stage.addEventListener("pointerdown", held(true));
  for (const event of ["pointerup", "pointerleave"]) stage.addEventListener(event, held(false));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.zoom");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const strip = link.closest(".strip");
    const reference = strip.querySelector(".reference a.zoom");
    part("reference").src = (reference ?? link).getAttribute("href");
    part("picture").src = link.getAttribute("href");
    part("model").textContent = link.dataset.label;
    part("name").textContent = link.closest(".instance").dataset.name ?? "";
    choose("beside");
    dialog.showModal();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
})();

const chosen = "all";
const lights = ["all", ...new Set(plants.map((plant) => plant.light))];
document.getElementById("filters").innerHTML = lights
  .map((light) => `<button class="${light === chosen ? "on" : ""}">${light}</button>`)
  .join("") + "<em>cheapest first</em>";

const grid = document.getElementById("grid");
const shown = plants
  .filter((plant) => chosen === "all" || plant.light === chosen)
  .sort((a, b) => a.price - b.price);
for (const plant of shown) {
  const card = document.createElement("div");
  card.className = "card";
  card.innerHTML = `<img src="assets/${plant.image}.png" alt=""><div class="row"><b>${plant.name}</b><span>${currency}${plant.price.toFixed(2)}</span></div><p>${plant.text}</p><small>${plant.light}</small>`;
  grid.append(card);
}

const year = 2026, month = 11; // December
const events = {
  2: ["rehearsal", "Rehearsal, 19:30"], 5: ["other-event", "Christmas market stall"],
  9: ["rehearsal", "Rehearsal, 19:30"], 12: ["concert", "Advent concert, St Anne's, 18:00"],
  13: ["concert", "Advent concert, Town Hall, 16:00"], 16: ["rehearsal", "Rehearsal with brass"],
  20: ["concert", "Carols on the steps, 17:00"], 22: ["other-event", "Hospital visit"],
  31: ["other-event", "Midnight canon"],
};
const names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

document.getElementById("title").textContent = `Choir calendar, ${new Date(year, month).toLocaleString("en", { month: "long" })} ${year}`;
document.querySelector("thead").innerHTML = `<tr>${names.map((n) => `<th>${n}</th>`).join("")}</tr>`;

const first = (new Date(year, month, 1).getDay() + 6) % 7;
const body = document.querySelector("tbody");
for (let week = 0; week < 5; week++) {
  const row = body.insertRow();
  for (let column = 0; column < 7; column++) {
    const date = new Date(year, month, 1 - first + week * 7 + column);
    const cell = row.insertCell();
    const inside = date.getMonth() === month;
    cell.className = inside ? (column > 4 ? "weekend" : "") : "other";
    cell.innerHTML = `<div class="number">${date.getDate()}</div>`;
    const event = inside && events[date.getDate()];
    if (event) cell.innerHTML += `<div class="event ${event[0]}">${event[1]}</div>`;
  }
}
document.getElementById("legend").innerHTML = ["rehearsal", "concert", "other-event"]
  .map((kind) => `<span class="event ${kind}">${kind.replace("-event", "").replace("other", "other events")}</span>`)
  .join("");

const sign = (x) => (x > 0 ? "\u25b2 " : "\u25bc ") + Math.abs(x);
document.getElementById("tiles").innerHTML = tiles
  .map((t) => `<div class="tile"><h3>${t.name}</h3><b>${t.value}</b><span class="${t.change > 0 ? "up" : "down"}">${sign(t.change)}</span></div>`)
  .join("");

const colours = { running: "#58c98b", standby: "#e2b34b", fault: "#ef7d6d" };
document.getElementById("stations").innerHTML = stations
  .map(([name, state, power]) => `<tr><td><span class="dot" style="background:${colours[state]}"></span>${name}</td><td>${state}</td><td>${power.toFixed(1)} MW</td></tr>`)
  .join("");

const canvas = document.getElementById("flow");
const g = canvas.getContext("2d");
const left = 56, bottom = 570, width = 1080, height = 540, top_value = 80;
const x = (day) => left + (day + 0.5) * (width / inflow.length);
const y = (value) => bottom - (value / top_value) * height;

g.font = '15px "Liberation Sans"';
for (let value = 0; value <= top_value; value += 20) {
  g.strokeStyle = "#263245";
  g.beginPath(); g.moveTo(left, y(value)); g.lineTo(left + width, y(value)); g.stroke();
  g.fillStyle = "#7f8da3"; g.textAlign = "right"; g.fillText(value, left - 12, y(value) + 5);
}
inflow.forEach((value, day) => {
  g.fillStyle = "#2f80c3";
  g.fillRect(x(day) - 24, y(value), 48, bottom - y(value));
  g.fillStyle = "#7f8da3"; g.textAlign = "center"; g.fillText(`${day + 1} Oct`, x(day), bottom + 26);
});
g.strokeStyle = "#f0a35e"; g.lineWidth = 4; g.lineJoin = "round";
g.beginPath();
consumption.forEach((value, day) => (day ? g.lineTo(x(day), y(value)) : g.moveTo(x(day), y(value))));
g.stroke();
consumption.forEach((value, day) => {
  g.beginPath(); g.arc(x(day), y(value), 7, 0, 2 * Math.PI); g.fillStyle = "#f0a35e"; g.fill();
});

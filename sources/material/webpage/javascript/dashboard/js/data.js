const tiles = [
  { name: "Reservoir level", value: "81.4 %", change: 1.2 },
  { name: "Consumption", value: "46,210 m\u00b3", change: -3.5 },
  { name: "Leakage (estimate)", value: "7.9 %", change: -0.4 },
  { name: "Turbidity", value: "0.18 NTU", change: 0.02 },
];
const inflow = [42, 44, 51, 63, 60, 55, 52, 49, 47, 58, 66, 71, 64, 57];
const consumption = [48, 49, 50, 47, 46, 41, 43, 49, 51, 50, 48, 47, 42, 46];
const stations = [
  ["Alder Bridge", "running", 2.1], ["Brick Lane", "running", 1.7], ["Coldharbour", "standby", 0.0],
  ["Dyke Road", "running", 3.4], ["East Mill", "fault", 0.0], ["Ferry Stairs", "running", 0.9],
  ["Gasworks", "standby", 0.0], ["High Tower", "running", 2.6],
];

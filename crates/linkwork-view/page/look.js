// Colours of what is drawn, in the light and in the dark.

/** Ten colours that tell bodies apart, also for most who see colours differently: hue and lightness vary together. */
const PALETTE = ["#2f6fd0", "#e8871e", "#159a7f", "#c9415d", "#8a63c4", "#4fb3e8", "#c7a119", "#8c5a3c", "#df7fb8", "#5d7587"];

const COLOURS = {
  light: {
    ground: "#98a3ad", joint: "#3b444d", pin: "#dfe5ea", support: "#aab4bd", guide: "#6f7b86", rubber: "#33383d", steel: "#b9c2ca", rope: "#7a5a35", spring: "#6b7580",
    damper: "#8793a0", actuator: "#4a6fa5", contact: "#d02c2c", reaction: "#b3259e", pull: "#0b7f88", force: "#c2571a", hand: "#d02c2c", ink: "#7d8a96", sky: "#f8fafc", text: "#1c2329", halo: "#ffffff",
  },
  dark: {
    ground: "#77828d", joint: "#c9d1d9", pin: "#2a3138", support: "#5d6873", guide: "#8d99a5", rubber: "#4b5158", steel: "#aab4be", rope: "#c79b63", spring: "#b3bec9",
    damper: "#8793a0", actuator: "#7fa3dc", contact: "#ff6b5e", reaction: "#ee7fe0", pull: "#4fd0d6", force: "#ffa860", hand: "#ff6b5e", ink: "#7d8a96", sky: "#12171c", text: "#e8edf2", halo: "#12161a",
  },
};

/** A colour #rrggbb as three numbers from 0 to 1. */
const rgbOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);

class Look {
  constructor(dark) {
    this.dark = dark;
    this.names = COLOURS[dark ? "dark" : "light"];
    this.cache = new Map();
    this.ink = rgbOf(this.names.ink);
    this.sky = rgbOf(this.names.sky);
    // edges: the body's colour times this, mixed with this grey by so much
    this.edgeShade = dark ? 0.45 : 0.55;
    this.edgeInk = dark ? 0.02 : 0.1;
    this.edgeMix = 0.25;
  }

  /** `body:3`, a name or `#rrggbb`. */
  hex(name) {
    if (/^#[0-9a-f]{6}$/.test(name)) return name;
    if (name.startsWith("body:")) {
      const index = Number(name.slice(5)) || 0;
      return index === 0 ? this.names.ground : PALETTE[(index - 1) % PALETTE.length];
    }
    return this.names[name] || this.names.force;
  }

  colour(name) {
    let rgb = this.cache.get(name);
    if (!rgb) this.cache.set(name, (rgb = rgbOf(this.hex(name))));
    return rgb;
  }

  /** The colour of the n-th line of a plot. */
  series(n) {
    return PALETTE[n % PALETTE.length];
  }
}

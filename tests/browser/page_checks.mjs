// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be computed of a page's colours and pictures.

const channels = (colour) => {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour.trim());
  if (hex) return [0, 2, 4].map((at) => parseInt(hex[1].slice(at, at + 2), 16));
  return /rgba?\(([^)]+)\)/.exec(colour)[1].split(',').slice(0, 3).map(Number);
};

const linear = (byte) => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};

const luminance = (colour) => {
  const [r, g, b] = channels(colour).map(linear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

// The contrast of WCAG 2: 1 to 21.
export const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

// How eyes without one kind of cone see linear colours: Machado, Oliveira and Fernandes, 2009.
export const sights = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.3039]],
};

const lab = (colour, sight) => {
  const c = channels(colour).map(linear);
  const [r, g, b] = sight.map((row) => Math.min(1, Math.max(0, row.reduce((s, w, k) => s + w * c[k], 0))));
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};

// How different two colours are to a sight, as a distance in CIELAB: 2 is just visible.
export const distance = (one, other, sight) => Math.hypot(
  ...lab(one, sight).map((v, k) => v - lab(other, sight)[k]));

// A picture as few grey cells, row by row. scratch is a page that decodes it.
export const looked = (scratch, png, columns = 40, rows = 28) => scratch.evaluate(
  async ([data, wide, high]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [wide, high];
    const to = canvas.getContext('2d');
    to.imageSmoothingQuality = 'high';
    to.drawImage(image, 0, 0, wide, high);
    const cells = to.getImageData(0, 0, wide, high).data;
    return Array.from({ length: wide * high }, (_, k) =>
      Math.round((cells[4 * k] + cells[4 * k + 1] + cells[4 * k + 2]) / 3));
  }, [png.toString('base64'), columns, rows]);

// How far two such pictures agree: 1 where light and dark lie at the same places, 0 where nothing
// does. Neither the font nor the exact shades matter much.
export const likeness = (one, other) => {
  const centred = (cells) => {
    const mean = cells.reduce((sum, v) => sum + v, 0) / cells.length;
    return cells.map((v) => v - mean);
  };
  const [a, b] = [centred(one), centred(other)];
  const product = (x, y) => x.reduce((sum, v, k) => sum + v * y[k], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
};

export const toHex = (cells) => cells.map((v) => v.toString(16).padStart(2, '0')).join('');
export const fromHex = (text) => text.match(/../g).map((pair) => parseInt(pair, 16));

// Draws media/icon.png: a target with an arrow in it. Run by hand: node media/icon.mjs
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

const SIZE = 128;
const GRID = [0.125, 0.375, 0.625, 0.875];
const GROUND = [28, 37, 65];
const RING = [124, 196, 255];
const ARROW = [255, 202, 99];

function distanceToSegment(x, y, [ax, ay, bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function colour(x, y) {
  const corner = Math.hypot(Math.max(0, Math.abs(x - 64) - 40), Math.max(0, Math.abs(y - 64) - 40));
  if (corner > 24) return [0, 0, 0, 0];
  const arrow = [[64, 64, 104, 24], [84, 24, 104, 24], [104, 24, 104, 44]];
  if (arrow.some((line) => distanceToSegment(x, y, line) < 5)) return [...ARROW, 255];
  const away = Math.hypot(x - 64, y - 64);
  const onRing = Math.abs(away - 40) < 5 || Math.abs(away - 18) < 5;
  return [...(onRing ? RING : GROUND), 255];
}

function pixel(x, y) {
  const shades = GRID.flatMap((dy) => GRID.map((dx) => colour(x + dx, y + dy)));
  const alpha = shades.reduce((sum, [, , , a]) => sum + a, 0);
  const mixed = [0, 1, 2].map((at) => shades.reduce((sum, s) => sum + s[at] * s[3], 0) / (alpha || 1));
  return [...mixed, alpha / shades.length].map(Math.round);
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc(named));
  return Buffer.concat([length, named, sum]);
}

function crc(bytes) {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8);
const rows = Array.from({ length: SIZE }, (_, y) =>
  [0, ...Array.from({ length: SIZE }, (__, x) => pixel(x, y)).flat()]).flat();
const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows))), chunk('IEND', Buffer.alloc(0))];
writeFileSync(new URL('icon.png', import.meta.url), Buffer.concat([signature, ...parts]));

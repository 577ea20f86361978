import type { Row } from "../../benches/bench.ts"
import { costRatio } from "../../benches/beside.ts"
import { shortNumber } from "./report.ts"
import { xmlText } from "./xml-text.ts"

const size = { label: 520, bars: 380, figure: 90, row: 20, top: 44, bottom: 12 }
const width = size.label + size.bars + size.figure
const maxLabel = 82
/** Readable on a light page and on a dark one. */
const colours = { better: "#2da44e", worse: "#d1242f", alone: "#0969da", text: "#6e7781" }

interface Bar {
  readonly label: string
  readonly figure: string
  readonly value: number
  readonly colour: string
}

/**
 * The chart of a bench: where there are peers, the ratio of every row that has one (ours ÷ theirs) on a scale of
 * powers of ten, with a line where both are equal; else the figures of the most frequent unit, from zero.
 */
export function chart(name: string, rows: readonly Row[]): string {
  const ratios = rows.flatMap((row): readonly Bar[] => {
    const value = costRatio(row)
    if (value === undefined || value <= 0) return []
    return [{ label: row.what, figure: `${shortNumber(value)} ×`, value, colour: value <= 1 ? colours.better : colours.worse }]
  })
  if (ratios.length > 0) return svg(`${name}: ours ÷ theirs, lower is better`, ratios, logarithmic(ratios))
  const unit = mostFrequent(rows.map((row) => row.unit))
  const bars = rows
    .filter((row) => row.unit === unit)
    .map((row): Bar => ({ label: row.what, figure: shortNumber(row.ours), value: row.ours, colour: colours.alone }))
  return svg(`${name}: ${unit}`, bars, fromZero(bars))
}

interface Scale {
  /** Where a bar begins, and where `value` lies. */
  readonly origin: number
  at(value: number): number
}

function logarithmic(bars: readonly Bar[]): Scale {
  const exponents = bars.map(({ value }) => Math.log10(value))
  const low = Math.min(0, Math.floor(Math.min(...exponents)))
  const high = Math.max(0, Math.ceil(Math.max(...exponents) * 2) / 2)
  const at = (value: number) => size.label + ((Math.log10(value) - low) / Math.max(high - low, 1)) * size.bars
  return { origin: at(1), at }
}

function fromZero(bars: readonly Bar[]): Scale {
  const max = Math.max(...bars.map(({ value }) => value))
  return { origin: size.label, at: (value) => size.label + (value / max) * size.bars }
}

function svg(title: string, bars: readonly Bar[], { origin, at }: Scale): string {
  const height = size.top + bars.length * size.row + size.bottom
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xmlText(title)}">`,
    `<title>${xmlText(title)}</title>`,
    `<g font-family="system-ui, sans-serif" font-size="11" fill="${colours.text}">`,
    `<text x="${size.label}" y="20" font-size="13" font-weight="bold">${xmlText(title)}</text>`,
    `<path d="M${px(origin)} ${size.top - 8}V${height - size.bottom}" stroke="${colours.text}" stroke-width="1"/>`,
    ...bars.flatMap(({ label, figure, value, colour }, index) => {
      const y = size.top + index * size.row
      const [left, right] = [Math.min(origin, at(value)), Math.max(origin, at(value))]
      return [
        `<text x="${size.label - 8}" y="${y + 10}" text-anchor="end">${xmlText(cut(label))}</text>`,
        `<rect x="${px(left)}" y="${y}" width="${px(Math.max(right - left, 1))}" height="13" fill="${colour}"/>`,
        `<text x="${px(right + 5)}" y="${y + 10}">${xmlText(figure)}</text>`,
      ]
    }),
    "</g>",
    "</svg>",
  ].join("\n")}\n`
}

function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? ""
}

function cut(label: string): string {
  return label.length <= maxLabel ? label : `${label.slice(0, maxLabel - 1)}…`
}

function px(value: number): string {
  return String(Number(value.toFixed(1)))
}

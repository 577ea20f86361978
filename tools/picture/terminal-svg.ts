import { xmlText } from "../bench/xml-text.ts"

/** One command as a terminal shows it. */
export interface TerminalStep {
  readonly command: string
  /** Plain text without control characters. */
  readonly output: string
}

const character = { width: 8.4, height: 19 }
const margin = { x: 18, top: 46, bottom: 16 }
const colours = { background: "#0d1117", bar: "#161b22", text: "#c9d1d9", prompt: "#7ee787", command: "#ffffff" }

/** A picture of a terminal of so many columns in which the steps were run, as SVG text. It needs no font, script or style from outside. */
export function terminalSvg(title: string, columns: number, steps: readonly TerminalStep[]): string {
  const lines = steps.flatMap((step, index) => [
    ...(index === 0 ? [] : [""]),
    `<tspan fill="${colours.prompt}">$ </tspan><tspan fill="${colours.command}" font-weight="bold">${xmlText(step.command)}</tspan>`,
    ...outputLines(step.output, columns).map(xmlText),
  ])
  const width = Math.ceil(margin.x * 2 + columns * character.width)
  const height = margin.top + lines.length * character.height + margin.bottom
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xmlText(title)}">`,
    `<title>${xmlText(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${colours.background}"/>`,
    `<path d="M8 0H${width - 8}a8 8 0 0 1 8 8V28H0V8a8 8 0 0 1 8-8z" fill="${colours.bar}"/>`,
    ...["#ff5f56", "#ffbd2e", "#27c93f"].map((fill, index) => `<circle cx="${18 + index * 18}" cy="14" r="5" fill="${fill}"/>`),
    `<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${colours.text}" xml:space="preserve">`,
    ...lines
      .map((line, index) => (line === "" ? "" : `<text x="${margin.x}" y="${margin.top + 8 + index * character.height}">${line}</text>`))
      .filter(Boolean),
    "</g>",
    "</svg>",
  ].join("\n")}\n`
}

/** Lines that are longer than the terminal is wide go on in the next one, as a terminal shows them. */
function outputLines(output: string, columns: number): readonly string[] {
  const text = output.trimEnd()
  if (text === "") return []
  return text.split("\n").flatMap((line) => line.trimEnd().match(new RegExp(`.{1,${columns}}`, "g")) ?? [""])
}

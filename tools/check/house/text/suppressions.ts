import type { Rule } from "../rule.ts"

/** How each tool is silenced, and where in the comment the reason stands. */
const suppressions: readonly RegExp[] = [
  /@ts-(?:expect-error|nocheck)\b(?<reason>.*)/s,
  /(?:oxlint|eslint)-disable(?:-next-line|-line)?\b(?:(?!--).)*(?:--(?<reason>.*))?/s,
  /biome-ignore(?:-all|-start)?\b[^:]*(?::(?<reason>.*))?/s,
]

/** A suppression gives its reason on the line. */
export const suppressionsHaveReasons: Rule = {
  name: "suppressions",
  check({ modules }) {
    return modules.flatMap(({ path, comments, lineAt }) =>
      comments.flatMap(({ value, start }) => {
        const at = { file: path, line: lineAt(start), found: value.trim() }
        if (/^\s*@ts-ignore\b/.test(value)) {
          return [
            { ...at, expected: "@ts-expect-error, which ends when its reason does", fix: "replace @ts-ignore by it, with the reason" },
          ]
        }
        const match = suppressions.map((pattern) => new RegExp(`^\\s*${pattern.source}`, pattern.flags).exec(value)).find((found) => found)
        if (!match || (match.groups?.reason ?? "").replace(/[\s:–-]/g, "").length >= 10) return []
        return [{ ...at, expected: "a reason on the line", fix: "say why the tool is wrong here, or mend the code" }]
      }),
    )
  },
}

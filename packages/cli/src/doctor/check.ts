/** What a check found. `advice` says what to do, and stands only where something should be done. */
export interface Finding {
  readonly what: string
  readonly state: "ok" | "note" | "problem"
  readonly found: string
  readonly advice?: string
}

export const ok = (what: string, found: string): Finding => ({ what, state: "ok", found })
export const note = (what: string, found: string, advice: string): Finding => ({ what, state: "note", found, advice })
export const problem = (what: string, found: string, advice: string): Finding => ({ what, state: "problem", found, advice })

const marks: Readonly<Record<Finding["state"], string>> = { ok: "✓", note: "•", problem: "✗" }

export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  const lines = findings.flatMap(({ what, state, found, advice }) => [
    `${marks[state]} ${what.padEnd(width)}  ${found}`,
    ...(advice === undefined ? [] : [`${" ".repeat(width + 4)}→ ${advice}`]),
  ])
  const problems = findings.filter(({ state }) => state === "problem").length
  const end = problems === 0 ? "Nothing is wrong." : `${problems} ${problems === 1 ? "problem" : "problems"} found.`
  return `${[...lines, "", end].join("\n")}\n`
}

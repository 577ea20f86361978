/** What a check found. `advice` says what to do, and stands only where something should be done. */
export interface Finding {
  readonly what: string
  readonly state: "ok" | "note" | "problem"
  readonly found: string
  readonly advice?: string
  /** The checks that could not be made because of it, for a user who reads the last line only. */
  readonly notMade?: readonly string[]
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
  return `${[...lines, "", lastLine(findings)].join("\n")}\n`
}

/** What was not looked at is not well for that. */
function lastLine(findings: readonly Finding[]): string {
  const problems = findings.filter(({ state }) => state === "problem").length
  const notMade = [...new Set(findings.flatMap((one) => one.notMade ?? []))]
  const found = problems === 0 ? undefined : `${problems} ${problems === 1 ? "problem" : "problems"} found.`
  const notes = findings.filter(({ state }) => state === "note").length
  if (notMade.length === 0)
    return found ?? (notes === 0 ? "Nothing is wrong." : `Nothing is wrong, but see the ${notes === 1 ? "note" : "notes"} (•).`)
  const missed = `${notMade.length} ${notMade.length === 1 ? "check was" : "checks were"} not made: ${notMade.join(", ")}.`
  return found === undefined ? `Nothing wrong was found, but ${missed}` : `${found} ${missed}`
}

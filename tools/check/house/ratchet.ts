import type { Finding, Rule } from "./rule.ts"

/** Known findings by package or top folder: "packages/cli", "docs". Absent: none are tolerated. */
export type Baseline = Readonly<Record<string, number>>

/**
 * A rule that the tree does not hold everywhere yet: a room may have as many findings as its baseline says, no more. Where it has fewer the
 * baseline is reported, so that it only ever goes down.
 */
export function ratchet(rule: Rule, baseline: Baseline): Rule {
  return {
    name: rule.name,
    check(tree) {
      const byRoom = Map.groupBy(rule.check(tree), ({ file }) => roomOf(file))
      const stale = Object.entries(baseline).filter(([room, known]) => (byRoom.get(room)?.length ?? 0) < known)
      return [
        ...[...byRoom].flatMap(([room, findings]) => (findings.length > (baseline[room] ?? 0) ? findings : [])),
        ...stale.map(([room, known]) => staleFinding(rule.name, room, known, byRoom.get(room)?.length ?? 0)),
      ]
    },
  }
}

function staleFinding(rule: string, room: string, known: number, found: number): Finding {
  return {
    file: "tools/check/house/baselines.ts",
    line: 1,
    expected: `the number of findings of "${rule}" in ${room}`,
    found: `${known}, though there are ${found}`,
    fix: "lower it",
  }
}

function roomOf(file: string): string {
  const [top = "", room] = file.split("/")
  return top === "packages" && room !== undefined ? `${top}/${room}` : top
}

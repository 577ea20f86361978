import { judge, type Verdict } from "./attack/judge.ts"
import type { Row } from "./attack/row.ts"
import { rows } from "./attack/rows.ts"
import type { SoakContext } from "./soak.ts"

/** Long rows that run at once: they wait, and do next to nothing. */
const longAtOnce = 8

/**
 * What an attacker of the loopback can try, each against a fresh `up` or `run`: npm run soak -- attack --rows 1,5,8 tries some of it. The process must
 * have no turn of its main thread over 250 ms, release memory and descriptors, go on serving and end at SIGTERM.
 */
export async function soak({ numbers, print, passed, failed }: SoakContext): Promise<void> {
  const wanted = numbers("rows")
  const chosen = rows.filter(({ number }) => wanted === undefined || wanted.includes(number))
  const again: Row[] = []
  const tell = (row: Row, { faults, skipped, seconds, figures }: Verdict) => {
    const name = `row ${row.number}, ${row.name}`
    if (skipped !== undefined) return print(`not tried: ${name}: ${skipped}`)
    if (faults.length > 0) return failed(`${name} (${seconds.toFixed(1)} s):\n  ${faults.join("\n  ")}`)
    passed()
    print(`passed ${name}: ${figures === "" ? "" : `${figures}, `}${seconds.toFixed(1)} s`)
  }
  const run = async (list: Iterator<Row>) => {
    for (let next = list.next(); next.done !== true; next = list.next()) {
      const verdict = await judge(next.value)
      if (verdict.isNearMiss) again.push(next.value)
      else tell(next.value, verdict)
    }
  }
  const [long, short] = [chosen.filter(({ isLong }) => isLong), chosen.filter(({ isLong }) => !isLong)]
  const waiting = long.values()
  await Promise.all([run(short.values()), ...Array.from({ length: longAtOnce }, () => run(waiting))])
  // A near miss is judged by what it takes when nothing else runs.
  for (const row of again) tell(row, await judge(row))
}

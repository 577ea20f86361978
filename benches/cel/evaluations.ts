import { binary } from "../../tools/components/index.ts"
import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import { expressions, rules } from "./cases.ts"
import { type Operations, ourOperations } from "./ours.ts"
import { CelGo, type Count } from "./theirs.ts"

const rounds = 20
const roundMilliseconds = 40
const warmMilliseconds = 400
/** An evaluation takes at most so many times as long as cel-go's. */
const maxRatio = 3.33

/** Rates of evaluation and times of compilation: the best of many rounds, ours and theirs in turn. */
export async function evaluations(peers: boolean): Promise<readonly Row[]> {
  const path = peers ? binary("cel-go", "cel-evaluations") : undefined
  if (peers && path === undefined) console.error("cel-go is not cached: npm run components -- cel-go; only ours is measured")
  await using theirs = path === undefined ? undefined : new CelGo(path)
  const operations = ourOperations()
  const cases = [...expressions.map(({ what }) => ({ what, times: 1 })), { what: rules.what, times: rules.rules }]
  const rows: Row[] = []
  for (const [index, { what, times }] of cases.entries()) {
    const { ours, theirs: peer } = await best({ index, operation: "evaluate", own: operations[index]!, theirs })
    rows.push(atMost(maxRatio, `evaluations: ${what}`, "/s", { ours: perSecond(ours) * times, theirs: peer && perSecond(peer) * times }))
  }
  for (const [index, { what }] of cases.entries()) {
    const { ours, theirs: peer } = await best({ index, operation: "compile", own: operations[index]!, theirs })
    rows.push(withoutGoal(`compiled: ${what}`, "µs", { ours: microsecondsOf(ours), theirs: peer && microsecondsOf(peer) }))
  }
  return rows
}

interface Question {
  readonly index: number
  readonly operation: keyof Operations
  readonly own: Operations
  readonly theirs: CelGo | undefined
}

async function best({ index, operation, own, theirs }: Question): Promise<{ readonly ours: Count; readonly theirs: Count | undefined }> {
  const measureOurs = (milliseconds: number) => Promise.resolve(measure(() => own[operation](), milliseconds))
  const measureTheirs = (milliseconds: number) => theirs?.measure(index, operation, milliseconds)
  await measureOurs(warmMilliseconds)
  await measureTheirs(warmMilliseconds)
  const [ours, peer]: [Count[], Count[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await measureOurs(roundMilliseconds))
    const found = await measureTheirs(roundMilliseconds)
    if (found) peer.push(found)
  }
  return { ours: fastest(ours)!, theirs: fastest(peer) }
}

function fastest(counts: readonly Count[]): Count | undefined {
  return counts.toSorted((left, right) => perSecond(right) - perSecond(left))[0]
}

/** The clock is read once for several operations: reading it takes as long as a small expression. */
const batch = 16

function measure(operation: () => void, milliseconds: number): Count {
  const start = performance.now()
  let operations = 0
  for (;;) {
    for (let count = 0; count < batch; count++) operation()
    operations += batch
    const passed = performance.now() - start
    if (passed >= milliseconds) return { operations, nanoseconds: passed * 1e6 }
  }
}

function perSecond({ operations, nanoseconds }: Count): number {
  return (operations * 1e9) / nanoseconds
}

function microsecondsOf(count: Count): number {
  return 1e6 / perSecond(count)
}

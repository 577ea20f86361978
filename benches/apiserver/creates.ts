import type { Row } from "../bench.ts"
import { costRatio, type Numbers, withoutGoal } from "../beside.ts"
import { best, inTurn, type Pair, sidesIn } from "./pair.ts"

const rounds = 3
const perRound = 2000
/** What a server that just started is asked for, counted apart: code that runs for the first time is slow, and a server runs for longer than that. */
const atFirst = 1000
const warmRounds = 3
const path = "/api/v1/namespaces/default/configmaps"

/** How many ConfigMaps a second, each on disk before it is answered? */
export async function durableCreates(pair: Pair, sync: number): Promise<readonly Row[]> {
  const rows: Row[] = [{ what: "one synced write of 1 KB (median)", ours: sync, unit: "ms", better: "neither" }]
  const sides = sidesIn(pair)
  const first = best(
    await inTurn(sides, 1, (side) => createsPerSecond(pair[side]!.client, { clients: 16, count: atFirst, prefix: "first" })),
  )
  rows.push(withoutGoal(`durable ConfigMap creates, 16 clients, the first ${atFirst} after the start`, "/s", first))
  await inTurn(sides, warmRounds, (side, round) =>
    createsPerSecond(pair[side]!.client, { clients: 16, count: perRound, prefix: `warm-${round}` }),
  )
  for (const clients of [4, 16]) {
    const before = cpuOf(pair)
    const numbers = best(
      await inTurn(sides, rounds, (side, round) =>
        createsPerSecond(pair[side]!.client, { clients, count: perRound, prefix: `${clients}-${round}` }),
      ),
    )
    rows.push(createsRow(`durable ConfigMap creates, ${clients} clients`, numbers, (0.7 * clients * 1000) / (sync + 0.15 * clients)))
    rows.push(withoutGoal(`CPU of the server for one of them, ${clients} clients`, "ms", perCreate(before, cpuOf(pair))))
  }
  return rows
}

function createsRow(what: string, numbers: Numbers, limit: number): Row {
  const row = withoutGoal(what, "/s", numbers)
  const ratio = costRatio(row)
  if (ratio === undefined) return row
  return { ...row, goal: `≤ 0.2 ×, or ≥ ${Math.round(limit)}`, met: ratio <= 0.2 || numbers.ours >= limit }
}

function cpuOf({ ours, theirs }: Pair): Numbers {
  return theirs === undefined ? { ours: ours.cpu() } : { ours: ours.cpu(), theirs: theirs.cpu() }
}

function perCreate(before: Numbers, after: Numbers): Numbers {
  const ours = (after.ours - before.ours) / (rounds * perRound)
  if (before.theirs === undefined || after.theirs === undefined) return { ours }
  return { ours, theirs: (after.theirs - before.theirs) / (rounds * perRound) }
}

interface Creates {
  readonly clients: number
  readonly count: number
  /** Of their names. */
  readonly prefix: string
}

async function createsPerSecond(client: Pair["ours"]["client"], { clients, count, prefix }: Creates): Promise<number> {
  const started = performance.now()
  let next = 0
  const work = async () => {
    while (next < count) await client.expect(201, { verb: "POST", path, body: configMap(`c-${prefix}-${next++}`) })
  }
  await Promise.all(Array.from({ length: clients }, work))
  return (count * 1000) / (performance.now() - started)
}

export function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(300) } }
}

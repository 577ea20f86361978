import type { Row } from "../bench.ts"
import { best, inTurn, type Pair, withoutGoal } from "./pair.ts"

const rounds = 3
const perRound = 2000
/** What a server that just started is asked for, counted apart: code that runs for the first time is slow, and a server runs for longer than that. */
const atFirst = 1000
const warmRounds = 3
const path = "/api/v1/namespaces/default/configmaps"

/** How many ConfigMaps a second, each on disk before it is answered? */
export async function durableCreates(pair: Pair, sync: number): Promise<readonly Row[]> {
  const rows: Row[] = [{ what: "one synced write of 1 KB (median)", ours: sync, unit: "ms" }]
  const first = best(await inTurn(1, (side) => createsPerSecond(pair[side].client, { clients: 16, count: atFirst, prefix: "first" })))
  rows.push(withoutGoal(`durable ConfigMap creates, 16 clients, the first ${atFirst} after the start`, "/s", first))
  await inTurn(warmRounds, (side, round) => createsPerSecond(pair[side].client, { clients: 16, count: perRound, prefix: `warm-${round}` }))
  for (const clients of [4, 16]) {
    const before = { ours: pair.ours.cpu(), theirs: pair.theirs.cpu() }
    const numbers = best(
      await inTurn(rounds, (side, round) =>
        createsPerSecond(pair[side].client, { clients, count: perRound, prefix: `${clients}-${round}` }),
      ),
    )
    const ratio = numbers.ours / numbers.theirs
    const limit = (0.7 * clients * 1000) / (sync + 0.15 * clients)
    const what = `durable ConfigMap creates, ${clients} clients`
    const goal = `≥ 5 ×, or ≥ ${Math.round(limit)}`
    rows.push({ what, ...numbers, unit: "/s", ratio, goal, met: ratio >= 5 || numbers.ours >= limit })
    const used = (side: keyof Pair) => (pair[side].cpu() - before[side]) / (rounds * perRound)
    rows.push(withoutGoal(`CPU of the server for one of them, ${clients} clients`, "ms", { ours: used("ours"), theirs: used("theirs") }))
  }
  return rows
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

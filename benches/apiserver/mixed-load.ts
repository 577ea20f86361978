import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import { configMap } from "./creates.ts"
import type { LoadClient, LoadRequest } from "./load-client.ts"
import { inTurn, medians, type Pair, quantile, sidesIn } from "./pair.ts"

const clients = 8
const rounds = 3
const milliseconds = 3000
const configMaps = "/api/v1/namespaces/default/configmaps"

/** How slow is the slowest hundredth of requests when eight clients read, list and write at once? */
export async function mixedLoad(pair: Pair): Promise<readonly Row[]> {
  const sides = sidesIn(pair)
  const counts = { ours: 0, theirs: 0 }
  const p99 = medians(
    await inTurn(sides, rounds, async (side, round) => {
      const times = await load(pair[side]!.client, `${side}-${round}`)
      counts[side] += times.length
      return quantile(times, 0.99)
    }),
  )
  const perSecond = (count: number) => (count * 1000) / (rounds * milliseconds)
  const answered = pair.theirs ? { ours: perSecond(counts.ours), theirs: perSecond(counts.theirs) } : { ours: perSecond(counts.ours) }
  return [
    atMost(1, `p99 with ${clients} clients: 60 % gets, 10 % lists of 100 pods, 15 % creates, 15 % patches`, "ms", p99),
    withoutGoal("requests answered under that load", "/s", answered),
  ]
}

async function load(client: LoadClient, prefix: string): Promise<readonly number[]> {
  const times: number[] = []
  const end = performance.now() + milliseconds
  const work = async (_: unknown, number: number) => {
    const name = `m-${prefix}-${number}`
    await client.expect(201, { verb: "POST", path: configMaps, body: configMap(name) })
    for (let turn = number; performance.now() < end; turn++) {
      const started = performance.now()
      await client.expect(...requestNumber(turn, name))
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  return times
}

function requestNumber(turn: number, name: string): [number, LoadRequest] {
  const at = turn % 20
  if (at === 4 || at === 14) return [200, { verb: "GET", path: "/api/v1/namespaces/default/pods?limit=100" }]
  if (at % 7 === 1) return [201, { verb: "POST", path: configMaps, body: configMap(`${name}-${turn}`) }]
  const contentType = "application/merge-patch+json"
  if (at % 7 === 3) return [200, { verb: "PATCH", path: `${configMaps}/${name}`, contentType, body: { data: { turn: String(turn) } } }]
  return [200, { verb: "GET", path: `${configMaps}/${name}` }]
}

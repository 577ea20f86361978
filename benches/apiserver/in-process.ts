import { createApiServer, memoryStorage } from "@pilothouse/apiserver"
import { valueBody } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import { configMap } from "./creates.ts"

const goal = 20_000
const perRun = 20_000
const runs = 5
const path = "/api/v1/namespaces/default/configmaps"

/** How many creates a second without a socket and without a disk? */
export async function inProcess(): Promise<readonly Row[]> {
  const found: number[] = []
  for (let run = 0; run < runs; run++) found.push(await createsPerSecond())
  const ours = Math.max(...found)
  return [{ what: "ConfigMap creates in process, in memory", ours, unit: "/s", goal: `≥ ${goal}`, met: ours >= goal }]
}

async function createsPerSecond(): Promise<number> {
  const server = createApiServer({ clock: systemClock, random: systemRandom(), storage: memoryStorage() })
  const transport = server.transport()
  const started = performance.now()
  let next = 0
  const work = async () => {
    while (next < perRun) {
      const body = valueBody(configMap(`c-${next++}`))
      const { status } = await transport({ verb: "POST", path, query: {}, headers: {}, body })
      if (status !== 201) throw new Error(`expected 201, found ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  const took = performance.now() - started
  await server.close()
  return (perRun * 1000) / took
}

import { AggregateRegistry, type Explanation, explain, KubeRegistry, parseQuestion } from "@pilothouse/discovery"
import type { Client } from "@pilothouse/runtime"
import { type Clock, type Random, silentLog } from "@pilothouse/seams"

export interface ExplainSeams {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
}

/** How long the first look at the cluster may take. */
const patience = 10_000
const lookAgain = 10

/** Reads the cluster as the server does, and says why an endpoint is told or not. No server needs to run. */
export async function explainEndpoint({ client, ...seams }: ExplainSeams, host: string, ip: string | undefined): Promise<Explanation> {
  const registry = new AggregateRegistry({ log: silentLog })
  registry.add(new KubeRegistry({ ...seams, client, log: silentLog }))
  const stop = new AbortController()
  const running = registry.run(stop.signal)
  try {
    const deadline = seams.clock.elapsed() + patience
    while (!registry.synced && seams.clock.elapsed() < deadline) await seams.clock.sleep(lookAgain, { name: "the registry is filled" })
    return explain(registry, parseQuestion(host, ip))
  } finally {
    stop.abort()
    await running
  }
}

import { AggregateRegistry, type Explanation, explain, KubeRegistry, parseQuestion, type Question } from "@pilothouse/discovery"
import type { Client } from "@pilothouse/runtime"
import { type Clock, PilothouseError, type Random, silentLog } from "@pilothouse/seams"
import { closest } from "../client/closest.ts"

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
    if (!registry.synced) throw notRead()
    const question = parseQuestion(host, ip)
    refuseUnknown(question, registry)
    return explain(registry, question)
  } finally {
    stop.abort()
    await running
  }
}

/** Who asks why an endpoint is missing must not read that nothing is there. */
function notRead(): PilothouseError {
  const seconds = patience / 1000
  return new PilothouseError(
    "TIMEOUT",
    `expected to read the cluster within ${seconds} s, found it not answering; look at it with "pilothouse get services -A"`,
  )
}

function refuseUnknown({ hostname, port }: Question, registry: AggregateRegistry): void {
  const service = registry.service(hostname)
  if (service === undefined) throw unknownHost(hostname, registry)
  const ports = service.ports.map((one) => one.port)
  if (port !== undefined && !ports.includes(port))
    throw new PilothouseError("INVALID", `expected a port of ${hostname} (${ports.join(", ") || "it has none"}), found ${port}`)
}

function unknownHost(hostname: string, registry: AggregateRegistry): PilothouseError {
  const known = registry.services().map((service) => service.hostname)
  const near = known.find((one) => one.startsWith(`${hostname}.`)) ?? closest(hostname, known)
  const hint = near === undefined ? '"pilothouse get services -A" lists the services' : `did you mean "${near}"?`
  return new PilothouseError("INVALID", `expected the hostname of a service, found ${hostname}, which none has; ${hint}`)
}

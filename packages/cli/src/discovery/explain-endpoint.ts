import { AggregateRegistry, type Explanation, explain, KubeRegistry, parseQuestion, type Question } from "@pilothouse/discovery"
import type { Client } from "@pilothouse/runtime"
import { type Clock, closest, PilothouseError, type Random, silentLog } from "@pilothouse/seams"

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
    const question = wholeName(parseQuestion(host, ip), registry)
    refuseUnknown(question, registry)
    return explain(registry, question)
  } finally {
    stop.abort()
    await running
  }
}

/** As `discovery watch` takes it: any leading part of a hostname that ends before a dot, where only one service has it. */
function wholeName(question: Question, registry: AggregateRegistry): Question {
  if (registry.service(question.hostname) !== undefined) return question
  const meant = registry.services().filter((service) => service.hostname.startsWith(`${question.hostname}.`))
  if (meant.length > 1) throw severalHosts(question.hostname, meant)
  return meant[0] === undefined ? question : { ...question, hostname: meant[0].hostname }
}

function severalHosts(hostname: string, meant: readonly { readonly hostname: string }[]): PilothouseError {
  const names = meant.map((service) => service.hostname).sort()
  return new PilothouseError("INVALID", `expected the hostname of one service, found ${hostname}, which may be ${names.join(" or ")}`)
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
  const near = closest(hostname, known)
  const hint = near === undefined ? '"pilothouse get services -A" lists the services' : `did you mean "${near}"?`
  return new PilothouseError("INVALID", `expected the hostname of a service, found ${hostname}, which none has; ${hint}`)
}

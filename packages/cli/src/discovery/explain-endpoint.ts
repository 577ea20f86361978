import { AggregateRegistry, type Explanation, explain, KubeRegistry, type Question, serviceBehind } from "@pilothouse/discovery"
import type { Client } from "@pilothouse/runtime"
import { type Clock, closest, type Log, logTo, PilothouseError, type Random, silentLog } from "@pilothouse/seams"
import { aligned } from "../client/table.ts"
import { askedHost, refuseName } from "./asked-host.ts"
import type { RegistrySettings } from "./registry-flags.ts"

/** Remembers why a cluster could not be read, for a user who waits for it and sees no log. */
class ReadingFailures {
  readonly #failed = new Map<string, string>()

  /** What is said of each resource; the last failure of it counts. */
  readonly log: Log = logTo(({ fields: { resource, error } }) => {
    if (typeof resource === "string" && typeof error === "string") this.#failed.set(resource, error)
  })

  /** "no answer", or which resources failed, and why the first did. */
  toString(): string {
    const [first] = this.#failed.values()
    return first === undefined ? "no answer" : `${[...this.#failed.keys()].join(", ")} not read: ${first}`
  }
}

export interface ExplainSeams {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  /** What the cluster is called where it does not answer: "https://127.0.0.1:6443 (east.yaml)". */
  readonly where?: string
  /** As the server that is asked about has it. */
  readonly reading?: RegistrySettings
}

/** How long reading the cluster may take. */
const patience = 10_000
const pollInterval = 10

/** Reads the cluster as the server does, and says why clients get an endpoint or not. No server needs to run. */
export async function explainEndpoint(
  { client, reading, where, ...seams }: ExplainSeams,
  host: string,
  ip: string | undefined,
): Promise<Explanation> {
  const asked = askedHost(host, ip)
  const failures = new ReadingFailures()
  const registry = new AggregateRegistry({ log: silentLog })
  registry.add(new KubeRegistry({ ...reading, ...seams, client, log: failures.log }))
  const stop = new AbortController()
  const running = registry.run(stop.signal)
  try {
    const deadline = seams.clock.elapsed() + patience
    while (!registry.synced && seams.clock.elapsed() < deadline) await seams.clock.sleep(pollInterval, { name: "the registry is filled" })
    if (!registry.synced) throw notRead(where, failures)
    const question = wholeName(asked, registry)
    refuseUnknown(question, registry)
    return explain(registry, question)
  } finally {
    stop.abort()
    await running
  }
}

/** As `discovery watch` takes it: any leading part of a hostname that ends before a dot, where only one service has it. */
function wholeName(question: Question, registry: AggregateRegistry): Question {
  if (registry.getService(question.hostname) !== undefined) return question
  const meant = registry.services().filter((service) => service.hostname.startsWith(`${question.hostname}.`))
  if (meant.length > 1) throw severalHosts(question.hostname, meant)
  return meant[0] === undefined ? question : { ...question, hostname: meant[0].hostname }
}

function severalHosts(hostname: string, meant: readonly { readonly hostname: string }[]): PilothouseError {
  const names = meant.map((service) => service.hostname).sort()
  return new PilothouseError("INVALID", `expected the hostname of one service, found ${hostname}, which may be ${names.join(" or ")}`)
}

/** A missing endpoint is explained: "nothing is there" would be no answer. */
function notRead(where: string | undefined, failures: ReadingFailures): PilothouseError {
  const cluster = where === undefined ? "the cluster" : `the cluster at ${where}`
  return new PilothouseError(
    "TIMEOUT",
    `expected to read ${cluster} within ${patience / 1000} s, found ${failures}; --kubeconfig and --context name another cluster`,
  )
}

function refuseUnknown(question: Question, registry: AggregateRegistry): void {
  const { hostname, port } = question
  const service = registry.getService(hostname)
  if (service === undefined) throw unknownHost(hostname, registry)
  refuseName(question, service)
  const behind = serviceBehind(service, (name) => registry.getService(name))
  // An alias that leads nowhere has no ports to ask for: the answer says so.
  if (behind === undefined) return
  const ports = behind.ports.map((one) => one.port)
  if (port !== undefined && !ports.includes(port))
    throw new PilothouseError("INVALID", `expected a port of ${hostname} (${ports.join(", ") || "it has none"}), found ${port}`)
}

function unknownHost(hostname: string, registry: AggregateRegistry): PilothouseError {
  const known = registry.services().map((service) => service.hostname)
  // Who left out the end of a name is shown one without it.
  const parts = hostname.split(".").length
  const short = known.map((name) => name.split(".").slice(0, parts).join("."))
  const near = closest(hostname, known) ?? closest(hostname, short)
  const hint = near === undefined ? '"pilothouse get services -A" lists the services' : `did you mean "${near}"?`
  return new PilothouseError("INVALID", `expected the hostname of a service, found ${hostname}, which none has; ${hint}`)
}

/** The answer in a sentence, and a line for each endpoint that was looked at. */
export function formatExplanation({ answer, endpoints }: Explanation): string {
  const lines = endpoints.map(({ address, port, in: isSent, reason, source }) => [
    port === "" ? address : `${address}:${port}`,
    isSent ? "in" : "out",
    reason,
    source,
  ])
  return `${answer}\n${lines.length === 0 ? "" : `\n${aligned([["ENDPOINT", "", "BECAUSE", "FROM"], ...lines])}`}`
}

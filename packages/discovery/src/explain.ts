import { exportedPorts } from "./generators/names.ts"
import type { ExplainableRegistry } from "./kube/cluster-registry.ts"
import type { Judgement } from "./kube/convert/judge.ts"
import { placeOf } from "./kube/index/endpoint-lists.ts"
import { aliasWay, serviceBehind } from "./model/alias.ts"
import type { Endpoint } from "./model/endpoint.ts"
import { isHidden, type Service } from "./model/service.ts"
import { wantsUnhealthy } from "./model/unhealthy.ts"

/** What `explain` is asked: a service, and which of its ports and addresses. */
export interface Question {
  readonly hostname: string
  /** A port of the service. */
  readonly port?: number
  readonly address?: string
}

/** One address of a service, and why it is sent or not. */
export interface Explained {
  readonly address: string
  readonly port: string
  readonly in: boolean
  readonly reason: string
  readonly source: string
}

/** The answer of `explain`. */
export interface Explanation {
  /** The short answer in a sentence. */
  readonly answer: string
  readonly endpoints: readonly Explained[]
  /** Milliseconds since 1970. */
  readonly changedAt?: number
}

/** "web.shop.svc.cluster.local:80" and an address, as the command line takes them. */
export function parseQuestion(host: string, address?: string): Question {
  const [, hostname = host, port] = /^(.*):(\d+)$/.exec(host) ?? []
  return { hostname, ...(port === undefined ? {} : { port: Number(port) }), ...(address === undefined ? {} : { address }) }
}

/** Explains why endpoints of a service are sent to clients, or are not. */
export function explain(registry: ExplainableRegistry, question: Question): Explanation {
  const { hostname, port } = question
  const service = registry.getService(hostname)
  if (!registry.synced) return { answer: "the first state has not been read yet; nothing is sent before", endpoints: [] }
  if (service === undefined) return { answer: `no service has the hostname ${hostname}`, endpoints: [] }
  const alias = aliasInWords(service, (host) => registry.getService(host))
  if (alias !== undefined) return explainAlias(registry, alias, question)
  const asked = service.ports.find((one) => one.port === port)
  if (port !== undefined && asked === undefined) return { answer: noSuchPort(service, port), endpoints: [] }
  const wanted = (portName: string) => asked === undefined || portName === "" || portName === asked.name
  const sent = new Set(registry.endpoints(hostname).map((endpoint) => `${endpoint.cluster} ${placeOf(endpoint)}`))
  const all = [...explainSources(registry, service, sent), ...explainNames(registry, service)]
  const endpoints = all.filter((one) => wanted(one.port) && (question.address === undefined || one.address === question.address))
  return { answer: inShort(question, endpoints), endpoints, changedAt: registry.changedAt(hostname) }
}

/** The endpoints of what it stands for: it has none of its own. */
function explainAlias(registry: ExplainableRegistry, { words, target }: AliasInWords, question: Question): Explanation {
  if (target === undefined) return { answer: words, endpoints: [] }
  const explained = explain(registry, { ...question, hostname: target.hostname })
  return { ...explained, answer: `${words}; ${explained.answer}` }
}

function explainSources(registry: ExplainableRegistry, service: Service, sent: ReadonlySet<string>): readonly Explained[] {
  const seen = new Set<string>()
  return registry.judgements(service.hostname).flatMap(({ source, cluster, judged }) =>
    judged.map((one) => {
      const { address, portName } = one
      // Two clusters may use the same addresses for different pods.
      const place = `${cluster} ${address} ${portName}`
      const twice = one.endpoint !== undefined && seen.has(place)
      seen.add(place)
      return { address, port: portName, source, ...verdictOn(one, service, { twice, sent: sent.has(place) }) }
    }),
  )
}

function verdictOn(
  { endpoint, reason }: Judgement,
  service: Service,
  { twice, sent }: { readonly twice: boolean; readonly sent: boolean },
): Pick<Explained, "in" | "reason"> {
  if (endpoint === undefined) return { in: false, reason }
  const untold = whyUntold(service, endpoint)
  if (untold !== undefined) return { in: false, reason: untold }
  if (twice) return { in: false, reason: "another slice has it too, and that one counts" }
  if (endpoint.health === "unhealthy" && !wantsUnhealthy(service)) return { in: false, reason: "it is not ready" }
  if (!sent) return { in: false, reason: "it waits for its turn: the change has not been taken in yet" }
  return { in: true, reason }
}

/** Whatever an endpoint is like: because of the service, or of the port that it stands behind. */
function whyUntold(service: Service, { portName }: Endpoint): string | undefined {
  if (isHidden(service)) return "no namespace may see the service (exportTo ~)"
  const ports = service.ports.filter(({ name }) => portName === "" || name === portName)
  if (ports.length === 0) return `no port of the service is named ${JSON.stringify(portName)}`
  const exported = exportedPorts(service)
  return ports.some((port) => exported.includes(port)) ? undefined : "its port is UDP, which is not sent to clients"
}

/** An ExternalName has endpoints without a source. */
function explainNames(registry: ExplainableRegistry, service: Service): readonly Explained[] {
  const { hostname, externalName } = service
  if (externalName === undefined) return []
  return registry.endpoints(hostname).map((endpoint) => {
    const untold = whyUntold(service, endpoint)
    const reason = untold ?? `the service is an ExternalName of ${externalName}`
    return { address: endpoint.addresses[0]!, port: endpoint.portName, in: untold === undefined, reason, source: "" }
  })
}

function noSuchPort({ hostname, ports }: Service, port: number): string {
  return `${hostname} has no port ${port}; it has ${ports.map((one) => one.port).join(", ") || "none"}`
}

function inShort({ hostname, address }: Question, endpoints: readonly Explained[]): string {
  const used = endpoints.filter((one) => one.in)
  if (address === undefined) return `${hostname}: ${used.length} of ${endpoints.length} endpoints are sent`
  const [first] = endpoints
  if (first === undefined) return `${address} is out: no slice of ${hostname} has it`
  const [one] = used
  return one === undefined ? `${address} is out: ${first.reason}` : `${address} is in: ${one.reason}`
}

interface AliasInWords {
  readonly words: string
  /** Whose endpoints answer to the name; undefined where clients receive nothing of it. */
  readonly target: Service | undefined
}

/** What an alias leads to; undefined for what is none. */
function aliasInWords(alias: Service, find: (hostname: string) => Service | undefined): AliasInWords | undefined {
  const way = aliasWay(alias, find)
  if (way === undefined) return undefined
  const { hostname } = alias
  const untold = (words: string) => ({ words: `${hostname} is an alias ${words}`, target: undefined })
  if (way.isCircle) {
    const back = find(way.hosts.at(-1) ?? hostname)?.aliasOf
    return untold(`that leads in a circle: ${[hostname, ...way.hosts, back].join(" → ")}; it is not sent to clients`)
  }
  const names = `of ${way.hosts.join(", which is one of ")}`
  const target = serviceBehind(alias, find)
  if (target === undefined) return untold(`${names}, which no service has as its hostname; it is not sent to clients`)
  if (isHidden(alias)) return untold(`${names}, and no namespace may see it (exportTo ~)`)
  return { words: `${hostname} is an alias ${names}`, target }
}

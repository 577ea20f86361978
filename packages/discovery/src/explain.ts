import type { Judgement } from "./kube/convert/judge.ts"
import type { Endpoint } from "./model/endpoint.ts"
import type { Service } from "./model/service.ts"
import { wantsUnhealthy } from "./model/unhealthy.ts"

/** What one source of endpoints says of a service, address by address. */
export interface SourceJudgements {
  /** "namespace/name" of the slice. */
  readonly source: string
  readonly cluster: string
  readonly judged: readonly Judgement[]
}

export interface ExplainableRegistry {
  readonly synced: boolean
  service(hostname: string): Service | undefined
  endpoints(hostname: string): readonly Endpoint[]
  judgements(hostname: string): readonly SourceJudgements[]
  changedAt(hostname: string): number | undefined
}

export interface Question {
  readonly hostname: string
  /** A port of the service. */
  readonly port?: number
  readonly address?: string
}

export interface Explained {
  readonly address: string
  readonly port: string
  readonly in: boolean
  readonly because: string
  readonly source: string
}

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

/** Why endpoints of a service are told to clients, or are not. */
export function explain(registry: ExplainableRegistry, question: Question): Explanation {
  const { hostname, port } = question
  const service = registry.service(hostname)
  if (!registry.synced) return { answer: "the first state has not been read yet; nothing is told before", endpoints: [] }
  if (service === undefined) return { answer: `no service has the hostname ${hostname}`, endpoints: [] }
  const asked = service.ports.find((one) => one.port === port)
  if (port !== undefined && asked === undefined) return { answer: noSuchPort(service, port), endpoints: [] }
  const wanted = (portName: string) => asked === undefined || portName === "" || portName === asked.name
  const told = new Set(registry.endpoints(hostname).map(placeOf))
  const all = [...explainSources(registry, service, told), ...explainNames(registry, service)]
  const endpoints = all.filter((one) => wanted(one.port) && (question.address === undefined || one.address === question.address))
  return { answer: inShort(question, endpoints), endpoints, changedAt: registry.changedAt(hostname) }
}

function explainSources(registry: ExplainableRegistry, service: Service, told: ReadonlySet<string>): readonly Explained[] {
  const seen = new Set<string>()
  return registry.judgements(service.hostname).flatMap(({ source, judged }) =>
    judged.map((one) => {
      const { address, portName } = one
      const place = `${address} ${portName}`
      const twice = one.endpoint !== undefined && seen.has(place)
      seen.add(place)
      return { address, port: portName, source, ...verdictOn(one, service, { twice, told: told.has(place) }) }
    }),
  )
}

function verdictOn(
  { endpoint, because }: Judgement,
  service: Service,
  { twice, told }: { readonly twice: boolean; readonly told: boolean },
): Pick<Explained, "in" | "because"> {
  if (endpoint === undefined) return { in: false, because }
  if (!service.ports.some(({ name }) => endpoint.portName === "" || name === endpoint.portName)) {
    return { in: false, because: `no port of the service is named ${JSON.stringify(endpoint.portName)}` }
  }
  if (twice) return { in: false, because: "another slice has it too, and that one counts" }
  if (endpoint.health === "unhealthy" && !wantsUnhealthy(service)) return { in: false, because: "it is not ready" }
  if (!told) return { in: false, because: "it waits for its turn: the change has not been taken in yet" }
  return { in: true, because }
}

/** An ExternalName has endpoints without a source. */
function explainNames(registry: ExplainableRegistry, { hostname, externalName, aliasOf }: Service): readonly Explained[] {
  if (externalName === undefined || aliasOf !== undefined) return []
  const because = `the service is an ExternalName of ${externalName}`
  return registry
    .endpoints(hostname)
    .map(({ addresses, portName }) => ({ address: addresses[0]!, port: portName, in: true, because, source: "" }))
}

function noSuchPort({ hostname, ports }: Service, port: number): string {
  return `${hostname} has no port ${port}; it has ${ports.map((one) => one.port).join(", ") || "none"}`
}

function inShort({ hostname, address }: Question, endpoints: readonly Explained[]): string {
  const used = endpoints.filter((one) => one.in)
  if (address === undefined) return `${hostname}: ${used.length} of ${endpoints.length} endpoints are told`
  const [first] = endpoints
  if (first === undefined) return `${address} is out: no slice of ${hostname} has it`
  const [one] = used
  return one === undefined ? `${address} is out: ${first.because}` : `${address} is in: ${one.because}`
}

function placeOf({ addresses, portName }: Endpoint): string {
  return `${addresses[0]} ${portName}`
}

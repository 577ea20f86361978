import { internalError, type StatusError } from "@pilothouse/api"
import { type Transport, type TransportResponse, valueBody } from "@pilothouse/seams"

interface GroupList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions: readonly { readonly version: string; readonly resources: readonly { readonly resource: string }[] }[]
  }[]
}

/** A server whose kinds a test adds, removes or makes fail. */
export class ChangingKinds {
  /** Plural names that discovery omits. */
  readonly hidden = new Set<string>()
  /** Plural names whose lists and watches are refused. */
  readonly failing = new Map<string, StatusError>()
  /** "coordination.k8s.io/v1": reported as stale, without resources. */
  readonly stale = new Set<string>()
  /** Whether discovery as a whole fails. */
  broken = false
  /** "GET /api/v1/configmaps application/json;as=…" */
  readonly reads: string[] = []
  #discoveries = 0

  get discoveries(): number {
    return this.#discoveries
  }

  layer(inner: Transport): Transport {
    return async (request) => {
      if (request.path === "/api" || request.path === "/apis") return this.#discovery(await inner(request), request.path)
      const plural = request.path.split("/").at(-1) ?? ""
      const refused = request.verb === "GET" ? this.failing.get(plural) : undefined
      if (request.verb === "GET") this.reads.push(`${plural} ${request.headers.accept}`)
      return refused === undefined ? inner(request) : answer(refused)
    }
  }

  #discovery(response: TransportResponse, path: string): TransportResponse {
    if (path === "/api") this.#discoveries++
    if (this.broken) return answer(internalError("discovery is down"))
    const { body } = response
    if (body.type !== "bytes") throw new Error(`expected discovery in bytes, found a ${body.type}`)
    const list = JSON.parse(Buffer.from(body.bytes).toString()) as GroupList
    return { ...response, body: valueBody({ ...list, items: list.items.map((group) => this.#group(group)) }) }
  }

  #group({ metadata, versions }: GroupList["items"][number]): unknown {
    const changed = versions.map((version) => {
      const groupVersion = metadata.name ? `${metadata.name}/${version.version}` : version.version
      if (this.stale.has(groupVersion)) return { version: version.version, freshness: "Stale", resources: [] }
      return { ...version, resources: version.resources.filter(({ resource }) => !this.hidden.has(resource)) }
    })
    return { metadata, versions: changed }
  }
}

function answer({ status }: StatusError): TransportResponse {
  return { status: status.code ?? 500, headers: {}, body: valueBody(status) }
}

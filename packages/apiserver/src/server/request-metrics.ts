import type { Counter, Histogram, Labels, Metrics } from "@pilothouse/seams"
import type { ApiVerb } from "../request/request-info.ts"
import type { Resource } from "../resources/resource.ts"

export interface CountedRequest {
  readonly verb: ApiVerb
  readonly resource: Resource
  readonly subresource: string
}

/** Upstream names these by their methods, and the other verbs as they are. */
const methods: Readonly<Record<string, string>> = { create: "POST", update: "PUT" }

interface RequestLabels {
  readonly total: Labels
  readonly duration: Labels
}

/**
 * Counts requests under kube-apiserver's names.
 *
 * Invariant: there are labels only for what the server has. A subresource that does not exist, and that a client can invent, counts
 * for none: else a client that requests many of them would take memory for ever.
 */
export class RequestMetrics {
  readonly #total: Counter
  readonly #duration: Histogram
  /** Made once and frozen, so that they are written out once: doing both for every request was 4 % of a profile of creates. */
  readonly #labels = new Map<string, RequestLabels>()

  constructor(metrics: Metrics) {
    const help = "Requests by verb, group, version, resource, subresource and status code."
    this.#total = metrics.counter({ name: "apiserver_request_total", help })
    const lasted = "How long requests took, watches left out, by verb and resource."
    this.#duration = metrics.histogram({ name: "apiserver_request_duration_seconds", help: lasted })
  }

  count(call: CountedRequest, code: number, milliseconds: number): void {
    const { total, duration } = this.#labelsOf(call, code)
    this.#total.add(1, total)
    if (call.verb !== "watch") this.#duration.observe(milliseconds / 1000, duration)
  }

  #labelsOf({ verb, resource, subresource }: CountedRequest, code: number): RequestLabels {
    const { group, version, plural, subresources } = resource.descriptor
    const known = subresource !== "" && subresources.some(({ name }) => name === subresource) ? subresource : ""
    const key = `${verb} ${group}/${version}/${plural}/${known} ${code}`
    const made = this.#labels.get(key)
    if (made) return made
    const asked = { verb: methods[verb] ?? verb.toUpperCase(), resource: plural }
    const total = Object.freeze({ ...asked, group, version, subresource: known, code: String(code) })
    const labels = { total, duration: Object.freeze(asked) }
    this.#labels.set(key, labels)
    return labels
  }
}

import type { Resource } from "../xds/resource.ts"
import type { XdsClient } from "./client.ts"
import { EndpointBytes } from "./endpoint-bytes.ts"
import type { Source } from "./generator.ts"
import { assignmentScope, endpointsFor, loadAssignment, rankFor } from "./load-assignment.ts"
import { exportedPorts, parseClusterName, visibleIn } from "./names.ts"
import { type Across, Horizon } from "./split-horizon.ts"

/** Endpoints by the name of their cluster: the same for both sorts of clients. Every name has an assignment, if only an empty one. */
export class Assignments {
  readonly #source: Source
  readonly #encoded = new EndpointBytes()
  readonly #across: Across
  /** Undefined where gateways changed since it was last needed. */
  #horizon: Horizon | undefined

  constructor(source: Source, across: Across) {
    this.#source = source
    this.#across = across
  }

  /** Gateways between networks changed, or may have. */
  forgetGateways(): void {
    this.#horizon = undefined
  }

  render(name: string, client: XdsClient): Resource {
    const target = parseClusterName(name)
    const service = target && this.#source.getService(target.hostname)
    // Of the exported ones: DNS has the same number twice, and other endpoints for UDP.
    const port = service && exportedPorts(service).find((one) => one.port === target?.port)
    if (service === undefined || port === undefined || !visibleIn(service, client.namespace))
      return loadAssignment(name, [], () => 0, this.#encoded)
    const endpoints = endpointsFor(service, port.name, this.#source.endpoints(service.hostname), client)
    const rank = rankFor(service, client)
    return loadAssignment(name, this.#from().seenBy(client, endpoints, rank), rank, this.#encoded)
  }

  scope(name: string, client: XdsClient): string {
    const target = parseClusterName(name)
    const service = target && this.#source.getService(target.hostname)
    if (service === undefined) return ""
    const hidden = service.exportTo.includes("*") ? "" : client.namespace
    return `${hidden}${assignmentScope(service, client)}${this.#from().scope(client)}`
  }

  #from(): Horizon {
    this.#horizon ??= new Horizon(this.#source.networkGateways(), this.#across)
    return this.#horizon
  }
}

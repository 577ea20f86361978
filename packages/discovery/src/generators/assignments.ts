import type { Resource } from "../xds/resource.ts"
import type { XdsClient } from "./client.ts"
import { EndpointBytes } from "./endpoint-bytes.ts"
import type { Source } from "./generator.ts"
import { assignmentScope, endpointsFor, loadAssignment, rankFor } from "./load-assignment.ts"
import { parseClusterName, visibleIn } from "./names.ts"

/** Endpoints by the name of their cluster: the same for both sorts of clients. Every name has an assignment, if only an empty one. */
export class Assignments {
  readonly #source: Source
  readonly #encoded = new EndpointBytes()

  constructor(source: Source) {
    this.#source = source
  }

  render(name: string, client: XdsClient): Resource {
    const target = parseClusterName(name)
    const service = target && this.#source.service(target.hostname)
    const port = service?.ports.find((one) => one.port === target?.port)
    if (service === undefined || port === undefined || !visibleIn(service, client.namespace))
      return loadAssignment(name, [], () => 0, this.#encoded)
    const endpoints = endpointsFor(service, port.name, this.#source.endpoints(service.hostname), client)
    return loadAssignment(name, endpoints, rankFor(service, client), this.#encoded)
  }

  scope(name: string, client: XdsClient): string {
    const target = parseClusterName(name)
    const service = target && this.#source.service(target.hostname)
    if (service === undefined) return ""
    const hidden = service.exportTo.includes("*") ? "" : client.namespace
    return `${hidden}${assignmentScope(service, client)}`
  }
}

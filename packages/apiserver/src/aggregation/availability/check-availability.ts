import { quoted } from "@pilothouse/api"
import { type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { messageOf, noBody, withTimeout } from "@pilothouse/seams"
import type { Identity } from "../../authentication/identity.ts"
import { listPrefix, readObject } from "../../registry/object-key.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { type ExtensionCaller, extensionEndpoint, sendToExtension } from "../extension/extension-server.ts"
import type { Availability } from "./conditions.ts"

/** Who the checks are made as. */
export const aggregatorUser: Identity = { name: "system:kube-aggregator", groups: ["system:masters"] }

/** Checks that are made at once: each may meet another endpoint, and one that passes is enough. */
const attempts = 5
/** Milliseconds of each. */
const attemptTimeout = 5000

/** Returns whether requests may be passed on to the Service of an APIService: what is stored is looked at first, then the server itself. */
export async function checkAvailability(caller: ExtensionCaller, remote: RemoteApiService): Promise<Availability> {
  const missing = missingParts(caller, remote)
  if (missing !== undefined) return missing
  const decided = new AbortController()
  try {
    await Promise.any(Array.from({ length: attempts }, () => discover(caller, remote, decided.signal)))
    return { status: "True", reason: "Passed", message: "all checks passed" }
  } catch (error) {
    const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
    return failed("FailedDiscoveryCheck", messageOf(last))
  } finally {
    // The others need not go on: one that hangs would keep its connection until its time is over.
    decided.abort()
  }
}

function missingParts({ storage, registry }: ExtensionCaller, { spec }: RemoteApiService): Availability | undefined {
  const { namespace = "", name = "", port = 443 } = spec.service
  const where = `service/${name} in ${quoted(namespace)}`
  const service: Service | undefined = readObject(storage, registry.of(services), namespace, name)
  if (service === undefined) return failed("ServiceNotFound", `${where} is not present`)
  // What another type leads to is not known here: the server says it.
  if ((service.spec?.type ?? "ClusterIP") !== "ClusterIP") return undefined
  const found = service.spec?.ports?.find((one) => one.port === port)
  if (found === undefined) return failed("ServicePortError", `${where} is not listening on port ${port}`)
  const slices = slicesOf({ storage, registry }, namespace, name)
  if (slices.length === 0) return failed("EndpointsNotFound", `cannot find endpointslices for ${where}`)
  if (slices.some((slice) => hasEndpoint(slice, found.name ?? ""))) return undefined
  return failed("MissingEndpoints", `endpointslices for ${where} have no addresses with port name ${quoted(found.name ?? "")}`)
}

function slicesOf({ storage, registry }: Pick<ExtensionCaller, "storage" | "registry">, namespace: string, name: string) {
  const resource = registry.of(endpointSlices)
  const all = storage.list(listPrefix(resource, namespace)).items.map(({ value }) => resource.stored.decode(value))
  return all.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name)
}

function hasEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = endpoints?.some(({ conditions }) => conditions?.ready !== false) ?? false
  return isReady && (ports?.some(({ name, port }) => name === portName && port !== undefined) ?? false)
}

/** Every extension server has the path of its group version. */
async function discover(caller: ExtensionCaller, remote: RemoteApiService, decided: AbortSignal): Promise<void> {
  const endpoint = extensionEndpoint(caller, remote)
  const { group = "", version = "" } = remote.spec
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const url = `https://${endpoint}${path}`
  const error = () => new Error(`Get ${quoted(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)
  const limit = { clock: caller.clock, timeout: attemptTimeout, name: "a check of an extension server", signal: decided, error }
  try {
    await withTimeout(limit, async (signal) => {
      const request = {
        verb: "GET",
        path,
        query: {},
        headers: { accept: "*/*", "user-agent": "Go-http-client/2.0" },
        body: noBody,
        signal,
      } as const
      const { status, body } = await sendToExtension(caller, { remote, endpoint, user: aggregatorUser }, request)
      await body.frames[Symbol.asyncIterator]().return?.()
      if (status < 200 || status > 299) throw new BadStatus(`bad status from ${url}: ${status}`)
    })
  } catch (cause) {
    throw new Error(`failing or missing response from ${url}: ${reasonOf(cause, url)}`, { cause })
  }
}

class BadStatus extends Error {}

/** What Go's client says names the request. */
function reasonOf(cause: unknown, url: string): string {
  const text = messageOf(cause)
  return cause instanceof BadStatus || text.startsWith("Get ") ? text : `Get ${quoted(url)}: ${text}`
}

function failed(reason: string, message: string): Availability {
  return { status: "False", reason, message }
}

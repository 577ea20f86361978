import { keyOf } from "@pilothouse/api"
import { endpoints, namespaces, type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { type EventHandler, eventHandler, type HandlerEvent, index, type Reader, watch } from "@pilothouse/runtime"
import { type Clock, type Log, messageOf } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import type { Identity } from "../../drivers/identity.ts"
import type { Reachability } from "../../reachability/reachability.ts"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { readAnnotation, specAnnotation, stateAnnotation } from "../annotations.ts"
import type { Ours } from "../ours.ts"
import { decodeSpec } from "../spec-annotation.ts"
import type { Balancers } from "./balancers.ts"
import { type BalancerObserved, decideBalancer, settleBalancer, wantedOf } from "./decide.ts"
import { decideTree } from "./decide-tree.ts"
import { balancerExecutors } from "./executors.ts"
import type { FoundTree, WantedTree } from "./tree.ts"
import { targetsOfEndpoints, targetsOfSlices, trafficTo, type WantedOptions } from "./wanted-tree.ts"

export interface LoadBalancerHandlerOptions {
  readonly ours: Ours
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly identity: Identity
  readonly balancers: Balancers
  readonly clock: Clock
  /** Where addresses come from; "endpoints" unless told otherwise. The annotations stay on the Endpoints in both cases, where there are any. */
  readonly source?: "endpoints" | "endpointslices"
  readonly tree: (signal: AbortSignal) => Promise<WantedOptions>
  readonly reachability: Reachability
  readonly log?: Log
}

/** How long a load balancer that was seen to be right is not read again, in milliseconds, while nothing changes. Shorter than a resync. */
const trustFor = 300_000

const slicesByService = index(endpointSlices, "service-key", serviceKeys)

function serviceKeys({ metadata }: EndpointSlice): readonly string[] {
  const name = metadata.labels?.["kubernetes.io/service-name"]
  return name === undefined ? [] : [`${metadata.namespace}/${name}`]
}

/**
 * Services as load balancers: their addresses, ports and endpoints become load balancer, listeners, pools and members.
 * Watches Services and Endpoints, or EndpointSlices; writes the state annotation, and the status of Services of type LoadBalancer.
 */
export function loadBalancerHandler(options: LoadBalancerHandlerOptions): EventHandler {
  const slices = options.source === "endpointslices"
  const right: Right = new Map()
  return eventHandler<Service, BalancerObserved>({
    name: "lb",
    of: services,
    reads: [namespaces, endpoints],
    ...(slices && { indexes: [slicesByService] as never }),
    watches: [
      watch(endpoints, "its Endpoints changed", (object) => [keyOf(object)]),
      ...(slices ? [watch(endpointSlices, "its EndpointSlices changed", serviceKeys)] : []),
    ],
    eventSource: "kuryr-controller",
    // A tree of many parts that each take a minute.
    timeLimit: 600_000,
    executors: balancerExecutors(options),
    observe: (event, read, signal) => observe(event, read, { ...options, right }, signal),
    onPresent: decideBalancer,
    onDeleted: decideBalancer,
    settle: settleBalancer,
  })
}

/** By UID: what was seen to be as it should be, when, and what that was. */
type Right = Map<string, { readonly as: string; readonly at: number; readonly found: FoundTree }>

type Remembering = LoadBalancerHandlerOptions & { readonly right: Right }

async function observe(event: HandlerEvent<Service>, read: Reader, options: Remembering, signal: AbortSignal): Promise<BalancerObserved> {
  const { object: service, key } = event
  const { uid = "", namespace, name } = service.metadata
  const wantedOptions = await options.tree(signal)
  const seen = () => {
    // Of a Service that is gone the Endpoints of its name may be another one's already.
    const its = event.type === "deleted" ? undefined : read.get(endpoints, key)
    const targets =
      options.source === "endpointslices"
        ? targetsOfSlices(read.byIndex(slicesByService, key))
        : its === undefined
          ? []
          : targetsOfEndpoints(its)
    const onEndpoints = readAnnotation(its, specAnnotation, decodeSpec)
    const spec = onEndpoints.text === undefined ? readAnnotation(service, specAnnotation, decodeSpec) : onEndpoints
    const state = readAnnotation(its ?? service, stateAnnotation, decodeState)
    return {
      endpoints: its,
      targets,
      spec,
      state,
      options: wantedOptions,
      notOurs: options.ours.namespace(read.get(namespaces, namespace ?? "")),
    }
  }
  const before = seen()
  if (before.notOurs !== undefined) return { ...before, found: undefined }
  const wanted = wantedOf(service, before, event.type === "deleted")
  const as = JSON.stringify(wanted)
  const last = options.right.get(uid)
  const now = options.clock.elapsed()
  if (wanted !== undefined && last?.as === as && now - last.at < trustFor) return { ...before, found: last.found }
  const found = await options.balancers.find(
    { uid, name: `${namespace}/${name}`, ip: wanted?.ip, id: before.state.value?.loadbalancer?.id },
    signal,
  )
  if (wanted !== undefined && found !== undefined && isRight(wanted, found)) options.right.set(uid, { as, at: now, found })
  else options.right.delete(uid)
  const refused = wanted && (await refusedBy(wanted, wantedOptions, options, signal))
  return { ...seen(), found, refused }
}

/** A warning that cannot be computed keeps nobody from a load balancer: undefined then. */
async function refusedBy(
  wanted: WantedTree,
  wantedOptions: WantedOptions,
  { reachability, log }: LoadBalancerHandlerOptions,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    return await reachability.missing(wanted.groups, trafficTo(wanted, wantedOptions), { signal })
  } catch (error) {
    if (signal.aborted) throw error
    log?.debug("nobody knows whether a load balancer reaches its pods", { service: wanted.name, error: messageOf(error) })
    return undefined
  }
}

/** Nothing would be done to it. */
function isRight(wanted: WantedTree, found: FoundTree): boolean {
  const decision = decideTree(wanted, found)
  return "operations" in decision && decision.operations.length === 0
}

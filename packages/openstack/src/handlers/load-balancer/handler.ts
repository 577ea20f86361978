import { keyOf } from "@pilothouse/api"
import { endpoints, namespaces, type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { type EventHandler, eventHandler, type HandlerEvent, index, type Reader, watch } from "@pilothouse/runtime"
import { type Clock, type Log, messageOf } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import type { ClusterMarks } from "../../drivers/creation/cluster-marks.ts"
import type { TreeOptions } from "../../drivers/drivers.ts"
import type { Reachability } from "../../reachability/reachability.ts"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { decodeSpec, readAnnotation, specAnnotation, stateAnnotation } from "../annotations.ts"
import { conditionTypes, withCondition } from "../fault-conditions.ts"
import { decideIfObserved, type ObserveResult, observeErrorExecutors, observeOrError } from "../observe-errors.ts"
import type { Ownership } from "../ownership.ts"
import type { Balancers } from "./balancers.ts"
import { type BalancerObserved, decideBalancer, desiredTreeFor, needsNone, settleBalancer } from "./decide.ts"
import { decideTree } from "./decide-tree.ts"
import { targetsOfEndpoints, targetsOfSlices, trafficTo } from "./desired-tree.ts"
import { balancerExecutors } from "./executors.ts"
import { LastSeen } from "./last-seen.ts"
import type { DesiredTree, FoundTree } from "./tree.ts"

export interface LoadBalancerHandlerOptions {
  readonly ownership: Ownership
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly clusterMarks: ClusterMarks
  readonly balancers: Balancers
  readonly clock: Clock
  /** Where addresses come from; "endpoints" by default. The annotations stay on the Endpoints in both cases, where there are any. */
  readonly source?: "endpoints" | "endpointslices"
  readonly tree: (signal: AbortSignal) => Promise<TreeOptions>
  readonly reachability: Reachability
  readonly log?: Log
  readonly dryRun?: boolean
}

const slicesByService = index(endpointSlices, "service-key", serviceKeys)

function serviceKeys({ metadata }: EndpointSlice): readonly string[] {
  const name = metadata.labels?.["kubernetes.io/service-name"]
  return name === undefined ? [] : [`${metadata.namespace}/${name}`]
}

/**
 * Services as load balancers: their addresses, ports and endpoints become load balancer, listeners, pools and members.
 * Watches Services and Endpoints, or EndpointSlices; writes the state annotation, the status of Services of type LoadBalancer,
 * and a condition where something is wrong.
 */
export function loadBalancerHandler(options: LoadBalancerHandlerOptions): EventHandler {
  const slices = options.source === "endpointslices"
  const lastSeen = new LastSeen()
  const handler: EventHandler<Service, ObserveResult<BalancerObserved>> = {
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
    reconcileTimeout: 600_000,
    executors: [...balancerExecutors(options), ...observeErrorExecutors],
    observe: (event, read, signal) =>
      observeOrError(event, { dryRun: options.dryRun, signal }, () => observe(event, read, { ...options, lastSeen }, signal)),
    onPresent: decideIfObserved("KuryrLoadBalancerFailed", decideBalancer),
    onDeleted: decideIfObserved("KuryrLoadBalancerFailed", decideBalancer),
    settle: (event, _, results) => settleBalancer(event, results),
  }
  return eventHandler(withCondition(conditionTypes.lb, handler))
}

type Remembering = LoadBalancerHandlerOptions & { readonly lastSeen: LastSeen }

async function observe(event: HandlerEvent<Service>, read: Reader, options: Remembering, signal: AbortSignal): Promise<BalancerObserved> {
  const { object: service, key } = event
  const { uid = "", namespace, name } = service.metadata
  const gone = event.type === "deleted"
  const treeOptions = await options.tree(signal)
  const seen = () => {
    // Of a Service that is gone the Endpoints of its name may be another one's already.
    const its = gone ? undefined : read.get(endpoints, key)
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
      options: treeOptions,
      // With the namespace the labels may be deleted that selected the Service: what was created here is deleted here.
      skipReason: gone && options.balancers.knows(uid) ? undefined : options.ownership.namespace(read.get(namespaces, namespace ?? "")),
    }
  }
  const before = seen()
  if (before.skipReason !== undefined) return { ...before, found: undefined }
  // Before it is specified its subnet is unknown, and nothing is done to it.
  if (before.spec.value === undefined && !needsNone(service, gone)) return { ...before, found: undefined }
  const desired = desiredTreeFor(service, before, gone)
  const now = options.clock.elapsed()
  const last = options.lastSeen.stillRight(uid, desired, now)
  if (last !== undefined) return { ...before, ...last }
  const found = await options.balancers.find(
    {
      uid,
      name: `${namespace}/${name}`,
      ip: clusterIp(service),
      subnet: before.spec.value?.subnet,
      id: before.state.value?.loadbalancer?.id,
    },
    signal,
  )
  if (desired === undefined && found === undefined) options.balancers.throwIfInFlight(uid)
  const refused = desired && (await refusedBy(desired, treeOptions, options, signal))
  options.lastSeen.record(uid, { desired, found, refused, isRight: isRight(desired, found) }, now)
  return { ...seen(), found, refused, pendingFor: options.lastSeen.pendingFor(uid, now) }
}

/** Also of one that is gone, by which what kuryr left of it is known. */
function clusterIp({ spec }: Service): string | undefined {
  return spec?.clusterIP === "None" ? undefined : spec?.clusterIP || undefined
}

/** Returns undefined where the warning cannot be computed: it does not prevent a load balancer. */
async function refusedBy(
  desired: DesiredTree,
  treeOptions: TreeOptions,
  { reachability, log }: LoadBalancerHandlerOptions,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    return await reachability.missing(desired.groups, trafficTo(desired, treeOptions), { signal })
  } catch (error) {
    if (signal.aborted) throw error
    log?.debug("it is unknown whether a load balancer reaches its pods", { service: desired.name, error: messageOf(error) })
    return undefined
  }
}

/** Nothing would be done to it. */
function isRight(desired: DesiredTree | undefined, found: FoundTree | undefined): boolean {
  if (desired === undefined || found === undefined) return false
  const decision = decideTree(desired, found)
  return "operations" in decision && decision.operations.length === 0
}

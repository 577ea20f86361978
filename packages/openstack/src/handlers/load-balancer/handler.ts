import { keyOf } from "@pilothouse/api"
import { endpoints, namespaces, type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { type EventHandler, eventHandler, type HandlerEvent, index, type Reader, watch } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import type { Identity } from "../../drivers/identity.ts"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { readAnnotation, specAnnotation, stateAnnotation } from "../annotations.ts"
import type { Ours } from "../ours.ts"
import { decodeSpec } from "../spec-annotation.ts"
import type { Balancers } from "./balancers.ts"
import { type BalancerObserved, decideBalancer, settleBalancer, wantedOf } from "./decide.ts"
import { balancerExecutors } from "./executors.ts"
import { targetsOfEndpoints, targetsOfSlices, type WantedOptions } from "./wanted-tree.ts"

export interface LoadBalancerHandlerOptions {
  readonly ours: Ours
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly identity: Identity
  readonly balancers: Balancers
  readonly clock: Clock
  /** Where addresses come from; "endpoints" unless told otherwise. The annotations stay on the Endpoints in both cases, where there are any. */
  readonly source?: "endpoints" | "endpointslices"
  readonly tree: (signal: AbortSignal) => Promise<WantedOptions>
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
  // What was seen to be right, and when.
  const right = new Map<string, { readonly as: string; readonly at: number }>()
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

type Remembering = LoadBalancerHandlerOptions & { readonly right: Map<string, { readonly as: string; readonly at: number }> }

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
  const as = JSON.stringify([wanted, before.state.text, service.metadata.finalizers, service.status])
  const last = options.right.get(uid)
  const now = options.clock.elapsed()
  if (wanted !== undefined && last?.as === as && now - last.at < trustFor) return { ...before, found: "unread" }
  const found = await options.balancers.find(
    { uid, name: `${namespace}/${name}`, ip: wanted?.ip, id: before.state.value?.loadbalancer?.id },
    signal,
  )
  const after = { ...seen(), found }
  if (wanted === undefined) options.right.delete(uid)
  else if (isQuiet(event, after)) options.right.set(uid, { as, at: now })
  return after
}

/** Nothing would be done. */
function isQuiet(event: HandlerEvent<Service>, observed: BalancerObserved): boolean {
  if (observed.spec.error !== undefined || observed.state.error !== undefined) return false
  const { steps, again, waitingFor } = decideBalancer(event, observed)
  return steps.every(({ operations }) => operations.length === 0) && again === undefined && waitingFor.length === 0
}

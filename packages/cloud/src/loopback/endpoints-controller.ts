import { deepEqual } from "@pilothouse/api"
import { type Service, type ServicePort, services } from "@pilothouse/api/core/v1"
import { type Endpoint, type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import {
  type Controller,
  type CustomOperation,
  controller,
  executor,
  index,
  type Plan,
  plan,
  type Reader,
  watch,
} from "@pilothouse/runtime"
import { wantsLoadBalancer } from "../service/wants-load-balancer.ts"
import { portName } from "./listener-spec.ts"
import { serviceFamilies } from "./loopback-address.ts"
import type { LoopbackCloud, TargetsByPort } from "./loopback-cloud.ts"
import { type Target, targetName } from "./targets/targets.ts"

/** The balancers to update, and the cluster that the Services belong to. */
export interface EndpointsOptions {
  readonly cloud: LoopbackCloud
  readonly clusterName?: string
}

interface SetTargets extends CustomOperation {
  readonly do: "set-targets"
  readonly service: string
  readonly targets: TargetsByPort
}

interface Observed {
  readonly key: string
  readonly service?: Service
  readonly slices: readonly EndpointSlice[]
  readonly known?: TargetsByPort
}

/** EndpointSlices by the key of their Service. */
export const byService = index(endpointSlices, "service-name", (slice) => serviceKeys(slice))

/**
 * Gives the loopback balancers their ready endpoints: there is no kube-proxy behind them.
 * An endpoint that terminates takes no new connection from the moment its slice says so; the connections it has go on.
 */
export function loopbackEndpointsController({ cloud, clusterName = "kubernetes" }: EndpointsOptions): Controller {
  return controller("loopback-endpoints-controller", {
    for: services,
    watches: [watch(endpointSlices, "its endpoints have changed", serviceKeys)],
    indexes: [byService],
    executors: [executor<SetTargets>("set-targets", async ({ service, targets }) => cloud.setTargets(clusterName, service, targets))],
    observe: (key, read) => observe(key, read, cloud.targetsOf(clusterName, key)),
    decide,
  })
}

/** Returns the key of the slice's Service, if its label names one. */
export function serviceKeys({ metadata }: EndpointSlice): readonly string[] {
  const service = metadata.labels?.["kubernetes.io/service-name"]
  return service === undefined ? [] : [`${metadata.namespace}/${service}`]
}

function observe(key: string, read: Reader, known: TargetsByPort | undefined): Observed {
  const service = read.get(services, key)
  const wanted = service !== undefined && wantsLoadBalancer(service)
  return { key, service: wanted ? service : undefined, slices: wanted ? read.byIndex(byService, key) : [], known }
}

function decide({ key, service, slices, known }: Observed): Plan {
  const targets = service === undefined ? new Map<string, readonly Target[]>() : readyTargets(service, slices)
  if (known === undefined ? targets.size === 0 : deepEqual([...known], [...targets]))
    return plan().nothing(service === undefined ? "it has no load balancer here" : "its balancer knows its endpoints")
  const count = new Set([...targets.values()].flat().map(({ address }) => address)).size
  const reason = service === undefined ? "it has no load balancer here" : `${count} of its endpoints are ready`
  const operation: SetTargets = { do: "set-targets", to: `the load balancer of ${key}`, reason, service: key, targets }
  return plan().operation(operation)
}

/** Which endpoints count besides ready ones. */
export interface TargetsOptions {
  /** As kube-proxy does it: where no endpoint of a port is ready, those that terminate and still serve are used. */
  readonly elseTerminating?: boolean
}

/** Returns the ready endpoints of each port, sorted by address, so that equal sets are equal lists. */
export function readyTargets(
  service: Service,
  slices: readonly EndpointSlice[],
  { elseTerminating = false }: TargetsOptions = {},
): TargetsByPort {
  // Of a Service with two families every endpoint stands in slices of both: one of them is enough.
  const [family] = serviceFamilies(service)
  const ofFamily = slices.filter(({ addressType }) => addressType === family)
  return new Map(
    (service.spec?.ports ?? []).map((port) => {
      const ready = targetsIn(ofFamily, port, isReady)
      const targets = ready.length > 0 || !elseTerminating ? ready : targetsIn(ofFamily, port, isServingWhileTerminating)
      return [portName(port.protocol ?? "TCP", port.port), targets]
    }),
  )
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false && conditions?.terminating !== true
}

function isServingWhileTerminating({ conditions }: Endpoint): boolean {
  return conditions?.serving !== false && conditions?.terminating === true
}

function targetsIn(
  slices: readonly EndpointSlice[],
  { name = "", protocol = "TCP" }: ServicePort,
  counts: (endpoint: Endpoint) => boolean,
): readonly Target[] {
  const found = slices.flatMap(({ ports, endpoints }) => {
    const port = ports?.find((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol)?.port
    if (port === undefined) return []
    return (endpoints ?? []).filter(counts).flatMap(({ addresses: [address] }) => (address === undefined ? [] : [{ address, port }]))
  })
  // An endpoint that moves between slices is in both for a moment.
  return [...new Map(found.sort(inOrder).map((target) => [targetName(target), target])).values()]
}

function inOrder(one: Target, other: Target): number {
  return one.address < other.address ? -1 : Number(one.address > other.address)
}

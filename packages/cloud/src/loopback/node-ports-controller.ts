import { deepEqual, keyOf } from "@pilothouse/api"
import { type Node, nodes, type Service, type ServiceSpec, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import {
  type Change,
  type Controller,
  type CustomOperation,
  controller,
  executor,
  index,
  type Plan,
  plan,
  watch,
} from "@pilothouse/runtime"
import { byService, readyTargets, serviceKeys } from "./endpoints-controller.ts"
import { clientAffinity, portName } from "./listener-spec.ts"
import type { TargetsByPort } from "./loopback-cloud.ts"
import type { NodePort, NodePorts } from "./node-ports.ts"

interface SetNodePorts extends CustomOperation {
  readonly do: "set-node-ports"
  readonly service: string
  readonly ports: readonly NodePort[]
}

interface Observed {
  readonly key: string
  readonly service?: Service
  readonly slices: readonly EndpointSlice[]
  /** The nodes on this host, by their address: several may share one. */
  readonly nodes: ReadonlyMap<string, readonly Node[]>
  readonly known: readonly NodePort[]
}

const withNodePorts = index(services, "node-ports", ({ spec }) =>
  spec?.healthCheckNodePort || spec?.ports?.some(({ nodePort }) => nodePort) ? ["yes"] : [],
)

/** One value for all of them, so that nodes on other hosts are not iterated. */
const onThisHost = index(nodes, "on-this-host", (node) => (hostAddress(node) === undefined ? [] : ["yes"]))

/**
 * Opens the node ports of Services on nodes that are this host, as kube-proxy would: for cloud providers that send traffic to nodes.
 * They forward to ready endpoints, or, where there are none, to those that terminate and still serve; with externalTrafficPolicy Local only to those
 * of the node, and the health check node port reports whether any is ready: a balancer leaves a node before its last endpoint ends.
 */
export function nodePortsController(ports: NodePorts): Controller {
  return controller("node-ports-controller", {
    for: services,
    watches: [
      watch(endpointSlices, "its endpoints have changed", serviceKeys),
      watch(nodes, "a node came, went or moved", (_node, read) => read.byIndex(withNodePorts, "yes").map(keyOf), { predicate: moves }),
    ],
    indexes: [byService, withNodePorts, onThisHost],
    executors: [executor<SetNodePorts>("set-node-ports", async ({ service, ports: desired }) => (await ports.set(service, desired), true))],
    observe: (key, read): Observed => ({
      key,
      service: read.get(services, key),
      slices: read.byIndex(byService, key),
      nodes: Map.groupBy(read.byIndex(onThisHost, "yes"), (node) => hostAddress(node)!),
      known: ports.of(key),
    }),
    decide,
  })
}

function decide({ key, service, slices, nodes: hosts, known }: Observed): Plan {
  const ports = service === undefined ? [] : Array.from(hosts, ([address, sharing]) => portsOn(address, sharing, service, slices)).flat()
  if (deepEqual(known, ports))
    return plan().nothing(ports.length === 0 ? "it has no port on a node that is this host" : "its node ports are open")
  const reason = ports.length === 0 ? "it has no node port any more" : `${ports.length} ports of nodes lead to its endpoints`
  const operation: SetNodePorts = { do: "set-node-ports", to: key, reason, service: key, ports }
  return plan().operation(operation)
}

/** Nodes that share an address share its ports. */
function portsOn(address: string, sharing: readonly Node[], service: Service, slices: readonly EndpointSlice[]): readonly NodePort[] {
  const { spec = {} } = service
  const isLocal = spec.externalTrafficPolicy === "Local"
  const own = isLocal ? onlyOf(sharing, slices) : slices
  const targets = readyTargets(service, own, { elseTerminating: true })
  const ports = (spec.ports ?? []).flatMap(({ port, nodePort = 0, protocol = "TCP" }): readonly NodePort[] => {
    if (nodePort === 0 || (protocol !== "TCP" && protocol !== "UDP")) return []
    return [{ address, protocol, port: nodePort, affinity: clientAffinity(spec), targets: targets.get(portName(protocol, port)) ?? [] }]
  })
  return isLocal ? [...ports, ...healthPort(address, spec, readyTargets(service, own))] : ports
}

/** The port at which balancers that send traffic to nodes find out which of them have endpoints. */
function healthPort(address: string, { type, healthCheckNodePort: port = 0 }: ServiceSpec, targets: TargetsByPort): readonly NodePort[] {
  if (type !== "LoadBalancer" || port === 0) return []
  const endpoints = new Set([...targets.values()].flat().map((target) => target.address))
  return [{ address, protocol: "TCP", port, isHealthCheck: true, targets: Array.from(endpoints, (one) => ({ address: one, port: 0 })) }]
}

function onlyOf(sharing: readonly Node[], slices: readonly EndpointSlice[]): readonly EndpointSlice[] {
  const names = new Set(sharing.map(({ metadata }) => metadata.name))
  return slices.map((slice) => ({ ...slice, endpoints: (slice.endpoints ?? []).filter(({ nodeName }) => names.has(nodeName)) }))
}

/** The node's address on this host: a node on another host has a kube-proxy of its own. */
function hostAddress({ status }: Node): string | undefined {
  return status?.addresses?.find(({ type, address }) => type === "InternalIP" && address.startsWith("127."))?.address
}

function moves(change: Change<Node>): boolean {
  return change.type !== "updated" || hostAddress(change.old) !== hostAddress(change.object)
}

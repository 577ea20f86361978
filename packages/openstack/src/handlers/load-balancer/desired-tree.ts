import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { cidrContains, parseCidr } from "@pilothouse/api/net"
import { wantsLoadBalancer } from "@pilothouse/cloud"
import type { TreeOptions } from "../../drivers/drivers.ts"
import type { Traffic } from "../../reachability/reachability.ts"
import type { ServiceSpec } from "../annotations.ts"
import type { DesiredListener, DesiredMember, DesiredTree } from "./tree.ts"

/** One address behind a Service, and what answers there. */
export interface Target {
  readonly address: string
  /** The name of the Service's port. */
  readonly portName: string | null
  readonly port: number
  readonly pod?: { readonly namespace: string; readonly name: string }
}

export interface DesiredTreeResult {
  readonly tree: DesiredTree
  /** Addresses that are left out, and why. */
  readonly skipped: readonly string[]
}

/** Returns the load balancer that a Service should have: listeners, pools and members, of the address family of its IP. */
export function buildDesiredTree(service: Service, spec: ServiceSpec, targets: readonly Target[], options: TreeOptions): DesiredTreeResult {
  const { namespace, name, uid = "" } = service.metadata
  // Slices of a Service of two families have addresses of both; its load balancer has one.
  const [usable, skipped] = usableTargets(
    targets.filter((one) => isIPv6(one.address) === isIPv6(spec.ip)),
    options,
  )
  const subnet = options.memberMode === "L2" ? options.podSubnet.id : spec.subnet
  const external = wantsLoadBalancer(service) ? options.external : undefined
  const listeners = spec.ports.map((port): DesiredListener => {
    const members = usable.filter((one) => one.portName === port.name).map((one) => toMember(one, subnet))
    return {
      name: `${namespace}/${name}:${port.protocol}:${port.port}`,
      protocol: port.protocol as DesiredListener["protocol"],
      port: port.port,
      allowedCidrs: service.spec?.loadBalancerSourceRanges,
      sticky: service.spec?.sessionAffinity === "ClientIP",
      members: [...new Map(members.map((one) => [`${one.address} ${one.port}`, one])).values()],
    }
  })
  const floating = external && { ...external, address: service.spec?.loadBalancerIP || undefined }
  const { ip, project, groups } = spec
  return {
    skipped,
    tree: {
      name: `${namespace}/${name}`,
      owner: uid,
      project,
      ip,
      subnet: spec.subnet,
      groups,
      algorithm: options.algorithm,
      listeners,
      floating,
    },
  }
}

/** Returns the traffic that has to pass from the load balancer to its pods: once for each port they listen on. */
export function trafficTo({ listeners }: DesiredTree, { memberMode, podSubnet, serviceSubnet }: TreeOptions): readonly Traffic[] {
  const from = memberMode === "L2" ? podSubnet.cidr : serviceSubnet.cidr
  const all = listeners.flatMap(({ protocol, members }) => members.map(({ port }) => ({ from, protocol, port })))
  return [...new Map(all.map((one) => [`${one.protocol} ${one.port}`, one])).values()]
}

function isIPv6(address: string): boolean {
  return address.includes(":")
}

/** In one subnet with the pods only what is in it can be reached. */
function usableTargets(
  targets: readonly Target[],
  { memberMode, podSubnet }: TreeOptions,
): readonly [readonly Target[], readonly string[]] {
  const range = memberMode === "L2" ? parseCidr(podSubnet.cidr) : undefined
  if (range === undefined) return [targets, []]
  const outside = targets.filter(({ address }) => !cidrContains(range, address))
  const skipped = [...new Set(outside.map(({ address }) => `${address} is outside the subnet of the pods, ${podSubnet.cidr}`))]
  return [targets.filter((one) => !outside.includes(one)), skipped]
}

/** kuryr's name where a pod answers; the address otherwise. */
function toMember({ address, port, pod }: Target, subnet: string): DesiredMember {
  return { name: pod === undefined ? `${address}:${port}` : `${pod.namespace}/${pod.name}:${port}`, address, port, subnet }
}

/** Returns the addresses and ports of Endpoints that traffic can be sent to. */
export function targetsOfEndpoints({ subsets = [], metadata }: Endpoints): readonly Target[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) =>
    addresses.flatMap(({ ip, targetRef }) =>
      ports.map(({ name, port }) => ({
        address: ip,
        portName: name || null,
        port,
        pod:
          targetRef?.kind === "Pod"
            ? { namespace: targetRef.namespace ?? metadata.namespace ?? "", name: targetRef.name ?? "" }
            : undefined,
      })),
    ),
  )
}

/** An API server writes empty lists of a slice as null. */
export function targetsOfSlices(slices: readonly EndpointSlice[]): readonly Target[] {
  return slices.flatMap(({ endpoints, ports, metadata }) =>
    (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, targetRef }) =>
        addresses.flatMap((address) =>
          (ports ?? []).flatMap(({ name, port }) =>
            port === undefined
              ? []
              : [
                  {
                    address,
                    portName: name || null,
                    port,
                    pod:
                      targetRef?.kind === "Pod"
                        ? { namespace: targetRef.namespace ?? metadata.namespace ?? "", name: targetRef.name ?? "" }
                        : undefined,
                  },
                ],
          ),
        ),
      ),
  )
}

/** The names of ports in the two halves differ: one of them is older. Without addresses there is nothing to differ. */
export function mismatch(spec: ServiceSpec, targets: readonly Target[]): string | undefined {
  const [have, specified] = [new Set(targets.map(({ portName }) => portName)), new Set(spec.ports.map(({ name }) => name))]
  if (have.size === 0) return undefined
  const unknown = [...have].filter((name) => !specified.has(name))
  if (unknown.length === 0) return undefined
  const names = (some: Iterable<string | null>) => [...some].map((name) => name ?? "(no name)").join(", ")
  return `the endpoints have the ports ${names(have)}, the Service has ${names(specified)}`
}

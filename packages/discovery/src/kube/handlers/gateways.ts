import { deepEqual } from "@pilothouse/api"
import { parseIp } from "@pilothouse/api/net"
import type { NetworkGateway } from "../../model/network-gateway.ts"
import type { Service } from "../../model/service.ts"
import { fixedGateways, gatewaysChanged, gatewaysOf, isAtNodes } from "../networks/gateways.ts"
import type { RegistryState } from "../state/state.ts"

/** Looks at a service as a gateway; undefined: it is gone. A change concerns every endpoint of another network. */
export function applyGatewayChange(state: RegistryState, hostname: string, service: Service | undefined): void {
  const before = state.gateways.get(hostname) ?? []
  const after = service === undefined ? [] : ofService(state, service)
  if (after.length === 0) state.gateways.delete(hostname)
  else state.gateways.set(hostname, after)
  if (deepEqual(before, after)) return
  followNames(state)
  state.subscribers.configUpdate(gatewaysChanged)
}

/** Nodes changed: those that are at their addresses are looked at again. */
export function applyNodeGatewayChanges(state: RegistryState): void {
  for (const hostname of state.atNodes) applyGatewayChange(state, hostname, state.services.get(hostname))
}

/** Applies a change of the mesh's gateways: any service may be one now. */
export function applyAllGatewayChanges(state: RegistryState): void {
  for (const service of state.services.sorted()) applyGatewayChange(state, service.hostname, service)
  followNames(state)
}

/** Sorted, each once; one that is known by a name at each of the addresses that the name has. */
export function networkGateways(state: RegistryState): readonly NetworkGateway[] {
  const all = allGateways(state).flatMap((gateway) =>
    isName(gateway) ? state.names.addressesOf(gateway.address).map((address) => ({ ...gateway, address })) : [gateway],
  )
  const byPlace = new Map(all.map((gateway) => [`${gateway.network} ${gateway.address} ${gateway.port}`, gateway]))
  return [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gateway]) => gateway)
}

function followNames(state: RegistryState): void {
  state.names.follow(
    new Set(
      allGateways(state)
        .filter(isName)
        .map(({ address }) => address),
    ),
  )
}

function allGateways(state: RegistryState): readonly NetworkGateway[] {
  return [...fixedGateways(state.networks.mesh), ...[...state.gateways.values()].flat()]
}

function isName({ address }: NetworkGateway): boolean {
  return parseIp(address) === undefined
}

function ofService(state: RegistryState, service: Service): readonly NetworkGateway[] {
  const { services, nodes } = state.watched
  const object = services.get(`${service.namespace}/${service.name}`)
  if (object === undefined) return []
  if (isAtNodes(object)) state.atNodes.add(service.hostname)
  else state.atNodes.delete(service.hostname)
  const { cluster } = state.conversion
  return gatewaysOf(object, service, {
    cluster,
    mesh: state.networks.mesh,
    nodes: () => nodes.keys().flatMap((key) => nodes.get(key) ?? []),
  })
}

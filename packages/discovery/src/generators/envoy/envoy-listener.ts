import { isLoopbackIp } from "@pilothouse/api/net"
import { any } from "../../wire/messages.ts"
import type { XdsClient } from "../client.ts"
import { httpConnectionManager } from "../routing.ts"
import { passthroughCluster } from "./envoy-cluster.ts"

/** Takes what is redirected to it, and hands it to the listener of the address it was meant for. */
export const virtualOutbound = "virtualOutbound"
const virtualOutboundPort = 15_001

/** Returns the listener that redirected traffic arrives at. */
export function virtualOutboundListener(): object {
  return {
    name: virtualOutbound,
    address: { socketAddress: { address: "0.0.0.0", portValue: virtualOutboundPort } },
    useOriginalDst: { value: true },
    filterChains: [{ filters: [tcpProxy(passthroughCluster)] }],
    trafficDirection: "OUTBOUND",
  }
}

/** "0.0.0.0_8080": all HTTP on a port, by host. Without redirection it is a port of this machine alone. */
export function httpListener(port: number, client: XdsClient): object {
  const name = httpListenerName(port)
  const manager = httpConnectionManager(`outbound_${name}`, String(port), { upgradeConfigs: [{ upgradeType: "websocket" }] })
  return {
    name,
    address: { socketAddress: { address: client.interception === "none" ? "127.0.0.1" : "0.0.0.0", portValue: port } },
    filterChains: [{ filters: [{ name: "envoy.filters.network.http_connection_manager", typedConfig: manager }] }],
    bindToPort: { value: client.interception === "none" },
    trafficDirection: "OUTBOUND",
  }
}

/** "10.96.0.7_3306": one address and port of one service. */
export function tcpListener(address: string, port: number, cluster: string, client: XdsClient): object {
  return {
    name: tcpListenerName(address, port),
    address: { socketAddress: { address, portValue: port } },
    filterChains: [{ filters: [tcpProxy(cluster)] }],
    bindToPort: { value: client.interception === "none" },
    trafficDirection: "OUTBOUND",
  }
}

/** The listener of all HTTP services of a port. */
export const httpListenerName = (port: number): string => `0.0.0.0_${port}`
/** The listener of one TCP service. */
export const tcpListenerName = (address: string, port: number): string => `${address}_${port}`

/**
 * Reports whether this client can have a listener there. One that does not bind can have any. One that does would refuse the whole answer for an address
 * that is not its machine's, or a port that it may not take.
 */
export function canListen(address: string, port: number, client: XdsClient): boolean {
  if (client.interception === "redirect") return true
  return isLoopbackIp(address) && address !== "127.0.0.1" && mayTake(port, client)
}

/** Reports whether the client may bind a listener to the port. */
export function mayTake(port: number, client: XdsClient): boolean {
  return client.interception === "redirect" || !client.unprivileged || port >= 1024
}

function tcpProxy(cluster: string): object {
  const typedConfig = any("envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", { statPrefix: cluster, cluster })
  return { name: "envoy.filters.network.tcp_proxy", typedConfig }
}

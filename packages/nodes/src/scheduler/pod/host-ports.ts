import type { Pod } from "@pilothouse/api/core/v1"
import { isProcess } from "../../kubelet/container/process-facts.ts"

/** A port of the node that a pod requests (hostPort). */
export interface HostPort {
  /** "TCP 80". */
  readonly port: string
  /** "0.0.0.0" is every address. */
  readonly address: string
}

const everyAddress = "0.0.0.0"

/** Returns the host ports of containers and sidecars: plain init containers are over before anything listens. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ]
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP }) =>
      hostPort > 0 ? [{ port: `${protocol} ${hostPort}`, address: hostIP || everyAddress }] : [],
    ),
  )
}

/** Returns the ports that the containers of a process pod declare. */
export function processPortsOf({ spec }: Pod): readonly HostPort[] {
  return (spec?.containers ?? [])
    .filter(isProcess)
    .flatMap(({ ports = [] }) =>
      ports.map(({ containerPort, protocol = "TCP" }) => ({ port: `${protocol} ${containerPort}`, address: everyAddress })),
    )
}

/**
 * The ports of a node that its pods have taken.
 * Invariant between calls: each port has the addresses it was taken on, once for each pod that did.
 */
export class HostPorts {
  readonly #addresses = new Map<string, string[]>()

  add(ports: readonly HostPort[]): void {
    for (const { port, address } of ports) this.#addresses.set(port, [...(this.#addresses.get(port) ?? []), address])
  }

  remove(ports: readonly HostPort[]): void {
    for (const { port, address } of ports) {
      const taken = [...(this.#addresses.get(port) ?? [])]
      const at = taken.indexOf(address)
      if (at >= 0) taken.splice(at, 1)
      if (taken.length === 0) this.#addresses.delete(port)
      else this.#addresses.set(port, taken)
    }
  }

  /** Every address is in the way of each, and each of every. */
  areFree(ports: readonly HostPort[]): boolean {
    return ports.every(({ port, address }) => {
      const taken = this.#addresses.get(port) ?? []
      return address === everyAddress ? taken.length === 0 : !taken.includes(everyAddress) && !taken.includes(address)
    })
  }
}

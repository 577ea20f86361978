import { markedOwner } from "../creation/cluster-marks.ts"
import type { PodPort } from "../vif/pod-vif.ts"

/** Milliseconds that a port of an unknown pod is kept: the pod may be newer than the cache. */
const grace = 30_000

/** Ports of this cluster that existed at the start and whose pods are unknown. Invariant: each port is adopted, or due once, and then removed. */
export class OrphanPorts {
  readonly #ports = new Map<string, { readonly port: PodPort; readonly since: number }>()

  add(port: PodPort, since: number): void {
    this.#ports.set(port.port.id, { port, since })
  }

  /** The port of a pod that turned up after all. */
  adopt(uid: string): PodPort | undefined {
    for (const [id, { port }] of this.#ports) {
      if (markedOwner(port.port) !== uid && port.port.device_id !== uid) continue
      this.#ports.delete(id)
      return port
    }
    return undefined
  }

  /** Returns, and removes, the ports that no pod has adopted in time. */
  takeDue(now: number): readonly PodPort[] {
    const due = [...this.#ports.values()].filter(({ since }) => now - since >= grace)
    for (const { port } of due) this.#ports.delete(port.port.id)
    return due.map(({ port }) => port)
  }
}

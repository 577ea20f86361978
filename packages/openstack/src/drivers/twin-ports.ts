import { type Identity, isOurs, ownerIn } from "./identity.ts"
import type { PodPort } from "./pod-vif.ts"

/** When the ports are listed again, in milliseconds after the start. Neutron goes on with what a process had asked for that was killed meanwhile. */
const looks = [15_000, 50_000, 120_000]

/** Second ports of pods that have one: a process was killed while it made them, and they came about after its successor had looked. */
export class TwinPorts {
  readonly #identity: Identity
  readonly #left = [...looks]

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** Whether it is time to list the ports once more. True once for each look. */
  isDue(sinceStart: number): boolean {
    if (this.#left[0] === undefined || sinceStart < this.#left[0]) return false
    this.#left.shift()
    return true
  }

  among(ports: readonly PodPort[], portOf: (uid: string) => PodPort | undefined): readonly PodPort[] {
    return ports.filter((one) => {
      const its = portOf(ownerIn(one.port) ?? "")
      return isOurs(one.port, this.#identity) && its !== undefined && its.port.id !== one.port.id
    })
  }
}

import type { LoadBalancerStatus, NodeAddress } from "@pilothouse/api/core/v1"
import { type Clock, PilothouseError } from "@pilothouse/seams"
import { CloudError } from "../provider/cloud-errors.ts"
import type { InstanceMetadata, Route } from "../provider/provider.ts"

/** A balancer of a MemoryCloud. */
export interface MemoryBalancer {
  readonly cluster: string
  readonly name: string
  /** "default/web" */
  readonly service: string
  /** What the balancer was created from, as text: a different text means a change. */
  readonly made: string
  readonly nodes: readonly string[]
  readonly status: LoadBalancerStatus
}

/** An instance of a MemoryCloud. */
export interface MemoryInstance extends Omit<InstanceMetadata, "addresses"> {
  readonly name: string
  readonly addresses?: readonly NodeAddress[]
  readonly isShutDown?: boolean
}

/** One call that reached the cloud. */
export interface MemoryCall {
  /** "ensure", "get", "list-routes". */
  readonly verb: string
  /** The Service, node or route it is about. */
  readonly about: string
}

/** A fault of one call. Several may be combined. */
export interface MemoryFault {
  /** Milliseconds before the call takes effect. */
  readonly delay?: number
  /** The call fails without effect. */
  readonly fail?: Error
  /** The call never ends and has no effect. */
  readonly hang?: boolean
  /** The call takes effect, and its answer is lost. */
  readonly loseAnswer?: boolean
}

/** The clock by which a MemoryCloud delays its answers. */
export interface MemoryCloudOptions {
  readonly clock: Clock
  /** Asked at every call, after it has been noted. May be changed at any time with `cloud.fault = …`. */
  readonly fault?: (call: MemoryCall) => MemoryFault | undefined
}

/** The newest calls, for assertions. */
const maxCalls = 10_000

/**
 * A cloud that is only remembered. Several clusters may use it, and it outlives them.
 * Invariant between calls: `writes` counts every change that was made by a call, and none that was made behind the callers' back.
 */
export class MemoryCloud {
  readonly balancers = new Map<string, MemoryBalancer>()
  readonly instances = new Map<string, MemoryInstance>()
  readonly routes = new Map<string, Route & { readonly cluster: string }>()
  readonly calls: MemoryCall[] = []
  fault: (call: MemoryCall) => MemoryFault | undefined
  writes = 0
  #nextAddress = 1
  readonly #clock: Clock

  constructor({ clock, fault = () => undefined }: MemoryCloudOptions) {
    this.#clock = clock
    this.fault = fault
  }

  /** Carries a call out, with whatever the fault says of it. */
  async call<T>(call: MemoryCall, signal: AbortSignal, work: () => T): Promise<T> {
    if (this.calls.push(call) > maxCalls) this.calls.shift()
    const fault = this.fault(call)
    if (fault?.delay !== undefined) await this.#clock.sleep(fault.delay, { signal, name: `memory cloud: ${call.verb}` })
    if (fault?.hang) await untilAborted(signal)
    if (signal.aborted) throw new PilothouseError("ABORTED", `aborted during ${call.verb} of ${call.about}`)
    if (fault?.fail !== undefined) throw fault.fail
    const done = work()
    if (fault?.loseAnswer) throw new CloudError(`no answer to ${call.verb} of ${call.about}`)
    return done
  }

  wrote(): void {
    this.writes++
  }

  /** 192.0.2.1, 192.0.2.2 …: addresses that are for examples only. */
  freeAddress(): string {
    const number = this.#nextAddress++
    return `192.0.${2 + Math.floor(number / 255)}.${(number % 255) + (number >= 255 ? 1 : 0)}`
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

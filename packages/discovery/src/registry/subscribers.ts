import { type Log, messageOf } from "@pilothouse/seams"
import type { EndpointsUpdate, RegistrySubscriber } from "./registry.ts"

/**
 * The subscribers of a registry.
 *
 * Invariant: no subscriber is notified before open(); one that throws, which none should, does not keep the others from being notified.
 */
export class Subscribers implements RegistrySubscriber {
  readonly #log: Log
  readonly #all = new Set<RegistrySubscriber>()
  #open = false

  constructor(log: Log) {
    this.#log = log
  }

  get isOpen(): boolean {
    return this.#open
  }

  add(subscriber: RegistrySubscriber): Disposable {
    this.#all.add(subscriber)
    return { [Symbol.dispose]: () => void this.#all.delete(subscriber) }
  }

  /** From now on changes are announced; the first state itself is one. */
  open(reason: string): void {
    if (this.#open) return
    this.#open = true
    this.configUpdate(reason)
  }

  serviceUpdate(hostname: string, change: "added" | "updated" | "deleted"): void {
    this.#notify((one) => one.serviceUpdate(hostname, change))
  }

  endpointsUpdate(shard: string, hostname: string, update: EndpointsUpdate): void {
    this.#notify((one) => one.endpointsUpdate(shard, hostname, update))
  }

  workloadUpdate(address: string, pod: string): void {
    this.#notify((one) => one.workloadUpdate(address, pod))
  }

  configUpdate(reason: string): void {
    this.#notify((one) => one.configUpdate(reason))
  }

  #notify(notify: (subscriber: RegistrySubscriber) => void): void {
    if (!this.#open) return
    for (const one of this.#all) {
      try {
        notify(one)
      } catch (error) {
        this.#log.error("a subscriber of the registry threw; the others go on", { error: messageOf(error) })
      }
    }
  }
}

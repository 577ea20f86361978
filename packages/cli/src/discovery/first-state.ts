import type { Registry } from "@pilothouse/discovery"

/** Calls back once, when everything that was there at the start has been read. */
export function onFirstState(registry: Pick<Registry, "synced" | "subscribe">, notify: () => void): Disposable {
  const ignore = () => {}
  const subscription = registry.subscribe({
    serviceUpdate: ignore,
    endpointsUpdate: ignore,
    workloadUpdate: ignore,
    configUpdate() {
      if (!registry.synced) return
      subscription[Symbol.dispose]()
      notify()
    },
  })
  return subscription
}

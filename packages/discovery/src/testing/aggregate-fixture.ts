import type { KubeObject } from "@pilothouse/api"
import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import type { KubeRegistryOptions } from "../kube/convert/options.ts"
import { KubeRegistry } from "../kube/kube-registry.ts"
import { TestKube } from "./kube.ts"
import { kubePod, kubeService, kubeSlice } from "./kube-objects.ts"
import { inShort, recorded } from "./registry-fixture.ts"

/** The hostname of the service `shop/web`. */
export const webHost = "web.shop.svc.cluster.local"

/** A service with one pod, at the addresses of the n-th cluster. */
export function web(n: number, spec = {}): readonly KubeObject[] {
  return [
    kubeService("shop/web", { clusterIP: `10.96.0.${n}`, ...spec }),
    kubePod("shop/web-1", { ip: `10.${n}.0.1`, labels: { app: "web" } }),
    kubeSlice("shop/web-1", { endpoints: [{ ip: `10.${n}.0.1`, pod: "web-1" }] }),
  ]
}

/** A cluster with these objects. */
export function filled(...objects: readonly KubeObject[]): TestKube {
  const kube = new TestKube()
  for (const object of objects) kube.put(object)
  return kube
}

/** An aggregate, its clock, and its notifications. */
export function aggregateFixture() {
  const clock = new VirtualClock()
  const all = new AggregateRegistry({ log: silentLog })
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    clock,
    all,
    told: recorded(all),
    of: (cluster: string, kube: TestKube, more: Partial<KubeRegistryOptions> = {}) =>
      new KubeRegistry({ client: kube.client, clock, random: seededRandom(1), log: silentLog, cluster, ...more }),
    async run() {
      running = all.run(stopping.signal)
      await clock.settle()
    },
    endpoints: () => all.endpoints(webHost).map(inShort),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await clock.run(running)
    },
  }
}

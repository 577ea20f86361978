import { join } from "node:path"
import { workspace } from "../../packages/cli/bin/find-program.js"
import { type ControlPlane, startControlPlane } from "../../tests/real/control-plane.ts"
import { makeBundle } from "../../tools/bundle/make-bundle.ts"
import {
  endpointObject,
  endpointsPerSlice,
  type Group,
  namespace,
  nodeObjects,
  podNames,
  podObject,
  podStatus,
  serviceObject,
  sliceName,
  sliceObject,
} from "./objects.ts"

/** Writers at once: more would only queue in front of two cores. */
const writers = 16
const core = `/api/v1/namespaces/${namespace}`
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`

/** A real kube-apiserver with etcd that both servers read. Nothing else runs in it: slices are written here, as the bench wants them. */
export class BenchCluster implements AsyncDisposable {
  readonly #plane: ControlPlane
  /** Groups whose first slice lacks its last endpoint. */
  readonly #lacking = new Set<string>()

  private constructor(plane: ControlPlane) {
    this.#plane = plane
  }

  static async start(): Promise<BenchCluster> {
    // Without a controller manager nothing would create the account that this plugin requires for every pod.
    const plane = await startControlPlane({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] })
    const cluster = new BenchCluster(plane)
    await makeBundle(cluster.bundle, workspace)
    for (const name of [namespace, "istio-system"]) await cluster.#create("/api/v1/namespaces", { metadata: { name } })
    for (const node of nodeObjects()) await cluster.#create("/api/v1/nodes", node)
    return cluster
  }

  get directory(): string {
    return this.#plane.directory
  }

  /** Our program, as `npm ci` bundles it: what people start. */
  get bundle(): string {
    return join(this.directory, "bundle")
  }

  kubeconfig(): string {
    return this.#plane.kubeconfig("admin")
  }

  /** Pods before slices: an endpoint whose pod is not known is held back by both. */
  async add(groups: readonly Group[]): Promise<void> {
    await atOnce(groups, (group) => this.#create(`${core}/services`, serviceObject(group)))
    const pods = groups.flatMap((group) => podNames(group).map((_, index) => ({ group, index })))
    await atOnce(pods, ({ group, index }) => this.#createPod(group, index))
    const parts = groups.flatMap((group) => slicesOf(group).map((slice) => ({ group, slice })))
    await atOnce(parts, ({ group, slice }) => this.#create(slices, sliceObject(group, slice)))
  }

  async remove(group: Group): Promise<void> {
    const selected = { labelSelector: `kubernetes.io/service-name=${group.name}` }
    await this.#plane.client.object({ verb: "DELETE", path: slices, query: selected })
    await this.#plane.client.object({ verb: "DELETE", path: `${core}/services/${group.name}` })
    const pods = { labelSelector: `app=${group.name}`, gracePeriodSeconds: "0" }
    await this.#plane.client.object({ verb: "DELETE", path: `${core}/pods`, query: pods })
  }

  /** Whether the next change takes an endpoint away. */
  removesNext({ name }: Group): boolean {
    return !this.#lacking.has(name)
  }

  /** One endpoint goes; the next change brings it back. Says when the server acknowledged it. */
  async change(group: Group): Promise<number> {
    const last = Math.min(group.endpoints, endpointsPerSlice) - 1
    const removed = this.removesNext(group)
    const value = endpointObject(group, last)
    const operation = removed ? { op: "remove", path: `/endpoints/${last}` } : { op: "add", path: "/endpoints/-", value }
    if (removed) this.#lacking.add(group.name)
    else this.#lacking.delete(group.name)
    const path = `${slices}/${sliceName(group, 0)}`
    await this.#plane.client.object({ verb: "PATCH", path, contentType: "application/json-patch+json", body: [operation] })
    return performance.now()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane.close()
  }

  async #createPod(group: Group, index: number): Promise<void> {
    await this.#create(`${core}/pods`, podObject(group, index))
    const path = `${core}/pods/${podNames(group)[index]}/status`
    await this.#plane.client.object({ verb: "PATCH", path, contentType: "application/merge-patch+json", body: podStatus(group, index) })
  }

  async #create(path: string, body: object): Promise<void> {
    await this.#plane.client.object({ verb: "POST", path, body })
  }
}

function slicesOf({ endpoints }: Group): readonly number[] {
  return Array.from({ length: Math.ceil(endpoints / endpointsPerSlice) }, (_, slice) => slice)
}

async function atOnce<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const writer = async () => {
    for (const item of left) await write(item)
  }
  await Promise.all(Array.from({ length: writers }, writer))
}

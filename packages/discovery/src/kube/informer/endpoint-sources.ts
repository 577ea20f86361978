import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Endpoints, endpoints } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { type ChainTask, type HandlerChains, type Index, index, type WireForm } from "@pilothouse/runtime"
import type { KubeRegistryOptions } from "../convert/options.ts"
import { sharing } from "../convert/sharing.ts"
import { type EndpointSource, sourceOfEndpoints, sourceOfSlice } from "../convert/source.ts"
import { MultiNamespaceInformer } from "./multi-namespace-informer.ts"
import { sliceForm } from "./read-fields.ts"
import type { RegistryMetrics } from "./registry-metrics.ts"
import { sameEndpoints, sameSlice } from "./relevant.ts"
import { strippedSlice } from "./stripped.ts"

/** What says which endpoints a service has: EndpointSlices, or the older Endpoints. */
export interface EndpointSources {
  readonly watched: Pick<
    MultiNamespaceInformer<KubeObject>,
    "of" | "informers" | "again" | "isWaiting" | "run" | "synced" | "keys" | "size"
  >
  get(key: string): EndpointSource | undefined
  ofService(service: string): readonly string[]
  ofPod(pod: string): readonly string[]
  atAddress(address: string): readonly string[]
  /** Those with addresses on a node that no pod is named for. */
  ofNode(node: string): readonly string[]
  inNamespace(namespace: string): readonly string[]
  handle(chains: HandlerChains, handler: (key: string, source: EndpointSource | undefined) => void, metrics: RegistryMetrics): void
}

interface Kind<T extends KubeObject> {
  readonly of: Descriptor<T>
  readonly kind: string
  readonly equal: (old: T, object: T) => boolean
  readonly read: (object: T) => EndpointSource
  readonly transform?: (object: T) => T
  readonly form?: WireForm
  readonly byService: Index<T>
  readonly byPod: Index<T>
  readonly byAddress: Index<T>
  readonly byNode: Index<T>
}

/** Returns the informers of EndpointSlices or of Endpoints, as the options say. */
export function endpointSources(options: KubeRegistryOptions): EndpointSources {
  return options.endpoints === "endpoints" ? sourcesOf(options, ofEndpoints()) : sourcesOf(options, ofSlices())
}

function sourcesOf<T extends KubeObject>(options: KubeRegistryOptions, kind: Kind<T>): EndpointSources {
  const { byService, byPod, byAddress, byNode, read } = kind
  const watched = new MultiNamespaceInformer<T>(options, { ...kind, indexes: [byService, byPod, byAddress, byNode] })
  return {
    // Objects are not read through it: only their keys, and how they are watched.
    watched: watched as unknown as EndpointSources["watched"],
    get(key) {
      const object = watched.get(key)
      return object && read(object)
    },
    ofService: (service) => watched.keysBy(byService, service),
    ofPod: (pod) => watched.keysBy(byPod, pod),
    atAddress: (address) => watched.keysBy(byAddress, address),
    ofNode: (node) => watched.keysBy(byNode, node),
    inNamespace: (namespace) => watched.inNamespace(namespace).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    handle(chains, handler, metrics) {
      const handle = ({ key, event, object }: ChainTask<T>) => handler(key, event === "delete" ? undefined : read(object))
      watched.handle(chains, handle, metrics)
    },
  }
}

function kindOf<T extends KubeObject>(of: Descriptor<T>, kind: Pick<Kind<T>, "kind" | "equal" | "read" | "transform" | "form">): Kind<T> {
  const endpointsOf = (object: T) => kind.read(object).groups.flatMap((group) => group.endpoints)
  return {
    of,
    ...kind,
    byService: index(of, "service", (object) => [kind.read(object).service ?? []].flat()),
    byPod: index(of, "pod", (object) => unique(endpointsOf(object).flatMap(({ pod }) => pod ?? []))),
    byAddress: index(of, "address", (object) => unique(endpointsOf(object).flatMap(({ addresses }) => addresses))),
    byNode: index(of, "node", (object) => unique(endpointsOf(object).flatMap(({ pod, node }) => (pod === undefined ? (node ?? []) : [])))),
  }
}

function ofSlices(): Kind<EndpointSlice> {
  const share = sharing()
  const transform = (slice: EndpointSlice) => strippedSlice(slice, share)
  const read = lastTwo(sourceOfSlice)
  return kindOf<EndpointSlice>(endpointSlices, { kind: "EndpointSlices", equal: sameSlice, read, transform, form: sliceForm() })
}

function ofEndpoints(): Kind<Endpoints> {
  return kindOf<Endpoints>(endpoints, { kind: "Endpoints", equal: sameEndpoints, read: lastTwo(sourceOfEndpoints) })
}

/**
 * Four indexes ask for an object when it comes and when it goes, and its handler after them: each is read once for all. Only the last two are kept, what
 * comes and what it replaces: what is read of ten thousand endpoints takes as much memory as they do.
 */
function lastTwo<T extends object>(read: (object: T) => EndpointSource): (object: T) => EndpointSource {
  let [newer, older]: (readonly [T, EndpointSource] | undefined)[] = []
  return (object) => {
    if (newer?.[0] === object) return newer[1]
    if (older?.[0] === object) return older[1]
    older = newer
    newer = [object, read(object)]
    return newer[1]
  }
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}

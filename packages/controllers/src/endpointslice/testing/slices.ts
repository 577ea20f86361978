import type { Node, Pod, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { operationsOf, readyNode, webService } from "../../service-endpoints/testing/objects.ts"
import { decide } from "../decide.ts"
import type { Observed } from "../observe.ts"

/** What a test says of a Service; the rest is one node and no slices. */
export interface Situation {
  readonly service?: Service
  readonly pods?: readonly Pod[]
  readonly nodes?: readonly Node[]
  readonly slices?: readonly EndpointSlice[]
  readonly max?: number
}

export function planFor({ max = 100, ...situation }: Situation): ReturnType<typeof decide> {
  return decide(observedIn(situation), { maxEndpointsPerSlice: max })
}

function observedIn({ service = webService(), pods = [], nodes = [readyNode("node-1")], slices = [] }: Situation): Observed {
  return { service, pods, slices, nodes: new Map(nodes.map((node) => [node.metadata.name ?? "", node])), everyNode: nodes }
}

/** The slices once the plan has been carried out, as a server would have stored them; new ones are named web-new-1, web-new-2 … */
export function slicesAfter(situation: Situation): readonly EndpointSlice[] {
  const slices = new Map((situation.slices ?? []).map((slice) => [slice.metadata.name, slice]))
  const fresh = (at = 1): string => (slices.has(`web-new-${at}`) ? fresh(at + 1) : `web-new-${at}`)
  for (const operation of operationsOf(planFor(situation))) {
    if (!("object" in operation)) continue
    const slice = operation.object as EndpointSlice
    const name = operation.do === "create" ? fresh() : slice.metadata.name
    if (operation.do === "delete") slices.delete(name)
    else slices.set(name, { ...slice, metadata: { ...slice.metadata, name, uid: `u-${name}`, resourceVersion: "9" } })
  }
  return [...slices.values()]
}

/** Slices of the Service, one for each list of pods, with the endpoints that the controller would write. */
export function existing(service: Service, ...podsOfEach: readonly (readonly Pod[])[]): readonly EndpointSlice[] {
  return podsOfEach.flatMap((pods, at) =>
    slicesAfter({ service, pods }).map((slice) => ({
      ...slice,
      metadata: { ...slice.metadata, name: `web-${at + 1}`, uid: `u-${at + 1}` },
    })),
  )
}

export function sizes(slices: readonly EndpointSlice[]): readonly number[] {
  return slices.map((slice) => slice.endpoints?.length ?? 0)
}

/** "1 create, 2 update, 0 delete" */
export function counted(situation: Situation): string {
  const kinds = operationsOf(planFor(situation)).map((operation) => operation.do)
  return ["create", "update", "delete"].map((kind) => `${kinds.filter((one) => one === kind).length} ${kind}`).join(", ")
}

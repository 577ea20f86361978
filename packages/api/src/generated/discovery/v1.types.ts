// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { ObjectReference } from "../core/v1.types.ts"

export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: EndpointConditions
  readonly deprecatedTopology?: Readonly<Record<string, string>>
  readonly hints?: EndpointHints
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: ObjectReference
  readonly zone?: string
}

export interface EndpointConditions {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export interface EndpointHints {
  readonly forNodes?: readonly ForNode[]
  readonly forZones?: readonly ForZone[]
}

export interface EndpointPort {
  readonly appProtocol?: string
  readonly name?: string
  readonly port?: number
  readonly protocol?: "SCTP" | "TCP" | "UDP"
}

export interface EndpointSlice {
  readonly apiVersion: "discovery.k8s.io/v1"
  readonly kind: "EndpointSlice"
  readonly metadata: ObjectMeta
  readonly addressType: "FQDN" | "IPv4" | "IPv6"
  readonly endpoints?: readonly Endpoint[]
  readonly ports?: readonly EndpointPort[]
}

export interface EndpointSliceList {
  readonly apiVersion: "discovery.k8s.io/v1"
  readonly kind: "EndpointSliceList"
  readonly metadata: ListMeta
  readonly items: readonly EndpointSlice[]
}

export interface ForNode {
  readonly name: string
}

export interface ForZone {
  readonly name: string
}

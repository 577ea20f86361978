import protobuf from "protobufjs/light.js"
import { xdsDescriptor } from "../generated/xds-descriptor.ts"

/** One kind of message: plain objects in the camelCase of protobuf's JSON on one side, bytes on the other. */
export interface Message {
  encode(value: object): Uint8Array
  decode(bytes: Uint8Array): Decoded
  /** As `decode`, but messages and enums inside are left as they were read: for what is read often and mostly thrown away. */
  read(bytes: Uint8Array): Decoded
  /** What `decode` would have made of something that `read` left. */
  plain(read: object): Decoded
}

/** What was read: enums as words, maps as objects, lists always there. */
export type Decoded = Readonly<Record<string, unknown>>

const plainly = { enums: String, longs: Number, arrays: true, objects: true }
/** Made when first needed: what the types say takes 20 ms to read, and a server has asked its clusters for everything by then. */
const root = madeOnce(() => protobuf.Root.fromJSON({ nested: xdsDescriptor }))

/** The messages of xDS by name, with their encoders and decoders. */
export const messages = {
  discoveryRequest: message("envoy.service.discovery.v3.DiscoveryRequest"),
  discoveryResponse: message("envoy.service.discovery.v3.DiscoveryResponse"),
  deltaDiscoveryRequest: message("envoy.service.discovery.v3.DeltaDiscoveryRequest"),
  deltaDiscoveryResponse: message("envoy.service.discovery.v3.DeltaDiscoveryResponse"),
  resource: message("envoy.service.discovery.v3.Resource"),
  node: message("envoy.config.core.v3.Node"),
  cluster: message("envoy.config.cluster.v3.Cluster"),
  clusterLoadAssignment: message("envoy.config.endpoint.v3.ClusterLoadAssignment"),
  lbEndpoint: message("envoy.config.endpoint.v3.LbEndpoint"),
  locality: message("envoy.config.core.v3.Locality"),
  listener: message("envoy.config.listener.v3.Listener"),
  routeConfiguration: message("envoy.config.route.v3.RouteConfiguration"),
  virtualHost: message("envoy.config.route.v3.VirtualHost"),
}

/** The message of a type URL; undefined where it is none of ours. */
export function messageOf(typeUrl: string): Message | undefined {
  const found = root().lookup(typeUrl.slice(typeUrl.indexOf("/") + 1))
  return found instanceof protobuf.Type ? messageFrom(() => found) : undefined
}

/** Makes what the first client would otherwise wait for. */
export function prepareMessages(): void {
  root()
}

/** An `Any` around a message of that full name. */
export function any(name: string, value: object): object {
  return { typeUrl: `type.googleapis.com/${name}`, value: message(name).encode(value) }
}

function message(name: string): Message {
  return messageFrom(madeOnce(() => root().lookupType(name)))
}

function messageFrom(type: () => protobuf.Type): Message {
  return {
    encode: (value) => type().encode(type().fromObject(value)).finish(),
    decode: (bytes) => type().toObject(type().decode(bytes), plainly),
    read: (bytes) => type().decode(bytes) as unknown as Decoded,
    plain: (read) => type().toObject(read as protobuf.Message, plainly),
  }
}

function madeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

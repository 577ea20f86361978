import { field, numberField, textField } from "../wire/length-delimited.ts"
import type { Resource } from "./resource.ts"

/** A resource as it stands in a response: with its bytes for both protocols, in parts. */
export interface Sendable {
  readonly name: string
  readonly version: string
  /** The field `resources` of a DiscoveryResponse. */
  readonly sotw: readonly Uint8Array[]
  /** The field `resources` of a DeltaDiscoveryResponse. */
  readonly delta: readonly Uint8Array[]
  /** "heartbeat": what the client has goes on, and is not sent again. */
  readonly form: "plain" | "timed" | "heartbeat"
}

const resourcesField = 2
const wrapperType = "type.googleapis.com/envoy.service.discovery.v3.Resource"

/** A resource that the client forgets after `ttl` milliseconds, unless it receives it again. In both protocols it stands in a wrapper that has the time. */
export function timed({ name, version, any }: Resource, ttl: number): Sendable {
  return sendable("timed", { name, version }, wrapper({ name, version, ttl }, field(2, any)))
}

/** Same name, same version, no content: only the time starts again. */
export function heartbeat(name: string, version: string, ttl: number): Sendable {
  return sendable("heartbeat", { name, version }, wrapper({ name, version, ttl }))
}

function sendable(form: Sendable["form"], { name, version }: Pick<Sendable, "name" | "version">, wrapped: Buffer): Sendable {
  return {
    name,
    version,
    form,
    sotw: [field(resourcesField, Buffer.concat([textField(1, wrapperType), field(2, wrapped)]))],
    delta: [field(resourcesField, wrapped)],
  }
}

/** A Resource of discovery.v3. */
function wrapper({ name, version, ttl }: { name: string; version: string; ttl: number }, content: Buffer = Buffer.alloc(0)): Buffer {
  const duration = Buffer.concat([numberField(1, Math.floor(ttl / 1000)), numberField(2, (ttl % 1000) * 1_000_000)])
  return Buffer.concat([textField(1, version), content, textField(3, name), field(6, duration)])
}
